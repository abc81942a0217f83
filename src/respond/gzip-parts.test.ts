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

  it('are begun a few at a time: each takes memory while it goes on', async () => {
    let [open, most] = [0, 0];
    const counted = (deflate: Promise<unknown>): void => {
      open += 1;
      most = Math.max(most, open);
      void deflate.finally(() => (open -= 1));
    };
    const parts = Array.from({ length: 40 }, () => {
      const forms = new Map<string, unknown>();
      const set = forms.set.bind(forms);
      forms.set = (key, value) => {
        counted(value as Promise<unknown>);
        return set(key, value);
      };
      return { text: Buffer.from('x'.repeat(1_000)), forms };
    });
    await gzipParts(parts, 1);
    expect(open).toBe(0);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(8);
  });

  it('are compressed once, however many answers they are in', async () => {
    const part = shared('x'.repeat(10_000));
    const comma = Buffer.from(',');
    const [one, two] = [await gzipParts([part, comma], 1), await gzipParts([comma, part], 1)];
    expect(two[1]).toBe(one[2]);
    expect(two[2]).toBe(one[1]);
  });
});
