import { describe, expect, it } from 'vitest';
import { replaceInStream } from './replace-in-stream.ts';

async function* pieces(text: string, length: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < text.length; at += length) yield Buffer.from(text.slice(at, at + length));
}

async function replaced(text: string, length: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of replaceInStream(pieces(text, length), '/acme--web/', '/web/')) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('replaceInStream', () => {
  const text = '<a href="/acme--web/x">/acme--we/acme--web//acme--web/</a>/acme--web';
  it.each([1, 2, 3, 7, 11, 12, 1000])('finds every occurrence in pieces of %i', async (length) => {
    expect(await replaced(text, length)).toBe('<a href="/web/x">/acme--we/web//web/</a>/acme--web');
  });
  it('leaves everything else', async () => {
    expect(await replaced('nothing of it', 4)).toBe('nothing of it');
    expect(await replaced('', 4)).toBe('');
  });
});
