/**
 * A RoleBinding to a role of a kind that is none: the host weighs the right to bind before it looks at the binding, and
 * would fail (500).
 */
import { invalid } from '../errors.ts';
import { notSupported } from '../k8s/field-problems.ts';
import { child, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { Call } from './call.ts';

/** @param object a RoleBinding, or a part of one. @throws {ApiError} ERR_INVALID */
export function refuseUnknownRole(call: Call, object: JsonObject, isPart: boolean): void {
  const { group, resource, subresource, name } = call.info;
  if (group !== 'rbac.authorization.k8s.io' || resource !== 'rolebindings' || subresource !== '') return;
  const { roleRef } = object;
  // What is no object is no roleRef, and refused as such.
  if (isPart ? roleRef === undefined : roleRef !== undefined && roleRef !== null && !isObject(roleRef)) return;
  if (isPart && isObject(roleRef) && roleRef['kind'] === undefined) return;
  const kind = text(child(object, 'roleRef'), 'kind');
  if (kind === 'Role' || kind === 'ClusterRole') return;
  const named = name === '' ? text(child(object, 'metadata'), 'name') : name;
  throw invalid({ group, what: call.at.kind.kind, name: named }, [
    notSupported('roleRef.kind', kind, ['Role', 'ClusterRole']),
  ]);
}
