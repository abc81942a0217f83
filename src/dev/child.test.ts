import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Child, describeExit, logTail, startChild } from './child.ts';

let dir: string;
let logPath: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubeveil-child-'));
  logPath = join(dir, 'log');
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** Runs a script with node, which is there wherever the tests run. */
function start(script: string, env: Record<string, string> = {}): Promise<Child> {
  return startChild({ name: 'test', file: process.execPath, args: ['-e', script], logPath, env });
}

async function printed(text: string): Promise<void> {
  while (!readFileSync(logPath, 'utf8').includes(text)) await sleep(10);
}

describe('startChild', () => {
  it('runs the program itself under the pid it tells, in a group of its own, and logs both outputs', async () => {
    const child = await start('console.log(process.pid); console.error("to stderr"); process.exitCode = 3');
    expect(await child.exited).toEqual({ code: 3, signal: null });
    expect(child.running).toBe(false);
    expect(readFileSync(logPath, 'utf8')).toBe(`${child.pid}\nto stderr\n`);
    expect(child.signal('SIGTERM')).toBe(false);
  });

  it('passes a few variables only, and those that are given', async () => {
    process.env['ETCD_NAME'] = 'leaked';
    const child = await start('console.log(JSON.stringify(process.env))', { GIVEN: 'yes' });
    await child.exited;
    delete process.env['ETCD_NAME'];
    const seen = JSON.parse(readFileSync(logPath, 'utf8')) as Record<string, string>;
    expect(seen['GIVEN']).toBe('yes');
    expect(seen['PATH']).toBe(process.env['PATH']);
    expect(seen['ETCD_NAME']).toBeUndefined();
  });

  it('gives no input', async () => {
    const child = await start('process.stdin.on("end", () => console.log("end of input")).resume()');
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(logTail(logPath)).toBe('end of input');
  });

  it('stops a program that obeys with SIGTERM', async () => {
    const child = await start(
      'process.on("SIGTERM", () => process.exit(7)); setInterval(() => {}, 1e6); console.log("up")',
    );
    await printed('up');
    expect(await child.stop(20_000)).toEqual({ code: 7, signal: null });
  });

  it('stops a program that does not with SIGKILL, and a frozen one too', async () => {
    const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6); console.log("up")';
    const child = await start(stubborn);
    await printed('up');
    expect(await child.stop(100)).toEqual({ code: null, signal: 'SIGKILL' });
    const frozen = await start('setInterval(() => {}, 1e6); console.log("also")');
    await printed('also');
    expect(frozen.signal('SIGSTOP')).toBe(true);
    expect(await frozen.stop(20_000)).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('tells of a program that is not there', async () => {
    const child = await startChild({ name: 'test', file: join(dir, 'nothing'), args: [], logPath });
    expect(describeExit(await child.exited)).toBe('exit code 127');
    expect(logTail(logPath)).toContain('nothing');
  });
});

describe('logTail', () => {
  it('is the last lines, or empty when there is no file', () => {
    writeFileSync(logPath, 'one\ntwo\nthree\n');
    expect(logTail(logPath, 2)).toBe('two\nthree');
    expect(logTail(join(dir, 'none'))).toBe('');
  });

  it('reads only the end of a long file', () => {
    writeFileSync(logPath, `${'x'.repeat(100_000)}\nend`);
    expect(logTail(logPath).length).toBeLessThan(20_000);
    expect(logTail(logPath).endsWith('end')).toBe(true);
  });
});
