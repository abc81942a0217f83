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

export function required(field: string, detail = ''): FieldProblem {
  return { field, reason: 'FieldValueRequired', message: withDetail('Required value', detail) };
}

/** `value` in the tenant's terms, and as the server's own types would print it. */
export function invalidValue(field: string, value: JsonValue, detail: string): FieldProblem {
  return { field, reason: 'FieldValueInvalid', message: withDetail(`Invalid value: ${printed(value)}`, detail) };
}

export function notSupported(field: string, value: string, supported: readonly string[]): FieldProblem {
  const detail = `supported values: ${supported.map(goQuote).join(', ')}`;
  return { field, reason: 'FieldValueNotSupported', message: `Unsupported value: ${goQuote(value)}: ${detail}` };
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
