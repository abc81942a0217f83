/**
 * Expressions and paths of the tenant's that the host itself runs, for everybody: rules and patterns in the schema of a CRD, selectors
 * of devices, columns of a table. One that would hold up the host, or end it, is refused.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
import { boundsProblem } from '../../cel/bounds.ts';
import { invalidValue } from '../../k8s/field-problems.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import type { Walk } from '../walk.ts';
import { refuseVastPatterns } from './host-patterns.ts';

const RULES = 'x-kubernetes-validations';
const SHOWN = 200;
const COLUMN =
  'at most one ".." or list of names may stand in a path: the API server walks through the object for each';

/** Rules and patterns of a schema, at whatever depth. @throws {ApiError} ERR_INVALID */
export function crdRulesUp(value: JsonValue, walk: Walk): JsonValue {
  rulesIn(value, '', walk);
  refuseVastPatterns(value, walk);
  return value;
}

/** One expression. @throws {ApiError} ERR_INVALID */
export function hostExpressionUp(value: JsonValue, walk: Walk): JsonValue {
  if (typeof value === 'string') refuseBeyondBounds(value, '', walk);
  return value;
}

/** `jsonPath` of a column. @throws {ApiError} ERR_INVALID */
export function crdColumnUp(value: JsonValue, walk: Walk): JsonValue {
  if (typeof value === 'string' && (value.match(/\.\.|,/g) ?? []).length > 1)
    walk.refuse((field) => invalidValue(field, value.slice(0, SHOWN), COLUMN));
  return value;
}

export function asItIs(value: JsonValue): JsonValue {
  return value;
}

function rulesIn(value: JsonValue, path: string, walk: Walk): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) rulesIn(item, `${path}[${index}]`, walk);
  } else if (isObject(value)) {
    for (const [key, below] of Object.entries(value)) {
      const place = `${path}.${key}`;
      // A property of that name has a schema, which is no list.
      if (key === RULES && Array.isArray(below)) {
        for (const [index, rule] of below.entries()) if (isObject(rule)) ofRule(rule, `${place}[${index}]`, walk);
      } else rulesIn(below, place, walk);
    }
  }
}

function ofRule(rule: JsonObject, path: string, walk: Walk): void {
  for (const field of ['rule', 'messageExpression']) {
    const expression = rule[field];
    if (typeof expression === 'string' && expression !== '') refuseBeyondBounds(expression, `${path}.${field}`, walk);
  }
}

function refuseBeyondBounds(expression: string, below: string, walk: Walk): void {
  const problem = boundsProblem(expression);
  if (problem === undefined) return;
  walk.refuse((field) => invalidValue(field, expression.slice(0, SHOWN), problem), below);
}
