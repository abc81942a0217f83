/**
 * Functions of texts: CEL's own and version 2 of the strings extension.
 * @see github.com/google/cel-go ext/strings.go at v0.26
 */
import { goQuote } from '../../lib/go-quote.ts';
import { byCodePoint, codePoints, slicePoints } from '../code-points.ts';
import { matchCost, sizeOf, textCost, traversalCost } from '../cost.ts';
import { both, declare, member, overload, spending } from '../declare.ts';
import type { CallContext, FunctionDeclaration } from '../environment.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { compilePattern } from '../pattern.ts';
import { BOOL, INT, listOf, STRING } from '../types.ts';
import { ListValue, type Value } from '../values.ts';
import { formatText } from './format.ts';

const TEXTS = listOf(STRING);
const outOfRange = (index: bigint) => new EvaluationError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): string {
  const points = byCodePoint(text);
  if (index < 0n || index > BigInt(points.length)) throw outOfRange(index);
  return points[Number(index)] ?? '';
}

function indexOf(text: string, part: string, offset: bigint): bigint {
  if (part === '') return offset;
  if (offset < 0n) throw outOfRange(offset);
  const from = Number(offset);
  if (from >= codePoints(text)) return -1n;
  const skipped = slicePoints(text, 0, from).length;
  const found = text.indexOf(part, skipped);
  return found === -1 ? -1n : BigInt(codePoints(text.slice(0, found)));
}

function lastIndexOf(text: string, part: string, offset?: bigint): bigint {
  const size = codePoints(text);
  if (part === '') return offset ?? BigInt(size);
  if (offset !== undefined && offset < 0n) throw outOfRange(offset);
  if (offset !== undefined && offset >= BigInt(size)) return -1n;
  const from = offset === undefined ? text.length : slicePoints(text, 0, Number(offset)).length;
  const found = text.lastIndexOf(part, from);
  return found === -1 ? -1n : BigInt(codePoints(text.slice(0, found)));
}

function substring(text: string, start: bigint, end?: bigint): string {
  const size = BigInt(codePoints(text));
  if (end !== undefined && start > end) {
    throw new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  for (const index of [start, end ?? 0n]) if (index < 0n || index > size) throw outOfRange(index);
  return slicePoints(text, Number(start), end === undefined ? undefined : Number(end));
}

/** Go's strings.Replace: an empty `old` stands before each character and at the end. */
function replace([text, old, next, limit = -1n]: readonly Value[], context: CallContext): Value {
  const [whole, from, to] = [text, old, next] as [string, string, string];
  const most = (limit as bigint) < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  const pieces = split(whole, from, most === Number.POSITIVE_INFINITY ? most : most + 1);
  const places = from === '' ? Math.min(codePoints(whole) + 1, most) : pieces.length - 1;
  // What it will be is paid for before it is made.
  context.spend((whole.length + places * to.length) * 0.1);
  if (from !== '') return pieces.join(to);
  const points = [...whole];
  const spread = points.map((point, index) => (index < places ? to + point : point)).join('');
  return places > points.length ? spread + to : spread;
}

/** Go's strings.SplitN. */
function split(text: string, separator: string, limit: number): string[] {
  if (limit === 0) return [];
  const pieces = separator === '' ? [...text] : text.split(separator);
  if (pieces.length <= limit) return pieces;
  return [...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(separator)];
}

const splitText = (text: string, separator: string, limit = -1n): Value =>
  new ListValue(split(text, separator, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)));

function join([list, separator = '']: readonly Value[], context: CallContext): Value {
  const { items } = list as ListValue;
  let size = 0;
  for (const item of items) {
    if (typeof item !== 'string') throw new EvaluationError('no such overload');
    size += item.length + (separator as string).length;
  }
  context.spend(size * 0.1);
  return items.join(separator as string);
}

const lower = (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase());
// As Go's TrimSpace. A pattern for the end of a text would look for it at every space.
const SPACE = /^[\t\n\v\f\r \u0085\u00a0\p{Zs}\u2028\u2029]$/u;

function trim(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && SPACE.test(text[from] as string)) from += 1;
  while (to > from && SPACE.test(text[to - 1] as string)) to -= 1;
  return text.slice(from, to);
}

const TEXT2 = [STRING, STRING];

export const STRINGS: readonly FunctionDeclaration[] = [
  declare(
    'contains',
    [member('contains_string', TEXT2, BOOL, (text: string, part: string) => text.includes(part))],
    ([text, part]) => textCost(text) * textCost(part),
  ),
  declare(
    'startsWith',
    [member('starts_with_string', TEXT2, BOOL, (text: string, part: string) => text.startsWith(part))],
    ([text]) => textCost(text),
  ),
  declare(
    'endsWith',
    [member('ends_with_string', TEXT2, BOOL, (text: string, part: string) => text.endsWith(part))],
    ([text]) => textCost(text),
  ),
  declare(
    'matches',
    both('matches', TEXT2, BOOL, (text: string, pattern: string) => compilePattern(pattern).test(text)),
    ([text, pattern]) => matchCost(text, sizeOf(pattern)),
  ),
  declare('charAt', [member('string_char_at_int', [STRING, INT], STRING, charAt)]),
  declare(
    'indexOf',
    [
      member('string_index_of_string', TEXT2, INT, (text: string, part: string) => indexOf(text, part, 0n)),
      member('string_index_of_string_int', [...TEXT2, INT], INT, indexOf),
    ],
    ([text]) => traversalCost(text),
  ),
  declare(
    'lastIndexOf',
    [
      member('string_last_index_of_string', TEXT2, INT, lastIndexOf),
      member('string_last_index_of_string_int', [...TEXT2, INT], INT, lastIndexOf),
    ],
    ([text]) => traversalCost(text),
  ),
  declare('lowerAscii', [member('string_lower_ascii', [STRING], STRING, lower)], ([text]) => textCost(text)),
  declare('upperAscii', [member('string_upper_ascii', [STRING], STRING, upper)], ([text]) => textCost(text)),
  declare('trim', [member('string_trim', [STRING], STRING, trim)], ([text]) => textCost(text)),
  declare(
    'replace',
    [
      spending(
        member('string_replace_string_string', [...TEXT2, STRING], STRING, () => null),
        replace,
      ),
      spending(
        member('string_replace_string_string_int', [...TEXT2, STRING, INT], STRING, () => null),
        replace,
      ),
    ],
    ([text]) => textCost(text, 2),
  ),
  declare(
    'split',
    [
      member('string_split_string', TEXT2, TEXTS, splitText),
      member('string_split_string_int', [...TEXT2, INT], TEXTS, splitText),
    ],
    ([text]) => textCost(text, 2),
  ),
  declare(
    'substring',
    [
      member('string_substring_int', [STRING, INT], STRING, substring),
      member('string_substring_int_int', [STRING, INT, INT], STRING, substring),
    ],
    ([text]) => textCost(text),
  ),
  declare(
    'join',
    [
      spending(
        member('list_join', [TEXTS], STRING, () => null),
        join,
      ),
      spending(
        member('list_join_string', [TEXTS, STRING], STRING, () => null),
        join,
      ),
    ],
    (_args, result) => textCost(result, 2),
  ),
  declare('strings.quote', [overload('strings_quote', [STRING], STRING, goQuote)], ([text]) => textCost(text)),
  declare(
    'format',
    [
      spending(
        member('string_format', [STRING, listOf({ kind: 'dyn', name: 'dyn', params: [] })], STRING, () => null),
        ([text, list], context) => formatText(text as string, (list as ListValue).items, context),
      ),
    ],
    ([text]) => textCost(text),
  ),
];
