import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { JsonSyntaxError, stringifyJson } from './json.ts';
import { readYaml } from './yaml-offload.ts';

function long(items: number): string {
  return `big: 12345678901234567890\nitems:\n${Array.from({ length: items }, (_, at) => `- {name: n${at}, on: yes}\n`).join('')}`;
}

describe('readYaml', () => {
  it('reads large documents as it reads small ones', async () => {
    for (const items of [2, 2_000]) {
      const document = (await readYaml(long(items))) as { items: unknown[] };
      expect(document.items).toHaveLength(items);
      expect(document.items[1]).toEqual({ name: 'n1', on: true });
      expect(stringifyJson(document as never)).toContain('"big":12345678901234567890');
    }
  });

  it('refuses large documents as it refuses small ones', async () => {
    for (const items of [2, 2_000]) {
      await expect(readYaml(`${long(items)}\n---\na: 1`)).rejects.toThrow(
        new JsonSyntaxError('yaml: only one document is taken'),
      );
      await expect(readYaml(`${long(items)}items: 1`)).rejects.toThrow('unique');
    }
  });

  it('leaves the process free meanwhile', async () => {
    let ticks = 0;
    let reading = true;
    const document = readYaml(long(5_000)).finally(() => {
      reading = false;
    });
    while (reading) {
      await sleep(1);
      ticks++;
    }
    await document;
    expect(ticks).toBeGreaterThan(5);
  });

  it('answers each asker with its own document, and refuses when too many wait', async () => {
    const padding = `padding: ${'x'.repeat(9_000)}\n`;
    const answers = await Promise.allSettled(Array.from({ length: 100 }, (_, at) => readYaml(`${padding}id: ${at}`)));
    const read = answers.flatMap((answer, at) => (answer.status === 'fulfilled' ? [[at, answer.value]] : []));
    expect(read).toHaveLength(64);
    for (const [at, value] of read) expect(value).toMatchObject({ id: at });
    const [refused] = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused?.reason).toMatchObject({ status: 429, why: 'yaml-queue' });
  });
});
