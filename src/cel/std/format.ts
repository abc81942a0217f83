/**
 * `'%d of %s'.format([1, 'x'])`
 * @see github.com/google/cel-go ext/formatting.go (version 2 of the strings extension) at v0.26
 */
import { goQuote } from '../../lib/go-quote.ts';
import type { CallContext } from '../environment.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { runtimeType } from '../runtime-type.ts';
import { formatDouble } from '../text.ts';
import { formatDuration, formatInstant } from '../time.ts';
import { nameOfType } from '../types.ts';
import { Duration, Instant, ListValue, MapValue, TypeValue, Uint, type Value } from '../values.ts';

const DEFAULT_PRECISION = 6;
/** JavaScript's own limit of toFixed; nobody asks for more. */
const MAX_PRECISION = 100;
export const CLAUSE = /%(?:(%)|(?:\.(\d+))?([a-zA-Z])|([\s\S]|$))/g;

/** @throws {EvaluationError} */
export function formatText(format: string, args: readonly Value[], context: CallContext): string {
  let next = 0;
  return format.replace(CLAUSE, (_clause, percent, precision, verb, other) => {
    if (percent !== undefined) return '%';
    if (other === '') throw new EvaluationError('unexpected end of string');
    if (other !== undefined)
      throw new EvaluationError(`could not parse formatting clause: unrecognized formatting clause "${other}"`);
    const index = next;
    next += 1;
    if (index >= args.length) throw new EvaluationError(`index ${index} out of range`);
    const text = formatClause(verb, precision, args[index] as Value);
    context.spend(text.length * 0.1);
    return text;
  });
}

function formatClause(verb: string, precision: string | undefined, value: Value): string {
  const digits = Math.min(precision === undefined ? DEFAULT_PRECISION : Number(precision), MAX_PRECISION);
  switch (verb) {
    case 's':
      return formatAny(value);
    case 'd':
      return integerOf(value, 'decimal', 'integers').toString();
    case 'f':
      return withSpecials(value, 'fixed-point', (number) => number.toFixed(digits));
    case 'e':
      return withSpecials(value, 'scientific', (number) =>
        number.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2'),
      );
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integerOf(value, 'binary', 'integers and bools').toString(2);
    case 'o':
      return integerOf(value, 'octal', 'integers').toString(8);
    case 'x':
      return hexOf(value);
    case 'X':
      return hexOf(value).toUpperCase();
    default:
      throw new EvaluationError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function hexOf(value: Value): string {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value as string).toString('hex');
  return integerOf(value, 'hex', 'integers, byte buffers, and strings').toString(16);
}

function integerOf(value: Value, clause: string, allowed: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  throw wrongType(clause, allowed, value);
}

function withSpecials(value: Value, clause: string, format: (number: number) => string): string {
  const number = typeof value === 'string' ? SPECIALS.get(value) : value;
  if (typeof number !== 'number') throw wrongType(clause, 'doubles', value);
  if (Number.isFinite(number)) return format(number);
  return Number.isNaN(number) ? 'NaN' : number > 0 ? '∞' : '-∞';
}

const SPECIALS = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

function wrongType(clause: string, allowed: string, value: Value): EvaluationError {
  const name = nameOfType(runtimeType(value));
  return new EvaluationError(
    `error during formatting: ${clause} clause can only be used on ${allowed}, was given ${name}`,
  );
}

function formatAny(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return formatDouble(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Instant) return formatInstant(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return nameOfType({ ...value.type, params: [] });
  if (value instanceof ListValue) return `[${value.items.map(quoted).join(', ')}]`;
  if (value instanceof MapValue) {
    const pairs = value.keys().map((key) => `${quoted(key)}:${quoted(value.get(key) as Value)}`);
    return `{${pairs.sort().join(', ')}}`;
  }
  throw wrongType(
    'string',
    'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  );
}

function quoted(value: Value): string {
  if (typeof value === 'string') return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(Buffer.from(value).toString())}`;
  if (typeof value === 'number' && !Number.isFinite(value)) return goQuote(formatDouble(value));
  return value instanceof Instant ? `timestamp(${goQuote(formatInstant(value))})` : formatAny(value);
}
