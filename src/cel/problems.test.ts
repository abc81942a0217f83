import { describe, expect, it } from 'vitest';
import { CompileError, type Problem } from './problems.ts';

describe('problems of an expression', () => {
  it('are told where they are, in order, with a caret below each', () => {
    const error = new CompileError('a +\n\tü😀 + b', [
      { at: 10, message: 'second' },
      { at: 0, message: 'first' },
    ]);
    expect(error.message.split('\n')).toEqual([
      'ERROR: <input>:1:1: first',
      ' | a +',
      ' | ^',
      'ERROR: <input>:2:6: second',
      ' |  ü😀 + b',
      ' | .．．..^',
    ]);
  });

  it('are worked out for those alone that are shown', () => {
    let looked = 0;
    const problem = (at: number): Problem => ({
      at,
      get message() {
        looked += 1;
        return `p${at}`;
      },
    });
    const error = new CompileError(
      'x'.repeat(500),
      Array.from({ length: 500 }, (_, at) => problem(499 - at)),
    );
    expect(looked).toBe(100);
    expect(error.message).toContain('400 more errors were truncated');
    expect(error.message).toContain('p0\n');
    expect(error.message).not.toContain('p100\n');
  });
});
