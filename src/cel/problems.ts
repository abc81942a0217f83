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
  const lines = new Map<number, Line>();
  // Of those that are shown alone: there may be one for each name of a long expression.
  const shown = sorted.slice(0, MOST_PROBLEMS).map(({ at, message }) => {
    const start = source.lastIndexOf('\n', at - 1) + 1;
    const line = lines.get(start) ?? lineAt(source, start);
    lines.set(start, line);
    const column = columnOf(line, at - start);
    const caret = line.marks[column] === WIDE ? '＾' : '^';
    const place = `ERROR: <input>:${line.number}:${column + 1}: ${message}`;
    return `${place}\n | ${line.shown}\n | ${line.marks.slice(0, column)}${caret}`;
  });
  if (sorted.length > MOST_PROBLEMS) shown.push(`${sorted.length - MOST_PROBLEMS} more errors were truncated`);
  return shown.join('\n');
}

/** A line of the source, worked out once for all problems in it. */
interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** A tab is one column of the caret's line. */
  readonly shown: string;
  /** A blank for each code point, wide for wide ones. */
  readonly marks: string;
}

const WIDE = '．';

function lineAt(source: string, start: number): Line {
  const end = source.indexOf('\n', start);
  const text = source.slice(start, end === -1 ? undefined : end);
  const marks = Array.from(text, (char) => ((char.codePointAt(0) ?? 0) > 0x7f ? WIDE : '.')).join('');
  return {
    number: source.slice(0, start).split('\n').length,
    text,
    shown: text.replaceAll('\t', ' '),
    marks,
  };
}

/** In code points, from 0. @param offset in UTF-16 units */
function columnOf({ text, marks }: Line, offset: number): number {
  return marks.length === text.length ? offset : [...text.slice(0, offset)].length;
}
