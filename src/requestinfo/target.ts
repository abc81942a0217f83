/**
 * Splits a request target into decoded path segments and query parameters, and refuses every spelling that two parsers
 * could read in two ways: `//`, `.` and `..`, `;`, an escaped slash, backslash, percent sign or control character,
 * escapes of what needs none (`%61`), raw bytes outside of ASCII, and a parameter that is sent twice with two values.
 *
 * What comes out is decoded once. The upstream URL is built from it and never from the client's text.
 *
 * @see RFC 3986 section 3.3 (path) and 6.2.2 (normalization)
 */
import { ApiError } from '../errors.ts';
import type { Query } from '../exchange.ts';

export interface Target {
  /** Decoded, none of them empty, `.` or `..`. */
  readonly segments: readonly string[];
  /** True when the path ended in `/`; for `/` itself too. */
  readonly trailingSlash: boolean;
  /** What follows `?`, as sent. */
  readonly rawQuery: string;
}

export interface Parameters {
  readonly query: Query;
  /** Of parameters that may occur more than once: all values, in order. They are not in `query`. */
  readonly repeated: ReadonlyMap<string, readonly string[]>;
}

const PATH_SEGMENT = /^(?:[A-Za-z0-9\-._~!$&'()*+,=:@]|%[0-9A-F]{2})+$/;
/** Printable ASCII but `#`, which ends a URL, and `;`, which some parsers take for `&`. */
const QUERY = /^[!"$-:<-~]*$/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** Letters, digits, `-._~`: what never needs an escape. */
const NEEDLESS_ESCAPE = /%(?:2D|2E|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/;
/** Control characters, and what would be a separator or an escape once decoded: `%`, `/`, `;`, `\`. */
const UNSAFE_ESCAPE = /%(?:[01][0-9A-F]|25|2F|3B|5C|7F)/;
const CONTROL = /\p{Cc}/u;
const MAX_PARAMETERS = 100;
const NONE: ReadonlySet<string> = new Set();

/** @throws {ApiError} ERR_BAD_REQUEST when the target is not in the one accepted spelling. */
export function parseTarget(target: string): Target {
  if (!target.startsWith('/')) throw malformed('the request target must be a path that starts with "/"');
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const parts = path.slice(1).split('/');
  const trailingSlash = parts.at(-1) === '';
  if (trailingSlash) parts.pop();
  return {
    segments: parts.map(decodeSegment),
    trailingSlash,
    rawQuery: mark < 0 ? '' : target.slice(mark + 1),
  };
}

function decodeSegment(raw: string): string {
  if (raw === '') throw malformed('the path must not contain "//"');
  if (raw === '.' || raw === '..') throw malformed(`the path must not contain a "${raw}" segment`);
  if (!PATH_SEGMENT.test(raw)) {
    throw malformed('the path may hold only URL characters, with escapes as "%" and two upper-case hexadecimal digits');
  }
  if (!raw.includes('%')) return raw;
  if (UNSAFE_ESCAPE.test(raw)) throw malformed('the path must not escape "/", "\\", ";", "%" or a control character');
  if (NEEDLESS_ESCAPE.test(raw)) throw malformed('the path must not escape characters that need no escape');
  return decode(raw, 'path');
}

/**
 * @param mayRepeat parameters that may occur more than once, with different values
 * @throws {ApiError} ERR_BAD_REQUEST
 */
export function parseQuery(text: string, mayRepeat: ReadonlySet<string> = NONE): Parameters {
  const query = new Map<string, string>();
  const repeated = new Map<string, string[]>();
  if (text === '') return { query, repeated };
  if (!QUERY.test(text))
    throw malformed('the query must be printable ASCII without ";" and "#"; escape everything else');
  if (BAD_ESCAPE.test(text)) throw malformed('the query holds "%" without two hexadecimal digits');
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeParameter(equals < 0 ? pair : pair.slice(0, equals));
    const raw = equals < 0 ? '' : pair.slice(equals + 1);
    if (name === '') throw malformed('the query holds a value without a name');
    if (mayRepeat.has(name)) {
      // Words of a command: whatever is in them. The request line bounds how many there are.
      const values = repeated.get(name) ?? [];
      values.push(decode(raw.replaceAll('+', ' '), 'query'));
      repeated.set(name, values);
      continue;
    }
    const value = decodeParameter(raw);
    const earlier = query.get(name);
    if (earlier !== undefined && earlier !== value) {
      throw malformed(`the query holds ${JSON.stringify(name.slice(0, 60))} twice, with different values`);
    }
    query.set(name, value);
    if (query.size > MAX_PARAMETERS) throw malformed(`the query holds more than ${MAX_PARAMETERS} parameters`);
  }
  return { query, repeated };
}

function decodeParameter(raw: string): string {
  const text = decode(raw.replaceAll('+', ' '), 'query');
  if (CONTROL.test(text)) throw malformed('the query must not hold control characters');
  return text;
}

function decode(raw: string, where: string): string {
  try {
    return decodeURIComponent(raw);
  } catch (cause) {
    throw malformed(`the ${where} holds escapes that are not UTF-8`, cause);
  }
}

function malformed(why: string, cause?: unknown): ApiError {
  return new ApiError('ERR_BAD_REQUEST', `the request URL is malformed: ${why}`, { why: 'malformed-url', cause });
}
