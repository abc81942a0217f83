/**
 * JSON without loss: every digit of every number survives, `__proto__` is a key like any other, depth is bounded.
 *
 * Most documents hold no number that JavaScript would change, and take the plain parser; the others take a reviver that
 * keeps such numbers as text (`JSON.rawJSON`). Of a key that stands twice the last value counts, as in kube-apiserver.
 * Refuses what is not UTF-8, not JSON, or nested deeper than the cap.
 *
 * @see https://github.com/tc39/proposal-json-parse-with-source
 */
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

/** Levels of arrays and objects. CRD schemas come nearest, with less than a hundred. */
export const MAX_JSON_DEPTH = 1_000;

/** The part of `JSON` that the compiler's library does not declare yet. */
interface JsonWithSource {
  rawJSON(text: string): JsonValue;
  isRawJSON(value: unknown): boolean;
  parse(text: string, reviver: (key: string, value: JsonValue, context: { source?: string }) => JsonValue): JsonValue;
}

const json = JSON as unknown as JsonWithSource;

/**
 * A number, where numbers stand (after a key, `[` or `,`), that may not print as it was written. Text inside strings
 * can match too: then the slow path is taken for nothing. At the very start of a document a number stands alone.
 */
const DELICATE = /(?:^|"[ \t\r\n]*:|[[,])[ \t\r\n]*(?:-0|-?\d{16}|-?\d+[.eE])/;

/** The text is not JSON, not UTF-8, or too deep. The message is fit for the sender of the document. */
export class JsonSyntaxError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JsonSyntaxError';
  }
}

export interface ParseOptions {
  /** Levels of nesting; `Infinity` skips the check, for documents that were checked before. */
  maxDepth?: number;
}

/**
 * Parses a document. Bytes must be UTF-8 without a byte order mark.
 * @throws {JsonSyntaxError}
 */
export function parseJson(document: Uint8Array | string, options: ParseOptions = {}): JsonValue {
  const text = typeof document === 'string' ? document : decode(document);
  const maxDepth = options.maxDepth ?? MAX_JSON_DEPTH;
  if (text.length > 2 * maxDepth) checkDepth(text, maxDepth);
  try {
    return DELICATE.test(text) ? json.parse(text, keepDigits) : (JSON.parse(text) as JsonValue);
  } catch (cause) {
    throw new JsonSyntaxError(`the document is not valid JSON: ${explain(cause)}`, { cause });
  }
}

/**
 * A document that is an object, as every answer of the host and every event of a watch is.
 * @throws {JsonSyntaxError} also when it is another value
 */
export function readObject(document: Uint8Array | string): JsonObject {
  const value = parseJson(document, { maxDepth: Number.POSITIVE_INFINITY });
  if (isObject(value)) return value;
  throw new JsonSyntaxError('the document is no JSON object');
}

/**
 * The document as text; numbers that were kept as text print as they were written.
 * @throws {JsonSyntaxError} when the value is nested too deep to print
 */
export function stringifyJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new JsonSyntaxError('the document is nested too deep', { cause });
  }
}

/** The text of a number that a JavaScript number cannot hold; undefined for any other value. */
export function rawNumberText(value: JsonValue): string | undefined {
  return json.isRawJSON(value) ? (value as { rawJSON: string }).rawJSON : undefined;
}

/** A deep copy. `structuredClone` throws on numbers that are kept as text; these are immutable and shared. */
export function cloneJson<T extends JsonValue>(value: T): T;
export function cloneJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => cloneJson(item));
  if (!isObject(value)) return value;
  // Not by assignment: `__proto__` is a key like any other.
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, cloneJson(entry)]));
}

function keepDigits(_key: string, value: JsonValue, context: { source?: string }): JsonValue {
  if (typeof value !== 'number' || context.source === undefined || String(value) === context.source) return value;
  return json.rawJSON(context.source);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new JsonSyntaxError('the document is not valid UTF-8', { cause });
  }
}

function explain(cause: unknown): string {
  if (cause instanceof RangeError) return 'nested too deep';
  if (!(cause instanceof SyntaxError)) return 'unreadable';
  // V8 quotes a part of the document, which may be a secret on its way to a log.
  return cause.message.replace(/, (?:\.\.\.)?"[\s\S]*$/, '');
}

function checkDepth(text: string, maxDepth: number): void {
  if (maxDepth === Number.POSITIVE_INFINITY) return;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) throw new JsonSyntaxError(`the document is nested deeper than ${maxDepth} levels`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

/** Index of the quote that ends the string which starts at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
