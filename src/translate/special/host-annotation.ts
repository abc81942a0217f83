/**
 * Keys of a Namespace's annotations that plugins of a host's API server act on: node selectors and tolerations for every
 * pod in the namespace. A tenant may write and read them as on any cluster; on the host they stand under names that
 * nobody acts on, so which nodes its pods get stays the operator's to say.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podnodeselector
 */
import { forbiddenField } from '../../k8s/field-problems.ts';
import type { JsonValue } from '../../k8s/types.ts';
import type { Walk } from '../walk.ts';

const HOST = 'scheduler.alpha.kubernetes.io/';
const INERT = 'scheduler.alpha.kubernetes.io.inert/';
/** `deploy/50-wall-namespaces.yaml` refuses these. */
const NAMES: ReadonlySet<string> = new Set(['node-selector', 'defaultTolerations', 'tolerationsWhitelist']);

export function hostAnnotationUp(key: JsonValue, walk: Walk): JsonValue {
  if (moved(key, INERT, HOST) !== key)
    walk.refuse((field) => forbiddenField(field, `keys below ${INERT} are reserved`));
  return moved(key, HOST, INERT);
}

export function hostAnnotationDown(key: JsonValue): JsonValue {
  return moved(key, INERT, HOST);
}

function moved(key: JsonValue, from: string, to: string): JsonValue {
  if (typeof key !== 'string' || !key.startsWith(from)) return key;
  const name = key.slice(from.length);
  return NAMES.has(name) ? to + name : key;
}
