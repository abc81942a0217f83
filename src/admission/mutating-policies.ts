/**
 * MutatingAdmissionPolicies: what they make of an object.
 * @see k8s.io/apiserver pkg/admission/plugin/policy/mutating/dispatcher.go, patch/ at v0.36
 */
import { EvaluationError } from '../cel/evaluation-error.ts';
import type { Ask } from '../cel/kubernetes/authorizer.ts';
import { checkStructNames } from '../cel/kubernetes/patch-types.ts';
import { toJson } from '../cel/to-json.ts';
import type { Value } from '../cel/values.ts';
import { cloneJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { nameOf } from '../k8s/meta.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { sameJson } from '../lib/same-json.ts';
import type { AdmissionSubject } from '../ports.ts';
import { applyPatch } from '../translate/apply.ts';
import { conditionsMet } from './conditions.ts';
import type { CpuShare } from './cpu-share.ts';
import { Evaluation, OutOfBudget } from './evaluation.ts';
import { matchResourcesOf, selectorsMatch } from './matching.ts';
import { ConfigurationError, collectParams } from './params.ts';
import { type CompiledPolicy, compiledPolicy, type Mutation } from './policies.ts';
import { failedMutation } from './refusals.ts';
import type { MergeSchema } from './schema.ts';
import { MergeError, structuredMerge } from './structured-merge.ts';
import type { BoundPolicy } from './validating-policies.ts';

export interface MutationContext {
  readonly subject: AdmissionSubject;
  readonly oldObject: JsonObject | undefined;
  readonly ask: Ask;
  readonly share: CpuShare;
  /** How the object's fields merge. */
  readonly schema: () => Promise<MergeSchema | undefined>;
  /** Only policies that ask to be run again, after something else has changed the object. */
  readonly isReinvocation: boolean;
}

/** A mutation that cannot be made; its policy's failurePolicy says what then. */
class MutationFailed extends Error {}

/** The object as the policies leave it; the same one when they change nothing. @throws {ApiError} */
export async function mutateByPolicies(
  policies: readonly BoundPolicy[],
  object: JsonObject,
  context: MutationContext,
): Promise<JsonObject> {
  const { subject, oldObject, isReinvocation } = context;
  const failures: string[] = [];
  let reason: string | undefined;
  let current = object;
  for (const { policy, bindings } of policies) {
    const compiled = compiledPolicy(policy);
    const given = { object: current, oldObject };
    if (isReinvocation && !compiled.reinvokes) continue;
    if (!selectorsMatch(matchResourcesOf(policy, 'matchConstraints'), subject, given)) continue;
    for (const binding of bindings) {
      if (!selectorsMatch(matchResourcesOf(binding, 'matchResources'), subject, { ...given, object: current }))
        continue;
      try {
        current = await mutateBy(policy, binding, compiled, current, context);
      } catch (error) {
        if (!(error instanceof MutationFailed || error instanceof ConfigurationError)) throw error;
        if (compiled.ignoresFailures) continue;
        if (error instanceof MutationFailed) reason ??= 'Invalid';
        const how =
          error instanceof ConfigurationError ? `failed to configure binding: ${error.message}` : error.message;
        failures.push(`policy '${nameOf(policy)}' with binding '${nameOf(binding)}' denied request: ${how}`);
      }
    }
  }
  if (failures.length > 0) throw failedMutation(subject, current, failures, reason);
  return sameJson(current, object) ? object : current;
}

async function mutateBy(
  policy: JsonObject,
  binding: JsonObject,
  compiled: CompiledPolicy,
  object: JsonObject,
  { subject, oldObject, ask, share, schema }: MutationContext,
): Promise<JsonObject> {
  let current = object;
  for (const params of await collectParams(policy, binding, subject)) {
    const evaluationOf = () =>
      new Evaluation({ subject, given: { object: current, oldObject }, params, ask, variables: compiled.variables });
    const inTurn = <T>(run: () => T) => share.run(subject.tenant.id, subject.signal, () => withinBudget(run));
    const met = await inTurn(() => conditionsMet(compiled.conditions, evaluationOf(), compiled.ignoresFailures));
    if ('error' in met) throw new MutationFailed(met.error);
    if (!met.met) continue;
    for (const mutation of compiled.mutations) {
      const outcome = await inTurn(() => evaluationOf().run(mutation.expression));
      if ('error' in outcome) throw new MutationFailed(outcome.error);
      current = await applied(mutation, outcome.value, current, schema);
    }
  }
  return current;
}

function withinBudget<T>(run: () => T): T | { readonly error: string } {
  try {
    return run();
  } catch (error) {
    if (error instanceof OutOfBudget) return { error: error.message };
    throw error;
  }
}

async function applied(
  { patchType }: Mutation,
  value: Value,
  object: JsonObject,
  schema: MutationContext['schema'],
): Promise<JsonObject> {
  try {
    if (patchType === 'JSONPatch') return patched(object, value);
    checkStructNames(value);
    const wanted = toJson(value);
    const merges = await schema();
    if (merges === undefined) {
      const gvk = `${object['apiVersion']}, Kind=${object['kind']}`;
      throw new ApiError(
        'ERR_UNAVAILABLE',
        `Resource kind ${gvk} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
      );
    }
    return isObject(wanted) ? structuredMerge(object, wanted, merges) : object;
  } catch (error) {
    if (error instanceof EvaluationError) throw new MutationFailed(`type mismatch: ${error.message}`, { cause: error });
    if (error instanceof MergeError)
      throw new MutationFailed(`error applying patch: ${error.message}`, { cause: error });
    throw error;
  }
}

function patched(object: JsonObject, value: Value): JsonObject {
  const operations = toJson(value);
  if (!Array.isArray(operations)) throw new MutationFailed('JSON Patch: not a list of operations');
  try {
    return applyPatch(cloneJson(object), operations, 'application/json-patch+json');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A test that does not hold leaves the object alone, and fails nobody.
    if (isFailedTest(operations.filter(isObject), object)) return object;
    throw new MutationFailed(`JSON Patch: ${error.message}`, { cause: error });
  }
}

/** Did a `test` end the patch, rather than an operation that cannot be done? */
function isFailedTest(operations: readonly JsonObject[], object: JsonObject): boolean {
  for (let count = 1; count <= operations.length; count += 1) {
    try {
      applyPatch(cloneJson(object), operations.slice(0, count), 'application/json-patch+json');
    } catch {
      return operations[count - 1]?.['op'] === 'test';
    }
  }
  return false;
}
