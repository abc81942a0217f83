/** How messages write a value: cel-go's `%v`. */
import { formatDuration, formatInstant } from './time.ts';
import { nameOfType } from './types.ts';
import { Duration, Instant, ListValue, MapValue, Opaque, Optional, TypeValue, Uint, type Value } from './values.ts';

export function textOf(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return formatDouble(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Instant) return formatInstant(value);
  if (value instanceof TypeValue) return nameOfType(value.type);
  if (value instanceof Optional)
    return value.value === undefined ? 'optional.none()' : `optional(${textOf(value.value)})`;
  if (value instanceof ListValue) return `[${value.items.map(textOf).join(', ')}]`;
  if (value instanceof MapValue) {
    return `{${value
      .keys()
      .map((key) => `${textOf(key)}: ${textOf(value.get(key) ?? null)}`)
      .join(', ')}}`;
  }
  return value instanceof Opaque ? value.typeName : '';
}

/** As Go's `%g` with as many digits as are needed: `1e+21`, `1e-07`, `+Inf`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const magnitude = Math.abs(value);
  const plain = magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e21);
  const text = plain ? String(value) : value.toExponential();
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
