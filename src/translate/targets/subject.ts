/**
 * Entries of `subjects`: stored as an inert User that no identity ever is (`tenancy/inert.ts`).
 *
 * What the host would refuse of the tenant's own subject it must still refuse, so the rules of a service account, which
 * is no service account upstream, are checked here; everything else goes up for the host to judge.
 *
 * @see kubernetes pkg/apis/rbac/validation/validation.go (ValidateRoleBindingSubject) at v1.36
 */
import { invalidValue, notSupported, required } from '../../k8s/field-problems.ts';
import { DNS_SUBDOMAIN } from '../../k8s/name-rules.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { fromInert, INERT_PREFIX, isSubjectKind, toInert } from '../../tenancy/inert.ts';
import { NotOurs } from '../not-ours.ts';
import type { Walk } from '../walk.ts';
import { namespaceToTenant, namespaceToUpstream } from './namespace.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

export function subjectUp(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  const { kind, name } = value;
  if (walk.shape !== 'whole' && !Object.hasOwn(value, 'kind')) walk.needsLive('a subject without its kind');
  // Not one of the three kinds, or no name: the host refuses it in its own words. It never grants anything there.
  if (!isSubjectKind(kind) || typeof name !== 'string' || name === '') return value;
  if (kind === 'ServiceAccount') return accountUp(value, name, walk);
  const inert = toInert(walk.scope.tenant.id, { kind, name });
  walk.scope.renames.note(inert, name);
  value['kind'] = 'User';
  value['name'] = inert;
  if (Object.hasOwn(value, 'namespace'))
    value['namespace'] = namespaceToUpstream(value['namespace'] ?? null, walk.scope);
  return value;
}

function accountUp(value: JsonObject, name: string, walk: Walk): JsonValue {
  const { apiGroup, namespace } = value;
  const problem = DNS_SUBDOMAIN.problem(name);
  if (problem !== undefined) walk.refuse((field) => invalidValue(field, name, problem), '.name');
  if (apiGroup !== undefined && apiGroup !== null && apiGroup !== '') {
    const text = typeof apiGroup === 'string' ? apiGroup : JSON.stringify(apiGroup);
    walk.refuse((field) => notSupported(field, text, ['']), '.apiGroup');
  }
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string') return value;
  if (!walk.at.kind.namespaced && (namespace ?? '') === '') {
    walk.refuse((field) => required(field), '.namespace');
  }
  const inert = toInert(walk.scope.tenant.id, { kind: 'ServiceAccount', name, ...(namespace ? { namespace } : {}) });
  walk.scope.renames.note(inert, name);
  value['kind'] = 'User';
  value['apiGroup'] = RBAC_GROUP;
  value['name'] = inert;
  delete value['namespace'];
  return value;
}

/** @throws {NotOurs} for a subject that the tenant did not write */
export function subjectDown(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  const { kind, name } = value;
  const subject = kind === 'User' && typeof name === 'string' ? fromInert(walk.scope.tenant.id, name) : undefined;
  if (subject === undefined) throw new NotOurs(`a subject that is not below ${INERT_PREFIX}${walk.scope.tenant.id}/`);
  value['kind'] = subject.kind;
  value['name'] = subject.name;
  if (subject.kind === 'ServiceAccount') {
    delete value['apiGroup'];
    if (subject.namespace !== undefined) value['namespace'] = subject.namespace;
  } else if (Object.hasOwn(value, 'namespace')) {
    value['namespace'] = namespaceToTenant(value['namespace'] ?? null, walk.scope);
  }
  return value;
}
