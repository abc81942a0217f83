/** `getHours()` and its like. */
import { declare, member } from '../declare.ts';
import type { FunctionDeclaration, Overload } from '../environment.ts';
import { type InstantPart, partOf } from '../time.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../types.ts';
import type { Duration, Instant } from '../values.ts';

function parts(name: string, part: InstantPart, from: bigint, ofDuration?: bigint): FunctionDeclaration {
  const overloads: Overload[] = [
    member(`timestamp_to_${name}`, [TIMESTAMP], INT, (value: Instant) => partOf(value, part) + from),
    member(
      `timestamp_to_${name}_with_tz`,
      [TIMESTAMP, STRING],
      INT,
      (value: Instant, zone: string) => partOf(value, part, zone) + from,
    ),
  ];
  if (ofDuration !== undefined) {
    overloads.push(member(`duration_to_${name}`, [DURATION], INT, ({ nanos }: Duration) => nanos / ofDuration));
  }
  return declare(name, overloads);
}

const MILLI = 1_000_000n;

export const TIME_PARTS: readonly FunctionDeclaration[] = [
  parts('getFullYear', 'year', 0n),
  parts('getMonth', 'month', 0n),
  parts('getDayOfYear', 'yearDay', 0n),
  parts('getDayOfMonth', 'day', -1n),
  parts('getDate', 'day', 0n),
  parts('getDayOfWeek', 'weekday', 0n),
  parts('getHours', 'hour', 0n, 3_600_000n * MILLI),
  parts('getMinutes', 'minute', 0n, 60_000n * MILLI),
  parts('getSeconds', 'second', 0n, 1_000n * MILLI),
  parts('getMilliseconds', 'milli', 0n, MILLI),
];
