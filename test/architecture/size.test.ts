/**
 * Holds every source file under one room's size, and prints the median. A file over the cap does two jobs: split it.
 */
import { describe, expect, it } from 'vitest';
import { countLines, read, sourceFiles } from './source-files.ts';

const MAX_LINES = 350;

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

describe('size of source files', () => {
  it(`is at most ${MAX_LINES} lines`, () => {
    const sizes = sourceFiles().map((path) => ({ path, lines: countLines(read(path)) }));
    const ownCode = sizes.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'));
    console.log(
      `${sizes.length} files, median ${median(sizes.map(({ lines }) => lines))} lines; ` +
        `${ownCode.length} of them src without tests, median ${median(ownCode.map(({ lines }) => lines))} lines`,
    );
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
  });

  it.each([
    ['', 0],
    ['one', 1],
    ['one\n', 1],
    ['one\n\nthree\n', 3],
  ])('counts lines of %j as %i', (text, lines) => {
    expect(countLines(text)).toBe(lines);
  });
});
