/**
 * What the host's namespace controller says of a namespace that goes. Its conditions name what is left in it, in a
 * message; a message that does not read as expected counts as "something is left".
 *
 * @see k8s.io/kubernetes pkg/controller/namespace/deletion/status_condition_utils.go at v1.36
 */
import { isObject, type JsonObject } from '../../k8s/types.ts';

const BINDINGS_ONLY =
  /^Some resources are remaining: rolebindings\.rbac\.authorization\.k8s\.io has \d+ resource instances$/;
const FINALIZER = /(\S+) in \d+ resource instances/g;

/** Each says that the controller could not look everywhere. */
const BLIND = [
  'NamespaceDeletionContentFailure',
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
];

/** True when the controller has looked everywhere and found nothing but RoleBindings. */
export function onlyBindingsRemain(namespace: JsonObject): boolean {
  if (BLIND.some((type) => messageOf(namespace, type) !== undefined)) return false;
  const message = messageOf(namespace, 'NamespaceContentRemaining');
  return message !== undefined && BINDINGS_ONLY.test(message);
}

/** The finalizers that hold objects in this namespace, as far as the controller has said. */
export function remainingFinalizers(namespace: JsonObject): string[] {
  const message = messageOf(namespace, 'NamespaceFinalizersRemaining') ?? '';
  return [...message.matchAll(FINALIZER)].map(([, finalizer]) => finalizer ?? '');
}

/** The message of a condition that is True. */
function messageOf(namespace: JsonObject, type: string): string | undefined {
  const status = isObject(namespace['status']) ? namespace['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
  const found = conditions.filter(isObject).find((condition) => condition['type'] === type);
  return found?.['status'] === 'True' && typeof found['message'] === 'string' ? found['message'] : undefined;
}
