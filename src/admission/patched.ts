/** Mutations that are JSON patches: what an expression gave, applied to an object. */
import { toJson } from '../cel/to-json.ts';
import type { Value } from '../cel/values.ts';
import { cloneJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { JsonObject } from '../k8s/types.ts';
import { applyPatch } from '../translate/apply.ts';
import { TEST_FAILED } from '../translate/unappliable.ts';
import { ofSameKind } from './identity.ts';

/** A mutation that cannot be made. */
export class MutationFailed extends Error {}

/** @throws {MutationFailed} */
export function patched(object: JsonObject, value: Value): JsonObject {
  const operations = toJson(value);
  if (!Array.isArray(operations)) throw new MutationFailed('JSON Patch: not a list of operations');
  try {
    return ofSameKind(object, applyPatch(cloneJson(object), operations, 'application/json-patch+json'));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'ERR_INTERNAL') throw error;
    // A test that does not hold leaves the object alone, and fails nobody.
    if (error.why === TEST_FAILED) return object;
    throw new MutationFailed(`JSON Patch: ${error.message}`, { cause: error });
  }
}
