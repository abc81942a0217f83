/** Option values: parsed once, refused with what was expected. */
import { InvalidArgumentError, Option } from 'commander';
import { type ListenAddress, SETTINGS } from '../config/settings.ts';
import { durationWithin, parseDuration } from '../lib/duration.ts';

/** An option whose value is a duration: milliseconds for the program, `12h` in the help. */
export function durationOption(flags: string, help: string, preset: string, max: string): Option {
  return new Option(flags, `${help}; at most ${max}`)
    .argParser((text) => duration(text, max))
    .default(parseDuration(preset), preset);
}

/** `90s`, `1h30m`, `7d` -> milliseconds, from one second up. */
function duration(text: string, max: string): number {
  const read = durationWithin(text, '1s', max);
  if ('ms' in read) return read.ms;
  throw new InvalidArgumentError(`It ${read.problem}.`);
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

export function listenAddress(text: string): ListenAddress {
  const read = SETTINGS.listen.schema.safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError(read.error.issues.map(({ message }) => message).join('; '));
}

/** `kubeveil-system/kubeveil:443` */
export function serviceName(text: string): { namespace: string; name: string; port: number } {
  const [, namespace, name, number = ''] = /^([a-z0-9-]+)\/([a-z0-9-]+):(\d+)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined)
    throw new InvalidArgumentError('expected namespace/name:port of a Service.');
  return { namespace, name, port: port(number) };
}
