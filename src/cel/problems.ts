/**
 * What is wrong with an expression, in the words and the form of cel-go: `ERROR: <input>:1:5: ...`, the line it is in,
 * and a caret below the place.
 *
 * @see github.com/google/cel-go common/error.go (ToDisplayString) at v0.26
 */

/** As many as cel-go tells of one expression. */
const MOST_PROBLEMS = 100;

export interface Problem {
  /** UTF-16 units from the start of the expression. */
  readonly at: number;
  readonly message: string;
}

/** The expression cannot be compiled. The message is what the API server says after `compilation failed: `. */
export class CompileError extends Error {
  readonly problems: readonly Problem[];

  constructor(source: string, problems: readonly Problem[]) {
    super(display(source, problems));
    this.name = 'CompileError';
    this.problems = problems;
  }
}

function display(source: string, problems: readonly Problem[]): string {
  const sorted = [...problems].sort((a, b) => a.at - b.at);
  // Of those that are shown alone: there may be one for each name of a long expression.
  const shown = sorted.slice(0, MOST_PROBLEMS).map(({ at, message }) => {
    const { line, column, text } = placeOf(source, at);
    // A tab is one column of the caret's line, and a wide character is a wide blank.
    const before = [...text].slice(0, column).map((char) => (isWide(char) ? '．' : '.'));
    const caret = isWide([...text][column] ?? '') ? '＾' : '^';
    return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text.replaceAll('\t', ' ')}\n | ${before.join('')}${caret}`;
  });
  if (sorted.length > MOST_PROBLEMS) shown.push(`${sorted.length - MOST_PROBLEMS} more errors were truncated`);
  return shown.join('\n');
}

/** @returns the line from 1, the column in code points from 0, and the line's text */
function placeOf(source: string, at: number): { line: number; column: number; text: string } {
  const start = source.lastIndexOf('\n', at - 1) + 1;
  const end = source.indexOf('\n', at);
  return {
    line: source.slice(0, start).split('\n').length,
    column: [...source.slice(start, at)].length,
    text: source.slice(start, end === -1 ? undefined : end),
  };
}

function isWide(char: string): boolean {
  return Buffer.byteLength(char) > 1;
}
