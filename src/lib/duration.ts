/** Durations as people write them in settings: `30s`, `1m30s`, `500ms`, `12h`. Inside the program they are milliseconds. */

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

/** Milliseconds; undefined when the text is no duration. A bare number is none: nobody knows its unit. */
export function parseDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(PART)) totalMs += Number(amount) * (UNITS_MS.get(unit) ?? 0);
  return Math.round(totalMs);
}
