/**
 * What is wrong with the fields of an object, as kube-apiserver says it in a 422.
 * @see k8s.io/apimachinery pkg/util/validation/field/errors.go at v0.36
 */
import { goQuote } from '../lib/go-quote.ts';
import type { JsonValue } from './types.ts';

export interface FieldProblem {
  /** `rules[0].verbs` */
  readonly field: string;
  readonly reason: string;
  /** Without the field. */
  readonly message: string;
}

/** What is wrong with a field, for who does not know yet where it stands. */
export type FieldFault = (field: string) => FieldProblem;

export function required(field: string, detail = ''): FieldProblem {
  return { field, reason: 'FieldValueRequired', message: withDetail('Required value', detail) };
}

/** `value` in the tenant's terms, and as the server's own types would print it. */
export function invalidValue(field: string, value: JsonValue, detail: string): FieldProblem {
  return { field, reason: 'FieldValueInvalid', message: withDetail(`Invalid value: ${printed(value)}`, detail) };
}

/** @param why of ours, before what is supported */
export function notSupported(field: string, value: JsonValue, supported: readonly string[], why = ''): FieldProblem {
  const values = `supported values: ${supported.map(goQuote).join(', ')}`;
  const detail = why === '' ? values : `${why}; ${values}`;
  return { field, reason: 'FieldValueNotSupported', message: `Unsupported value: ${printed(value)}: ${detail}` };
}

/** What a reference names is not there. */
export function notFoundValue(field: string, value: string): FieldProblem {
  return { field, reason: 'FieldValueNotFound', message: `Not found: ${goQuote(value)}` };
}

/** A value that may stand only once does so again. */
export function duplicate(field: string, value: JsonValue): FieldProblem {
  return { field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${printed(value)}` };
}

/** A list with too many items. */
export function tooMany(field: string, actual: number, max: number): FieldProblem {
  const items = max === 1 ? 'item' : 'items';
  return { field, reason: 'FieldValueTooMany', message: `Too many: ${actual}: must have at most ${max} ${items}` };
}

/** A text or map that is too large. */
export function tooLong(field: string, maxBytes: number): FieldProblem {
  const bytes = maxBytes === 1 ? 'byte' : 'bytes';
  return { field, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${maxBytes} ${bytes}` };
}

export function forbiddenField(field: string, detail: string): FieldProblem {
  return { field, reason: 'FieldValueForbidden', message: withDetail('Forbidden', detail) };
}

function printed(value: JsonValue): string {
  if (typeof value === 'string') return goQuote(value);
  // Go writes JSON so that it cannot pass for HTML.
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${detail}`;
}
