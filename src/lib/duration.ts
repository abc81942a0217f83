/**
 * Durations as people write them: `30s`, `1m30s`, `500ms`, `12h`, `7d`. Settings and options of the command line are read
 * by this alone. Inside the program durations are milliseconds.
 */

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** Milliseconds; undefined when the text is no duration. A bare number is none: nobody knows its unit. */
export function parseDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(PART)) totalMs += Number(amount) * (UNITS_MS.get(unit) ?? 0);
  return Math.round(totalMs);
}

/**
 * Milliseconds within bounds that are durations themselves. Where the text is none, or out of bounds, `problem` says what
 * was expected: `must be a duration from 1s to 10m, such as 30s`.
 */
export function durationWithin(
  text: string,
  min: string,
  max: string,
): { readonly ms: number } | { readonly problem: string } {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= (parseDuration(min) ?? 0) && ms <= (parseDuration(max) ?? 0)) return { ms };
  return { problem: `must be a duration from ${min} to ${max}, such as 30s or 12h` };
}
