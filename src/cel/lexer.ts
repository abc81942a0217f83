/**
 * From the text of an expression to tokens.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 */
import { unescapeBytes, unescapeText } from './escapes.ts';
import type { Problem } from './problems.ts';
import { type Constant, Uint } from './values.ts';

export interface Token {
  readonly kind: 'name' | 'quoted' | 'constant' | 'mark' | 'end';
  /** As it was written; of a quoted field name, without the quotes. */
  readonly text: string;
  readonly at: number;
  /** Of a constant. */
  readonly value?: Constant;
}

/** Thrown at the first thing that is no token. */
export class SyntaxProblem extends Error {
  readonly at: number;

  constructor({ at, message }: Problem) {
    super(message);
    this.name = 'SyntaxProblem';
    this.at = at;
  }
}

const SPACE = /[ \t\r\n\f]+|\/\/[^\n]*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const QUOTED = /`([A-Za-z0-9_.\-/ ]+)`/y;
const NUMBER = /0x[0-9a-fA-F]+[uU]?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+[uU]?/y;
const TEXT =
  /([bB]?[rR]?)("""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^\\"\n\r]|\\[^\n\r])*"|'(?:[^\\'\n\r]|\\[^\n\r])*')/y;
const RAW = /([bB]?[rR])("""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/y;
const MARK = /&&|\|\||==|!=|<=|>=|[-+*/%!<>?:,.()[\]{}]/y;
const CONSTANTS = new Map<string, Constant>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const INT_MAX = 2n ** 63n;
const UINT_MAX = 2n ** 64n;

/** @throws {SyntaxProblem} */
export function tokens(source: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  while (at < source.length) {
    const space = take(SPACE);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    const [token, length] = tokenAt(source, at, take);
    found.push(token);
    at += length;
  }
  found.push({ kind: 'end', text: '<EOF>', at: source.length });
  return found;
}

function tokenAt(source: string, at: number, take: (pattern: RegExp) => RegExpExecArray | null): [Token, number] {
  const quote = take(RAW) ?? take(TEXT);
  if (quote !== null) return [textToken(quote, at), quote[0].length];
  const number = take(NUMBER);
  if (number !== null)
    return [{ kind: 'constant', text: number[0], at, value: numberOf(number[0], at) }, number[0].length];
  const name = take(NAME);
  if (name !== null) {
    const [text] = name;
    const value = CONSTANTS.get(text);
    return [value === undefined ? { kind: 'name', text, at } : { kind: 'constant', text, at, value }, text.length];
  }
  const quoted = take(QUOTED);
  if (quoted !== null) return [{ kind: 'quoted', text: quoted[1] ?? '', at }, quoted[0].length];
  const mark = take(MARK);
  if (mark !== null) return [{ kind: 'mark', text: mark[0], at }, mark[0].length];
  const rest = /^(?:["'][^\n]*|.)/su.exec(source.slice(at))?.[0] ?? '';
  throw new SyntaxProblem({ at, message: `Syntax error: token recognition error at: '${rest}'` });
}

function textToken(match: RegExpExecArray, at: number): Token {
  const [text, prefix = '', quoted = ''] = match;
  const width = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1;
  const inner = quoted.slice(width, -width).replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const isRaw = /[rR]/.test(prefix);
  const isBytes = /[bB]/.test(prefix);
  try {
    if (isBytes) return { kind: 'constant', text, at, value: isRaw ? Buffer.from(inner) : unescapeBytes(inner) };
    return { kind: 'constant', text, at, value: isRaw ? inner : unescapeText(inner) };
  } catch (error) {
    throw new SyntaxProblem({ at, message: error instanceof Error ? error.message : String(error) });
  }
}

function numberOf(text: string, at: number): Constant {
  if (/^0x/i.test(text) || /^\d+[uU]?$/.test(text)) {
    const isUint = /[uU]$/.test(text);
    const value = BigInt(isUint ? text.slice(0, -1) : text);
    if (isUint ? value >= UINT_MAX : value > INT_MAX) {
      throw new SyntaxProblem({ at, message: isUint ? 'invalid uint literal' : 'invalid int literal' });
    }
    return isUint ? new Uint(value) : value;
  }
  const value = Number(text);
  if (!Number.isFinite(value)) throw new SyntaxProblem({ at, message: 'invalid double literal' });
  return value;
}
