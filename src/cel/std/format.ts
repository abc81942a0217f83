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
import { fixed, printFixed, printScientific } from './printed-number.ts';

const DEFAULT_PRECISION = 6;
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
  const digits = precision === undefined ? DEFAULT_PRECISION : Number(precision);
  switch (verb) {
    case 's':
      return formatAny(value);
    case 'd':
      return integerOf(value, 'decimal', 'integers').toString();
    case 'f':
      return printFixed(doubleOf(value, 'fixed-point'), digits);
    case 'e':
      return printScientific(doubleOf(value, 'scientific'), digits);
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

function doubleOf(value: Value, clause: string): number {
  const number = typeof value === 'string' ? SPECIALS.get(value) : value;
  if (typeof number !== 'number') throw wrongType(clause, 'doubles', value);
  return number;
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

/** Inside of a list or map a value is written as CEL has it. */
function quoted(value: Value): string {
  if (typeof value === 'string') return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(Buffer.from(value).toString())}`;
  if (typeof value === 'number')
    return Number.isFinite(value) ? fixed(value, DEFAULT_PRECISION) : goQuote(goSpecial(value));
  if (value instanceof Instant) return `timestamp(${goQuote(formatInstant(value))})`;
  return value instanceof Duration ? `duration(${goQuote(formatDuration(value))})` : formatAny(value);
}

function goSpecial(number: number): string {
  return Number.isNaN(number) ? 'NaN' : number > 0 ? '+Inf' : '-Inf';
}
