/**
 * Kubernetes times: seconds and nanoseconds on the wire, RFC 3339 in UTC in JSON. Year 1 is Go's zero time and null.
 *
 * Refuses years that RFC 3339 cannot write (outside 0000..9999).
 *
 * @see k8s.io/apimachinery pkg/apis/meta/v1/{time,micro_time}_proto.go at v0.36
 */

/** 0001-01-01T00:00:00Z: the zero value of Go's time.Time. */
const ZERO_TIME_S = -62_135_596_800;
/** 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const MIN_S = -62_167_219_200;
const MAX_S = 253_402_300_799;

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,](\d+))?(?:Z|[+-]\d\d:\d\d)$/;

export interface Timestamp {
  seconds: number;
  nanos: number;
}

// Objects of one list were often made in the same second.
let lastSeconds = Number.NaN;
let lastText = '';

/** RFC 3339 text with seconds; null for the zero time; undefined when the time has no such text. */
export function timeToText(seconds: number | bigint): string | null | undefined {
  if (seconds === ZERO_TIME_S) {
    return null;
  }
  if (seconds === lastSeconds) {
    return lastText;
  }
  if (!isWritable(seconds)) {
    return undefined;
  }
  lastSeconds = seconds;
  lastText = `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
  return lastText;
}

/** RFC 3339 text with exactly six digits of a second; null for the zero time; undefined when there is no such text. */
export function microTimeToText(seconds: number | bigint, nanos: number): string | null | undefined {
  // Go keeps whole microseconds (towards zero) and carries what is negative or beyond a second.
  const micros = Math.trunc(nanos / 1000);
  const carry = Math.floor(micros / 1_000_000);
  const rest = micros - carry * 1_000_000;
  const whole = typeof seconds === 'number' ? seconds + carry : seconds;
  if (whole === ZERO_TIME_S && rest === 0) {
    return null;
  }
  if (!isWritable(whole)) {
    return undefined;
  }
  return `${new Date(whole * 1000).toISOString().slice(0, 19)}.${String(rest).padStart(6, '0')}Z`;
}

/** Seconds and nanoseconds of an RFC 3339 text, in whole microseconds; undefined when it is none. */
export function textToTimestamp(text: string): Timestamp | undefined {
  const match = RFC3339.exec(text);
  if (match === null) {
    return undefined;
  }
  const fraction = match[1];
  const millis = Date.parse(fraction === undefined ? text : text.replace(/[.,]\d+/, ''));
  if (Number.isNaN(millis)) {
    return undefined;
  }
  const micros = fraction === undefined ? 0 : Number(fraction.slice(0, 6).padEnd(6, '0'));
  return { seconds: millis / 1000, nanos: micros * 1000 };
}

/** Go's zero time is written as an empty message. */
export function isZeroTime(time: Timestamp): boolean {
  return time.seconds === ZERO_TIME_S && time.nanos === 0;
}

function isWritable(seconds: number | bigint): seconds is number {
  return typeof seconds === 'number' && seconds >= MIN_S && seconds <= MAX_S;
}
