/**
 * Checks of single fields that validations are made of. Fields of a wrong type read as empty: they are refused before,
 * when the object is decoded.
 */
import { rawNumberText } from '../codec/json.ts';
import { type FieldProblem, invalidValue, notSupported, required } from '../k8s/field-problems.ts';
import { labelKeyProblems, type NameRule, nameProblems } from '../k8s/name-rules.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

/** The list at `key`, each entry at its place: what is no object is an empty one, as the native kind would read it. */
export function list(object: JsonObject, key: string): JsonObject[] {
  return values(object, key).map((item) => (isObject(item) ? item : {}));
}

/** The texts of the list at `key`, each at its place. */
export function words(object: JsonObject, key: string): string[] {
  return values(object, key).map((item) => (typeof item === 'string' ? item : ''));
}

export function values(object: JsonObject, key: string): JsonValue[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

/** False for what is left out, or null. */
export function isSet(object: JsonObject, key: string): boolean {
  return (object[key] ?? null) !== null;
}

/** The number at `key`; undefined when there is none. */
export function number(object: JsonObject, key: string): number | undefined {
  const value = object[key] ?? null;
  if (typeof value === 'number') return value;
  const raw = rawNumberText(value);
  return raw === undefined ? undefined : Number(raw);
}

/** A text that must follow the rule; an empty one too. */
export function nameFaults(field: string, name: string, rule: NameRule): FieldProblem[] {
  return nameProblems(name, rule).map((problem) => invalidValue(field, name, problem));
}

/** The same, and must be there. */
export function requiredName(field: string, name: string, rule: NameRule): FieldProblem[] {
  return name === '' ? [required(field)] : nameFaults(field, name, rule);
}

/** `[prefix/]name`, as a label key. */
export function qualifiedNameFaults(field: string, name: string): FieldProblem[] {
  return labelKeyProblems(name).map((problem) => invalidValue(field, name, problem));
}

/** One of some words, as they are listed; undefined is not judged. */
export function wordFaults(field: string, value: JsonValue | undefined, allowed: readonly string[]): FieldProblem[] {
  if (value === undefined || value === null || (typeof value === 'string' && allowed.includes(value))) return [];
  return [notSupported(field, String(value), allowed)];
}
