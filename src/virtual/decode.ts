/**
 * Is every field of the type that the native kind has? The API server cannot read an object into its Go type otherwise,
 * and says so with 400; a custom resource's schema would say it later, with 422. Fields that are not known are left to
 * upstream, which prunes or refuses them as the client asked.
 *
 * @see k8s.io/apimachinery pkg/runtime/serializer/json/json.go at v0.36
 */
import { rawNumberText } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { PatchSchema } from './patch-schema.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** @throws {ApiError} ERR_BAD_REQUEST for the first field of a wrong type */
export function checkTypes(object: JsonObject, schema: PatchSchema): void {
  const fault = faultIn(object, schema, '');
  if (fault === undefined) return;
  const [group = '', version = ''] = String(object['apiVersion'] ?? '').split('/');
  const kind = String(object['kind'] ?? '');
  throw new ApiError(
    'ERR_BAD_REQUEST',
    `${kind} in version "${version === '' ? group : version}" cannot be handled as a ${kind}: ${fault}`,
  );
}

function faultIn(value: JsonValue, schema: PatchSchema, path: string): string | undefined {
  if (value === null) return undefined;
  const { type, fields, items, format } = schema;
  if (type !== undefined && !isOf(value, type)) {
    return `json: cannot unmarshal ${nameOf(value)} into field ${path.slice(1)} of type ${type}`;
  }
  if (format !== undefined && !hasFormat(value, format)) {
    return `json: cannot unmarshal ${nameOf(value)} into field ${path.slice(1)} of format ${format}`;
  }
  if (Array.isArray(value) && items !== undefined) {
    return first(value, (item, at) => faultIn(item, items, `${path}[${at}]`));
  }
  if (!isObject(value)) return undefined;
  return first(Object.entries(value), ([key, inner]) => {
    const below = fields === undefined ? schema.values : Object.hasOwn(fields, key) ? fields[key] : undefined;
    return below === undefined ? undefined : faultIn(inner, below, `${path}.${key}`);
  });
}

function first<T>(items: readonly T[], judge: (item: T, at: number) => string | undefined): string | undefined {
  for (const [at, item] of items.entries()) {
    const fault = judge(item, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Numbers that JavaScript would change are kept as text. */
function isOf(value: JsonValue, type: string): boolean {
  const raw = rawNumberText(value);
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value) && raw === undefined;
    case 'integer':
      return raw === undefined ? Number.isInteger(value) : /^-?\d+$/.test(raw);
    case 'number':
      return typeof value === 'number' || raw !== undefined;
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return typeof value === 'string';
  }
}

function hasFormat(value: JsonValue, format: string): boolean {
  switch (format) {
    case 'int32': {
      const whole = Number(rawNumberText(value) ?? value);
      return whole >= -(2 ** 31) && whole < 2 ** 31;
    }
    case 'byte':
      return typeof value === 'string' && BASE64.test(value.replaceAll(/[\r\n]/g, ''));
    case 'date-time':
      return typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value));
    default:
      return true;
  }
}

function nameOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || rawNumberText(value) !== undefined) return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
