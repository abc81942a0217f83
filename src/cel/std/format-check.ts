/**
 * `format` with a constant text and a literal list: each clause must be there, be known, and fit its argument.
 * @see github.com/google/cel-go ext/formatting.go (stringFormatValidator) at v0.26
 */
import type { CallNode, Expr } from '../ast.ts';
import type { Problem } from '../problems.ts';
import { nameOfType, type Type } from '../types.ts';
import { CLAUSE } from './format.ts';

const STRINGS = [
  'list',
  'map',
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'timestamp',
  'bytes',
  'duration',
  'type',
  'null',
];

/** By verb: which kinds of arguments it takes, and how that is said. */
const VERBS: Readonly<Record<string, readonly [clause: string, allowed: string, kinds: readonly string[]]>> = {
  s: ['string', 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps', STRINGS],
  d: ['decimal', 'integers', ['int', 'uint']],
  f: ['fixed-point', 'doubles', ['double', 'string']],
  e: ['scientific', 'doubles', ['double', 'string']],
  b: ['binary', 'integers and bools', ['int', 'uint', 'bool']],
  o: ['octal', 'integers', ['int', 'uint']],
  x: ['hex', 'integers, byte buffers, and strings', ['int', 'uint', 'string', 'bytes']],
  X: ['hex', 'integers, byte buffers, and strings', ['int', 'uint', 'string', 'bytes']],
};

/** The first fault. */
export function checkFormat(call: CallNode, typeOf: (node: Expr) => Type): Problem[] {
  const [list] = call.args;
  const { target } = call;
  if (list?.is !== 'list' || target?.is !== 'const' || typeof target.value !== 'string') return [];
  let next = 0;
  for (const [, percent, , verb, other] of target.value.matchAll(CLAUSE)) {
    if (percent !== undefined) continue;
    if (other === '') return [{ at: call.at, message: 'unexpected end of string' }];
    const rule = verb === undefined ? undefined : VERBS[verb];
    const arg = list.elements[next];
    if (arg === undefined) return [{ at: call.at, message: `index ${next} out of range` }];
    if (rule === undefined) {
      const message = `could not parse formatting clause: unrecognized formatting clause "${verb ?? other}"`;
      return [{ at: call.at, message }];
    }
    next += 1;
    const [clause, allowed, kinds] = rule;
    const type = typeOf(arg);
    if (type.kind === 'dyn' || type.kind === 'error' || kinds.includes(type.kind)) continue;
    const given = nameOfType({ ...type, params: [] });
    const why =
      clause === 'hex' ? `only ${allowed} can be formatted as hex` : `${clause} clause can only be used on ${allowed}`;
    return [{ at: arg.at, message: `error during formatting: ${why}, was given ${given}` }];
  }
  if (list.elements.length <= next) return [];
  const message = `too many arguments supplied to string.format (expected ${next}, got ${list.elements.length})`;
  return [{ at: call.at, message }];
}
