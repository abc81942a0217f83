import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { JsonSyntaxError, stringifyJson } from './json.ts';
import { createYamlReader } from './yaml-queue.ts';
import { MAX_YAML_CHARACTERS } from './yaml-read.ts';

const SENDER = { tenant: 'u1', signal: new AbortController().signal };

function long(items: number): string {
  return `big: 12345678901234567890\nitems:\n${Array.from({ length: items }, (_, at) => `- {name: n${at}, on: yes}\n`).join('')}`;
}

/** As large as can be, and as costly as each form can be made; none of it is quick to read. */
const BOMBS = [
  `[${','.repeat(MAX_YAML_CHARACTERS - 2)}]`,
  '&a '.repeat(MAX_YAML_CHARACTERS / 3),
  `a: &a {${Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join(', ')}}\n${'- {<<: *a}\n'.repeat(200_000)}`.slice(
    0,
    MAX_YAML_CHARACTERS,
  ),
  '- a\n'.repeat(MAX_YAML_CHARACTERS / 4),
];

describe('a YAML thread', () => {
  it('reads what is sent, and refuses what is not YAML', async () => {
    using reader = createYamlReader();
    for (const items of [2, 2_000]) {
      const { document } = (await reader.read(long(items), SENDER)) as unknown as { document: { items: unknown[] } };
      expect(document.items).toHaveLength(items);
      expect(document.items[1]).toEqual({ name: 'n1', on: true });
      expect(stringifyJson(document as never)).toContain('"big":12345678901234567890');
      await expect(reader.read(`${long(items)}\n---\na: 1`, SENDER)).rejects.toThrow(
        new JsonSyntaxError('yaml: only one document is taken'),
      );
    }
  });

  it('leaves the process free meanwhile', async () => {
    using reader = createYamlReader();
    let ticks = 0;
    let reading = true;
    const document = reader.read(long(5_000), SENDER).finally(() => {
      reading = false;
    });
    while (reading) {
      await sleep(1);
      ticks++;
    }
    await document;
    expect(ticks).toBeGreaterThan(5);
  });

  it('is ended when a document takes too long, and another reads the next one', async () => {
    using reader = createYamlReader({ documentMs: 50, penaltyMs: 0 });
    for (const bomb of BOMBS) {
      await expect(reader.read(bomb, SENDER)).rejects.toThrow(JsonSyntaxError);
    }
    using patient = createYamlReader();
    await expect(patient.read('a: 1', SENDER)).resolves.toEqual({ document: { a: 1 }, repeated: [] });
  });

  it('is ended with the process, whatever it reads', async () => {
    const reader = createYamlReader({ documentMs: 600_000 });
    const [bomb = ''] = BOMBS;
    const answers = Promise.allSettled([reader.read(bomb, SENDER), reader.read(bomb, { ...SENDER, tenant: 'u2' })]);
    reader[Symbol.dispose]();
    for (const answer of await answers) expect(answer).toMatchObject({ reason: { status: 503 } });
  });
});
