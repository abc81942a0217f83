/**
 * Regular expressions in RE2's syntax, matched in time linear in the text: JavaScript's own could take for ever on what
 * a tenant writes.
 */
import { RE2JS } from 're2js';
import { EvaluationError } from './evaluation-error.ts';

/** Compiled before, by pattern. The oldest goes first. */
const KNOWN = new Map<string, Pattern>();
const MOST_KNOWN = 500;

/** Longer patterns are refused: what they compile to grows with them. */
const MAX_PATTERN_UNITS = 10_000;

export interface Pattern {
  /** Is there a match anywhere in the text? */
  test(text: string): boolean;
  /** The first match. */
  find(text: string): string | undefined;
  /** At most so many matches; all of them where it is negative. */
  findAll(text: string, limit: number): string[];
}

/** @throws {EvaluationError} for what is no pattern */
export function compilePattern(source: string): Pattern {
  const known = KNOWN.get(source);
  if (known !== undefined) return known;
  const compiled = compile(source);
  if (KNOWN.size >= MOST_KNOWN) KNOWN.delete(KNOWN.keys().next().value as string);
  KNOWN.set(source, compiled);
  return compiled;
}

function compile(source: string): Pattern {
  if (source.length > MAX_PATTERN_UNITS) throw new EvaluationError('error parsing regexp: expression too large');
  const re2 = parsed(source);
  function* matches(text: string): Generator<string> {
    const matcher = re2.matcher(text);
    while (matcher.find()) yield matcher.group() ?? '';
  }
  return {
    test: (text) => re2.matcher(text).find(),
    find: (text) => matches(text).next().value ?? undefined,
    findAll: (text, limit) => [...(limit < 0 ? matches(text) : matches(text).take(limit))],
  };
}

function parsed(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    throw new EvaluationError(error instanceof Error ? error.message : String(error));
  }
}
