/**
 * `spec.conversion` of a CRD. A conversion webhook on the host blocks whoever lists that kind, the garbage collector
 * and other tenants' namespace deletions included, so only `None` ever goes up. A tenant's webhook is checked as the API
 * server checks it, kept in a hidden annotation, and shown from there.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 * @see k8s.io/apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go at v0.36
 */
import { JsonSyntaxError, parseJson, stringifyJson } from '../../codec/json.ts';
import { invalid } from '../../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { CONVERSION_MARK } from '../../tenancy/host-names.ts';
import type { Walk } from '../walk.ts';
import { conversionProblems, readConversion } from './conversion-webhook.ts';

/** @throws {ApiError} ERR_BAD_REQUEST for fields of a wrong type, ERR_INVALID for what the API server refuses */
export function crdConversionUp(value: JsonValue, walk: Walk): JsonValue {
  // What a patch leaves of a conversion is kept or lost as a whole, apart from the object that upstream has.
  if (walk.shape !== 'whole') walk.needsLive('a conversion');
  if (!isObject(value)) return value;
  const conversion = readConversion(value);
  const problems = conversionProblems(conversion, walk.path);
  if (problems.length > 0) {
    const { group, kind } = walk.at.kind;
    throw invalid({ group, what: kind, name: walk.named }, problems);
  }
  if (conversion['strategy'] !== 'Webhook') return value;
  walk.marks.set(CONVERSION_MARK, stringifyJson(conversion));
  return { strategy: 'None' };
}

export function crdConversionDown(value: JsonValue, walk: Walk): JsonValue {
  return conversionOf(walk.marks.get(CONVERSION_MARK)) ?? value;
}

/** The conversion in the annotation; undefined when there is none that can be read. */
function conversionOf(mark: string | undefined): JsonObject | undefined {
  if (mark === undefined) return undefined;
  try {
    const conversion = parseJson(mark);
    return isObject(conversion) && isObject(conversion['webhook']) ? conversion : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
