/**
 * The default class of a tenant's own, for what the tenant itself makes without choosing one. The host never knows of it,
 * so what its controllers make (the pods of a Deployment, the claims of a StatefulSet) gets the host's default, if any.
 *
 * @see kubernetes plugin/pkg/admission/storage/storageclass/setdefault, network/defaultingressclass, priority at v1.36
 */
import { ApiError } from '../errors.ts';
import { annotationOf, nameOf } from '../k8s/meta.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { STORAGE_CLASSES } from '../kinds/refs.ts';
import { resourceKey } from '../kinds/row.ts';
import type { Call, VerbDeps } from './call.ts';

/** Fills in, in place, the class that a new object does not choose. */
export function fillDefaultClass(object: JsonObject, call: Call, deps: VerbDeps): void {
  const { classByDefault } = call.at.kind;
  const { spec } = object;
  if (classByDefault === undefined || !isObject(spec)) return;
  const { field, of, unlessAnnotated } = classByDefault;
  const value = spec[field];
  if (unlessAnnotated !== undefined && annotationOf(object, unlessAnnotated) !== undefined) return;
  if (value !== undefined && value !== null && !(value === '' && isEmptyUnset(of))) return;
  const found = deps.defaultOf(call, of);
  if (found === 'host') return;
  if (found !== undefined) spec[field] = found.own;
  // Without any default, the host would take a volume of its own that has no class.
  else if (of === STORAGE_CLASSES) spec[field] = '';
}

/** An empty priority class is none; the empty class of a claim is a choice. */
function isEmptyUnset(of: string): boolean {
  return of === 'scheduling.k8s.io/priorityclasses';
}

/**
 * There is one global default among the classes of a tenant, as there is one in a cluster.
 * @throws {ApiError} ERR_FORBIDDEN
 */
export function refuseSecondDefault(object: JsonObject, call: Call, deps: VerbDeps): void {
  const { at, info } = call;
  const mark = at.kind.defaultMark;
  if (mark === undefined || !('field' in mark) || object[mark.field] !== true) return;
  const found = deps.defaultOf(call, resourceKey(at.kind.group, at.kind.resource));
  const name = nameOf(object) || info.name;
  if (found === undefined || found === 'host' || found.own === name) return;
  const what = `${info.resource}.${info.group} ${JSON.stringify(name)} is forbidden`;
  const details = { group: info.group, kind: info.resource, name };
  throw new ApiError(
    'ERR_FORBIDDEN',
    `${what}: ${at.kind.kind} ${found.own} is already marked as default. Only one default can exist`,
    { details },
  );
}
