import { describe, expect, it } from 'vitest';
import { lines } from './lines.ts';

async function* chunks(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function all(...texts: string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines(chunks(...texts))) found.push(line.toString());
  return found;
}

describe('lines', () => {
  it.each([
    ['one chunk', ['a\nb\n'], ['a', 'b']],
    ['a line over several chunks', ['{"a', '":', '1}\n{"b":2}\n'], ['{"a":1}', '{"b":2}']],
    ['a break between chunks', ['a', '\n', 'b\n'], ['a', 'b']],
    ['no newline at the end', ['a\nb'], ['a', 'b']],
    ['empty lines', ['\n\na\n\n'], ['a']],
    ['nothing', [], []],
  ])('%s', async (_what, given, wanted) => {
    expect(await all(...given)).toEqual(wanted);
  });

  it('bounds a line that does not end', async () => {
    const read = async (bytes: number) => {
      for await (const _line of lines(chunks('aaaa', 'aaaa', '\n'), bytes));
    };
    await expect(read(6)).rejects.toThrow(RangeError);
    await expect(read(8)).resolves.toBeUndefined();
  });
});
