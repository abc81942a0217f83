/** Option values: parsed once, refused with what was expected. */
import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `12h`, `7d` -> milliseconds. */
export function duration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  const ms = match === null ? 0 : Number(match[1]) * (UNIT_MS[match[2] as string] as number);
  if (ms === 0) throw new InvalidArgumentError('expected a number and a unit, such as 90s, 30m, 12h or 7d.');
  return ms;
}

export function port(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535)
    throw new InvalidArgumentError('expected a port, 0 to 65535 (0: any free one).');
  return value;
}

export function count(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('expected a whole number.');
  return Number(text);
}
