import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gzipParts, type Part } from './gzip-parts.ts';

const shared = (text: string) => ({ text: Buffer.from(text), forms: new Map<string, unknown>() });

async function zipped(parts: readonly Part[]): Promise<Buffer> {
  return Buffer.concat(await gzipParts(parts, 1));
}

describe('parts that are compressed apart', () => {
  it.each([
    ['nothing', []],
    ['an empty part', ['']],
    ['one', ['{"kind":"Pod"}']],
    [
      'several, of many lengths',
      ['a', '', 'é'.repeat(70_000), 'b'.repeat(127), 'c'.repeat(128), ',', 'x'.repeat(65_537)],
    ],
  ])('are one gzip stream: %s', async (_what, texts) => {
    const stream = await zipped(texts.map((text, at) => (at % 2 === 0 ? shared(text) : Buffer.from(text))));
    // The checksum and the length at its end are checked by this.
    expect(gunzipSync(stream).toString()).toBe(texts.join(''));
  });

  it('have another checksum in another order', async () => {
    const [first, second] = [shared('abc'), shared('abd')];
    const there = await zipped([first, second]);
    const back = await zipped([second, first]);
    expect(there.subarray(-8)).not.toEqual(back.subarray(-8));
    expect(gunzipSync(back).toString()).toBe('abdabc');
  });

  it('are compressed once, however many answers they are in', async () => {
    const part = shared('x'.repeat(10_000));
    const [one, two] = [await gzipParts([part], 1), await gzipParts([Buffer.from('-'), part], 1)];
    expect(two[2]).toBe(one[1]);
  });
});
