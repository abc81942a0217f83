/**
 * What the host's namespace controller says of a namespace that goes. Its conditions name what is left in it, in a
 * message; a message that does not read as expected counts as "something is left".
 *
 * @see k8s.io/kubernetes pkg/controller/namespace/deletion/status_condition_utils.go at v1.36
 */
import { child, objects } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';

const REMAINING = /^Some resources are remaining: (.+)$/;
const KIND = /^([a-z0-9-]+)\.([a-z0-9.-]*) has \d+ resource instances$/;
const FINALIZER = /(\S+) in \d+ resource instances/g;

/** Each says that the controller could not look everywhere. */
const BLIND = [
  'NamespaceDeletionContentFailure',
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
];

/** A kind of which objects are left. */
export interface RemainingKind {
  /** `''` for the core group. */
  readonly group: string;
  readonly resource: string;
}

/**
 * The kinds of which anything is left; nothing can be made in a namespace that goes, so nothing of other kinds will be.
 * Undefined when the controller has not looked everywhere yet: while there are pods, it looks at nothing else.
 */
export function remainingKinds(namespace: JsonObject): RemainingKind[] | undefined {
  if (BLIND.some((type) => messageOf(namespace, type) !== undefined)) return undefined;
  const list = REMAINING.exec(messageOf(namespace, 'NamespaceContentRemaining') ?? '')?.[1];
  const kinds = list?.split(', ').map((part) => KIND.exec(part)) ?? [];
  const read = kinds.map((match) => match && { resource: match[1] ?? '', group: match[2] ?? '' });
  return read.length > 0 && read.every((kind) => kind !== null) ? read : undefined;
}

/** The finalizers that hold objects in this namespace, as far as the controller has said. */
export function remainingFinalizers(namespace: JsonObject): string[] {
  const message = messageOf(namespace, 'NamespaceFinalizersRemaining') ?? '';
  return [...message.matchAll(FINALIZER)].map(([, finalizer]) => finalizer ?? '');
}

/** What the controller says is left in this namespace, and what holds it, for the host's operator; '' where it has not said. */
export function remainingWords(namespace: JsonObject): string {
  const words = ['NamespaceContentRemaining', 'NamespaceFinalizersRemaining'].map((type) => messageOf(namespace, type));
  return words.filter((message) => message !== undefined).join('. ');
}

/** The message of a condition that is True. */
function messageOf(namespace: JsonObject, type: string): string | undefined {
  const found = conditionsOf(namespace).find((condition) => condition['type'] === type);
  return found?.['status'] === 'True' && typeof found['message'] === 'string' ? found['message'] : undefined;
}

function conditionsOf(namespace: JsonObject): JsonObject[] {
  return objects(child(namespace, 'status'), 'conditions');
}
