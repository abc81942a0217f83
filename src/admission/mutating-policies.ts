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
import { keyOf, nameOf } from '../k8s/meta.ts';
import { text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { CpuShare } from '../lib/cpu-share.ts';
import { sameJson } from '../lib/same-json.ts';
import type { AdmissionSubject } from '../ports.ts';
import { applyPatch } from '../translate/apply.ts';
import { conditionsMet } from './conditions.ts';
import { Evaluation, OutOfBudget } from './evaluation.ts';
import { matchResourcesOf, selectorsMatch } from './matching.ts';
import { ConfigurationError, collectParams } from './params.ts';
import { type CompiledPolicy, compiledPolicy, type Mutation } from './policies.ts';
import { failedMutation } from './refusals.ts';
import type { Reinvocation } from './reinvocation.ts';
import type { MergeSchema } from './schema.ts';
import { MergeError, structuredMerge } from './structured-merge.ts';
import type { MatchedPolicy } from './validating-policies.ts';
import type { Versions } from './versions.ts';

export interface MutationContext {
  readonly subject: AdmissionSubject;
  readonly ask: Ask;
  readonly share: CpuShare;
  /** How the fields of an object of this apiVersion merge. */
  readonly schema: (apiVersion: string) => Promise<MergeSchema | undefined>;
}

/** A mutation that cannot be made; its policy's failurePolicy says what then. */
class MutationFailed extends Error {}

/** The objects of `versions` are as the policies leave them, in whatever version. @throws {ApiError} */
export async function mutateByPolicies(
  policies: readonly MatchedPolicy[],
  versions: Versions,
  reinvocation: Reinvocation,
  context: MutationContext,
): Promise<void> {
  const { subject } = context;
  const failures: string[] = [];
  let reason: string | undefined;
  for (const { policy, bindings, as } of policies) {
    const compiled = compiledPolicy(policy);
    if (!selectorsMatch(matchResourcesOf(policy, 'matchConstraints'), subject, versions.given)) continue;
    for (const binding of bindings) {
      if (!selectorsMatch(matchResourcesOf(binding, 'matchResources'), subject, versions.given)) continue;
      try {
        await mutateBy({ policy, binding, compiled, as }, versions, reinvocation, context);
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
  if (failures.length > 0) throw failedMutation(subject, versions.given.object, failures, reason);
}

interface Bound {
  readonly policy: JsonObject;
  readonly binding: JsonObject;
  readonly compiled: CompiledPolicy;
  readonly as: MatchedPolicy['as'];
}

async function mutateBy(
  { policy, binding, compiled, as }: Bound,
  versions: Versions,
  reinvocation: Reinvocation,
  { subject, ask, share, schema }: MutationContext,
): Promise<void> {
  for (const params of await collectParams(policy, binding, subject)) {
    const { object: before, oldObject } = await versions.in(as);
    if (before === undefined) return;
    let object = before;
    const evaluationOf = () =>
      new Evaluation({ subject, given: { object, oldObject }, as, params, ask, variables: compiled.variables });
    const inTurn = <T>(run: () => T) => share.run(subject.tenant.id, subject.signal, () => withinBudget(run));
    const met = await inTurn(() => conditionsMet(compiled.conditions, evaluationOf(), compiled.ignoresFailures));
    if ('error' in met) throw new MutationFailed(met.error);
    const key = JSON.stringify([nameOf(policy), nameOf(binding), isObject(params) ? keyOf(params) : null]);
    if (!met.met || !reinvocation.mayRun(key)) continue;
    for (const mutation of compiled.mutations) {
      const outcome = await inTurn(() => evaluationOf().run(mutation.expression));
      if ('error' in outcome) throw new MutationFailed(outcome.error);
      object = await applied(mutation, outcome.value, object, schema);
      versions.replace(object);
    }
    if (!sameJson(object, before)) reinvocation.changed();
    if (compiled.reinvokes) reinvocation.ran(key);
  }
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
    const merges = await schema(text(object, 'apiVersion'));
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
