/**
 * MutatingAdmissionPolicies: what they make of an object.
 * @see k8s.io/apiserver pkg/admission/plugin/policy/mutating/dispatcher.go, patch/ at v0.36
 */
import { EvaluationError } from '../cel/evaluation-error.ts';
import type { Ask } from '../cel/kubernetes/authorizer.ts';
import { checkStructNames } from '../cel/kubernetes/patch-types.ts';
import { toJson } from '../cel/to-json.ts';
import type { Value } from '../cel/values.ts';
import { ApiError } from '../errors.ts';
import { keyOf, nameOf } from '../k8s/meta.ts';
import { text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { CpuShare } from '../lib/cpu-share.ts';
import { sameJson } from '../lib/same-json.ts';
import type { AdmissionSubject } from '../ports.ts';
import { conditionsMet } from './conditions.ts';
import { Evaluation, OutOfBudget } from './evaluation.ts';
import { type AdmittedObjects, matchResourcesOf, selectorsMatch } from './matching.ts';
import { ConfigurationError, collectParams } from './params.ts';
import { MutationFailed, patched } from './patched.ts';
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

/** One run of a policy: for one of its bindings, with one of the objects that it takes parameters from. */
interface Invocation {
  readonly policy: JsonObject;
  readonly binding: JsonObject;
  readonly compiled: CompiledPolicy;
  readonly as: MatchedPolicy['as'];
  readonly params: JsonObject | null | undefined;
}

/** What of a policy went wrong, in its failurePolicy's hands. */
interface Failure {
  readonly message: string;
  readonly reason: 'Invalid' | undefined;
}

/**
 * The objects of `versions` are as the policies leave them, in whatever version. Which policies are meant is decided
 * before the first of them changes anything.
 * @throws {ApiError}
 */
export async function mutateByPolicies(
  policies: readonly MatchedPolicy[],
  versions: Versions,
  reinvocation: Reinvocation,
  context: MutationContext,
): Promise<void> {
  const failures: Failure[] = [];
  const failed = ({ policy, binding, compiled }: Omit<Invocation, 'params'>, how: string, reason?: 'Invalid') => {
    if (compiled.ignoresFailures) return;
    const message = `policy '${nameOf(policy)}' with binding '${nameOf(binding)}' denied request: ${how}`;
    failures.push({ message, reason });
  };
  const invocations: Invocation[] = [];
  for (const bound of boundTo(policies, versions.given, context.subject)) {
    try {
      const found = await collectParams(bound.policy, bound.binding, context.subject);
      invocations.push(...found.map((params) => ({ ...bound, params })));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      failed(bound, `failed to configure binding: ${error.message}`);
    }
  }
  for (const invocation of invocations) {
    for (const how of await invoke(invocation, versions, reinvocation, context)) failed(invocation, how, 'Invalid');
  }
  const [first] = failures;
  if (first === undefined) return;
  const messages = failures.map(({ message }) => message);
  throw failedMutation(context.subject, versions.given.object, messages, first.reason);
}

function boundTo(
  policies: readonly MatchedPolicy[],
  given: AdmittedObjects,
  subject: AdmissionSubject,
): Array<Omit<Invocation, 'params'>> {
  return policies.flatMap(({ policy, bindings, as }) => {
    if (!selectorsMatch(matchResourcesOf(policy, 'matchConstraints'), subject, given)) return [];
    const compiled = compiledPolicy(policy);
    return bindings
      .filter((binding) => selectorsMatch(matchResourcesOf(binding, 'matchResources'), subject, given))
      .map((binding) => ({ policy, binding, compiled, as }));
  });
}

/** @returns what went wrong, in words. A mutation that fails keeps none of those after it from being made */
async function invoke(
  { policy, binding, compiled, as, params }: Invocation,
  versions: Versions,
  reinvocation: Reinvocation,
  { subject, ask, share, schema }: MutationContext,
): Promise<string[]> {
  const key = JSON.stringify([nameOf(policy), nameOf(binding), isObject(params) ? keyOf(params) : null]);
  const mayRun = reinvocation.mayRun(key);
  const { object: before, oldObject } = await (mayRun ? versions.shown(as) : versions.in(as));
  if (before === undefined) return [];
  let object = before;
  const evaluationOf = () =>
    new Evaluation({ subject, given: { object, oldObject }, as, params, ask, variables: compiled.variables });
  const inTurn = <T>(run: () => T) => share.run(subject.tenant.id, subject.signal, () => withinBudget(run));
  const met = await inTurn(() => conditionsMet(compiled.conditions, evaluationOf(), compiled.ignoresFailures));
  if ('error' in met) return [met.error];
  if (!met.met || !mayRun) return [];
  const failures: string[] = [];
  for (const mutation of compiled.mutations) {
    try {
      object = (await versions.shown(as)).object ?? object;
      const outcome = await inTurn(() => evaluationOf().run(mutation.expression));
      if ('error' in outcome) throw new MutationFailed(outcome.error);
      const before = object;
      const merges = mutation.patchType === 'JSONPatch' ? undefined : await schema(text(before, 'apiVersion'));
      const apply = () => applied(mutation, outcome.value, before, merges);
      versions.replace(await share.run(subject.tenant.id, subject.signal, apply));
      object = (await versions.in(as)).object ?? object;
    } catch (error) {
      if (!(error instanceof MutationFailed)) throw error;
      failures.push(error.message);
    }
  }
  if (!sameJson(object, before)) reinvocation.changed();
  if (compiled.reinvokes) reinvocation.ran(key);
  return failures;
}

function withinBudget<T>(run: () => T): T | { readonly error: string } {
  try {
    return run();
  } catch (error) {
    if (error instanceof OutOfBudget) return { error: error.message };
    throw error;
  }
}

/** @param merges of the object's kind; undefined where that is not known, and for a JSON patch */
function applied(
  { patchType }: Mutation,
  value: Value,
  object: JsonObject,
  merges: MergeSchema | undefined,
): JsonObject {
  try {
    if (patchType === 'JSONPatch') return patched(object, value);
    checkStructNames(value);
    const wanted = toJson(value);
    if (merges === undefined) {
      const gvk = `${object['apiVersion']}, Kind=${object['kind']}`;
      throw new ApiError(
        'ERR_UNAVAILABLE',
        `Resource kind ${gvk} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
      );
    }
    if (!isObject(wanted)) return object;
    // Of what kind an object is, is not a policy's to say: what it says of it is passed over.
    const { apiVersion: _version, kind: _kind, ...fields } = wanted;
    return structuredMerge(object, fields, merges);
  } catch (error) {
    if (error instanceof EvaluationError) throw new MutationFailed(`type mismatch: ${error.message}`, { cause: error });
    if (error instanceof MergeError)
      throw new MutationFailed(`error applying patch: ${error.message}`, { cause: error });
    throw error;
  }
}
