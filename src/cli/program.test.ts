import { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from './program.ts';

/** `kubeveil tenant create` -> its command. */
function command(...path: string[]): Command {
  let found: Command = createProgram();
  for (const name of path) {
    const next = found.commands.find((one) => one.name() === name);
    if (next === undefined) throw new Error(`there is no command ${path.join(' ')}`);
    found = next;
  }
  return found;
}

/** Options of the command as parsed; nothing runs. */
async function parsed(path: string[], ...args: string[]): Promise<Record<string, unknown>> {
  const program = createProgram();
  let found: Command = program;
  for (const name of path) found = found.commands.find((one) => one.name() === name) ?? new Command();
  for (const one of [program, found]) one.configureOutput({ writeErr: () => {} }).exitOverride();
  found.action(() => {});
  await program.parseAsync([...path, ...args], { from: 'user' });
  return found.opts();
}

describe('help', () => {
  it.each([
    [['kubeconfig'], '(default: 12h)'],
    [['tenant', 'create'], '(default: 60s)'],
    [['tenant', 'delete'], '(default: 5m)'],
    [['serve'], '(default: 60s)'],
  ])('of %j shows durations as people write them', (path, preset) => {
    const help = command(...path).helpInformation();
    expect(help).toContain(preset);
    expect(help).not.toMatch(/default: (43200000|300000|60000)\b/);
  });

  it('tells where a URL that is left out leads', () => {
    const help = command('serve').helpInformation().replaceAll(/\s+/g, ' ');
    expect(help).toContain('when left out https://127.0.0.1 with the port');
  });
});

describe('durations', () => {
  it.each([
    ['7d', 7 * 86_400_000],
    ['30d', 30 * 86_400_000],
    ['1h30m', 5_400_000],
  ])('--ttl takes %s', async (ttl, ms) => {
    expect(await parsed(['kubeconfig'], 'acme', '--ttl', ttl)).toMatchObject({ ttl: ms });
  });

  it('--ttl is twelve hours when it is left out', async () => {
    expect(await parsed(['kubeconfig'], 'acme')).toMatchObject({ ttl: 12 * 3_600_000 });
  });

  it.each(['31d', '721h', '0s', '3600', 'a day'])('--ttl refuses %s and says what it takes', async (ttl) => {
    const refused = parsed(['kubeconfig'], 'acme', '--ttl', ttl);
    await expect(refused).rejects.toThrow(CommanderError);
    await expect(refused).rejects.toThrow(/must be a duration from 1s to 30d/);
  });
});
