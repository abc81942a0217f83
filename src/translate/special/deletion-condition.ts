/**
 * Conditions of a Namespace that goes, in which the host's controller says what is in the way. Which API groups of the
 * host do not answer is not the tenant's to know, only that some do not; and neither are the finalizers of guards, which
 * go by themselves.
 *
 * @see k8s.io/kubernetes pkg/controller/namespace/deletion/status_condition_utils.go at v1.36
 */
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { OWN_PREFIX } from '../../tenancy/names.ts';

const GROUPS = /^(Discovery failed for some groups, \d+ failing): .*$/s;
const FINALIZERS = /^(Some content in the namespace has finalizers remaining: )(.+)$/s;
/** As it is when none remains. */
const NO_FINALIZERS = {
  status: 'False',
  reason: 'ContentHasNoFinalizers',
  message: 'All content-preserving finalizers finished',
};

export function deletionConditionUp(value: JsonValue): JsonValue {
  return value;
}

export function deletionConditionDown(condition: JsonValue): JsonValue {
  if (!isObject(condition)) return condition;
  const { type, message } = condition;
  if (typeof message !== 'string') return condition;
  if (type === 'NamespaceDeletionDiscoveryFailure') return { ...condition, message: message.replace(GROUPS, '$1') };
  if (type === 'NamespaceFinalizersRemaining') return { ...condition, ...withoutGuards(message) };
  return condition;
}

function withoutGuards(message: string): JsonObject {
  const [, words, list] = FINALIZERS.exec(message) ?? [];
  if (list === undefined) return {};
  const others = list.split(', ').filter((finalizer) => !finalizer.startsWith(OWN_PREFIX));
  return others.length === 0 ? NO_FINALIZERS : { message: `${words}${others.join(', ')}` };
}
