/**
 * How much one object may give to compile. Expressions are compiled when they are written and when they are first run, in
 * the one process that serves all tenants; kube-apiserver has no bound but that of its bodies.
 */
import { type FieldProblem, tooLong, tooMany } from '../../k8s/field-problems.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';

const TEXTS = new Set(['expression', 'messageExpression', 'valueExpression']);
const MAX_COUNT = 1_000;
/** Compiled in some tens of milliseconds. */
const MAX_BYTES = 64 * 1024;

export function expressionVolumeProblems(object: JsonObject): FieldProblem[] {
  const texts = [...expressionsIn(object)];
  if (texts.length > MAX_COUNT) return [tooMany('expressions of the object', texts.length, MAX_COUNT)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes > MAX_BYTES ? [tooLong('expressions of the object', MAX_BYTES)] : [];
}

function* expressionsIn(value: JsonValue): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* expressionsIn(item);
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (TEXTS.has(name) && typeof inner === 'string') yield inner;
    else yield* expressionsIn(inner);
  }
}
