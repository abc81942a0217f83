/**
 * Durations: nanoseconds on the wire, Go's notation in JSON.
 * @see Go's time.Duration.String and time.ParseDuration
 */

const MAX_NANOS = 2n ** 63n - 1n;
const MIN_NANOS = -MAX_NANOS - 1n;
const NANOS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
/** What is less than a second is written in the largest unit that is not more. */
const BELOW_A_SECOND: readonly string[] = ['ms', 'µs', 'ns'];
const SECOND = 1_000_000_000n;
const WHOLE = /^([-+]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PART = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g;

/** `1h2m3.5s`, `20.1s`, `15ms`, `0s` */
export function durationToText(nanos: bigint): string {
  if (nanos < 0n) return `-${durationToText(-nanos)}`;
  if (nanos === 0n) return '0s';
  if (nanos < SECOND) {
    const unit = BELOW_A_SECOND.find((name) => nanos >= nanosIn(name)) ?? 'ns';
    return decimal(nanos, nanosIn(unit)) + unit;
  }
  const minutes = nanos / nanosIn('m');
  const seconds = `${decimal(nanos % nanosIn('m'), SECOND)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Nanoseconds; undefined for what is no duration, or does not fit in 64 bits. */
export function textToDuration(text: string): bigint | undefined {
  if (text === '0') return 0n;
  const [, sign, parts] = WHOLE.exec(text) ?? [];
  if (parts === undefined) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of parts.matchAll(PART)) {
    const of = nanosIn(unit);
    nanos += BigInt(whole || 0) * of + (BigInt(fraction || 0) * of) / 10n ** BigInt(fraction.length);
  }
  const signed = sign === '-' ? -nanos : nanos;
  return signed < MIN_NANOS || signed > MAX_NANOS ? undefined : signed;
}

function nanosIn(unit: string): bigint {
  return NANOS.get(unit) ?? 1n;
}

/** Without zeros at the end. */
function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return fraction === '' || unit === 1n ? `${value / unit}` : `${value / unit}.${fraction}`;
}
