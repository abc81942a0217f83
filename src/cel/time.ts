/**
 * Timestamps and durations: reading, writing, and the parts of a timestamp in a time zone.
 * @see github.com/google/cel-go common/types/timestamp.go, duration.go at v0.26; Go's time.ParseDuration
 */
import { EvaluationError } from './evaluation-error.ts';
import { Duration, Instant } from './values.ts';

const SECOND = 1_000_000_000n;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds since 1970. */
const FIRST = -62_135_596_800n;
const LAST = 253_402_300_799n;
const INT_MAX = 2n ** 63n - 1n;
const UNITS = new Map<string, bigint>([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', 60n * SECOND],
  ['h', 3_600n * SECOND],
]);

/** @throws {EvaluationError} when it is before the year 1 or after 9999 */
export function instantOf(nanos: bigint): Instant {
  const seconds = nanos >= 0n ? nanos / SECOND : -((-nanos + SECOND - 1n) / SECOND);
  if (seconds < FIRST || seconds > LAST) throw new EvaluationError('timestamp overflow');
  return new Instant(nanos);
}

/** @throws {EvaluationError} when it does not fit in 64 bits of nanoseconds */
export function durationOf(nanos: bigint): Duration {
  if (nanos > INT_MAX || nanos < -INT_MAX - 1n) throw new EvaluationError('duration overflow');
  return new Duration(nanos);
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** RFC 3339; undefined for what is none. */
export function parseInstant(text: string): Instant | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const plain = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  const ms = Date.parse(plain);
  // JavaScript takes the 31st of February for the 3rd of March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== plain.slice(0, 19)) return undefined;
  const offset = zoneOffset(zone);
  if (offset === undefined) return undefined;
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  const seconds = BigInt(ms / 1000) - BigInt(offset) * 60n;
  return seconds < FIRST || seconds > LAST ? undefined : new Instant(seconds * SECOND + nanos);
}

const DURATION_PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** Go's notation, `1h30m`; undefined for what is none. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return new Duration(0n);
  if (rest === '') return undefined;
  let nanos = 0n;
  let at = 0;
  while (at < rest.length) {
    DURATION_PART.lastIndex = at;
    const part = DURATION_PART.exec(rest);
    if (part === null) return undefined;
    const [whole, number = '', unit = ''] = part;
    nanos += scaled(number, UNITS.get(unit) ?? 0n);
    at += whole.length;
    if (nanos > INT_MAX + 1n) return undefined;
  }
  if (nanos > INT_MAX && sign !== '-') return undefined;
  return new Duration(sign === '-' ? -nanos : nanos);
}

function scaled(number: string, unit: bigint): bigint {
  const [whole = '', fraction = ''] = number.split('.');
  const digits = fraction.slice(0, 18);
  const part = digits === '' ? 0n : (BigInt(digits) * unit) / 10n ** BigInt(digits.length);
  return BigInt(whole === '' ? '0' : whole) * unit + part;
}

/** `2023-01-02T03:04:05.6Z` */
export function formatInstant({ nanos }: Instant): string {
  const fraction = ((nanos % SECOND) + SECOND) % SECOND;
  const seconds = Number((nanos - fraction) / SECOND);
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
  return new Date(seconds * 1000)
    .toISOString()
    .replace(/^\+?0*(\d{4}-)/, '$1')
    .replace('.000Z', `${digits}Z`);
}

/** `3600s`, `1.5s` */
export function formatDuration({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = size % SECOND;
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
  return `${nanos < 0n ? '-' : ''}${size / SECOND}${digits}s`;
}

/** A part of a timestamp where the clock shows the time of `zone` (`UTC`, `-08:00`, `Europe/Berlin`). */
export type InstantPart = 'year' | 'month' | 'day' | 'weekday' | 'yearDay' | 'hour' | 'minute' | 'second' | 'milli';

/** @returns months, days of the week and of the year from 0, days of the month from 1 @throws {EvaluationError} */
export function partOf({ nanos }: Instant, part: InstantPart, zone = 'UTC'): bigint {
  const utcMs = Number((nanos - (((nanos % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n);
  const date = new Date(utcMs + offsetMinutes(utcMs, zone) * 60_000);
  switch (part) {
    case 'year':
      return BigInt(date.getUTCFullYear());
    case 'month':
      return BigInt(date.getUTCMonth());
    case 'day':
      return BigInt(date.getUTCDate());
    case 'weekday':
      return BigInt(date.getUTCDay());
    case 'yearDay': {
      const first = new Date(date);
      first.setUTCMonth(0, 1);
      return BigInt(Math.round((date.getTime() - first.getTime()) / 86_400_000));
    }
    case 'hour':
      return BigInt(date.getUTCHours());
    case 'minute':
      return BigInt(date.getUTCMinutes());
    case 'second':
      return BigInt(date.getUTCSeconds());
    case 'milli':
      return BigInt(date.getUTCMilliseconds());
  }
}

function offsetMinutes(utcMs: number, zone: string): number {
  if (zone === 'UTC' || zone === '') return 0;
  const fixed = zoneOffset(/^\d/.test(zone) ? `+${zone}` : zone);
  if (fixed !== undefined) return fixed;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(utcMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return zoneOffset(name.replace('GMT', '')) ?? 0;
  } catch {
    throw new EvaluationError(`unknown time zone ${zone}`);
  }
}

/** Minutes east of Greenwich; undefined for what is no offset. */
function zoneOffset(zone: string): number | undefined {
  if (/^[Zz]$/.test(zone)) return 0;
  const match = /^([+-])(\d\d):(\d\d)$/.exec(zone);
  if (match === null) return undefined;
  // As Go reads it.
  if (Number(match[2]) > 24 || Number(match[3]) > 60) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}
