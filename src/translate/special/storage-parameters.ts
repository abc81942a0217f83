/**
 * `parameters` of a StorageClass of the tenant's own: provisioners read there which Secrets they use, by namespace and
 * name. A namespace is the tenant's; a template such as `${pvc.namespace}` is filled in upstream, and stays.
 *
 * @see https://kubernetes-csi.github.io/docs/secrets-and-credentials-storage-class.html
 */
import { isObject, type JsonValue } from '../../k8s/types.ts';
import { namespaceToTenant, namespaceToUpstream } from '../targets/namespace.ts';
import type { Walk } from '../walk.ts';

/** `csi.storage.k8s.io/node-stage-secret-namespace`, `adminSecretNamespace`, `secretNamespace`. */
const SECRET_NAMESPACE = /secret-?namespace$/i;

export function storageParametersUp(value: JsonValue, walk: Walk): JsonValue {
  return mapNamespaces(value, (namespace) => namespaceToUpstream(namespace, walk.scope));
}

export function storageParametersDown(value: JsonValue, walk: Walk): JsonValue {
  return mapNamespaces(value, (namespace) => namespaceToTenant(namespace, walk.scope));
}

function mapNamespaces(parameters: JsonValue, map: (namespace: JsonValue) => JsonValue): JsonValue {
  if (!isObject(parameters)) return parameters;
  for (const [key, value] of Object.entries(parameters)) {
    if (typeof value !== 'string' || value === '' || value.includes('$')) continue;
    if (SECRET_NAMESPACE.test(key)) parameters[key] = map(value);
  }
  return parameters;
}
