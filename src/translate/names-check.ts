/**
 * Names of objects: checked in tenant terms, then mapped by the kind's rule.
 *
 *   namespaced, published, custom   stay
 *   mixed                           as published where a name is the host's, otherwise as native
 *   cluster-scoped native           reader                   <-> acme--reader
 *   virtual                         system:node              <-> acme--x--system03anode
 *   CRD                             foos.stable.example.com  <-> foos.acme--stable.example.com
 *   ConfigMap                       stay, but for the one with the cluster's CA
 */

import { invalid } from '../errors.ts';
import { forbiddenField, invalidValue } from '../k8s/field-problems.ts';
import { nameRuleOf } from '../k8s/name-rules.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { resourceKey } from '../kinds/row.ts';
import { prefixLength, type TenantName, tenantOf, type UpstreamName } from '../tenancy/names.ts';
import { rootCaToTenant, rootCaToUpstream } from '../tenancy/root-ca.ts';
import { decodeSegment, encodeSegment, encodeSegmentBase, UPSTREAM_NAME_MAX } from '../tenancy/segments.ts';
import type { Scope } from './scope.ts';
import { crdNameToTenant, crdNameToUpstream } from './targets/crd-name.ts';

/** The API server cuts a `generateName` here, silently, and puts five characters of its own behind. */
const GENERATED_BASE_MAX = 58;

export type Naming = 'same' | 'prefixed' | 'encoded' | 'crdName' | 'rootCa';

/** How names of objects of this kind map; of a mixed kind, those of the tenant's own. */
export function namingOf({ kind, class: kindClass }: KindAtVersion): Naming {
  if (kind.naming?.is === 'namespace') return 'prefixed';
  if (kind.naming?.is === 'crdName') return 'crdName';
  if (kind.naming?.is === 'rootCa') return 'rootCa';
  if (kind.namespaced || kind.custom || kindClass === 'published' || kind.answeredBy === 'proxy') return 'same';
  return kindClass === 'virtual' ? 'encoded' : 'prefixed';
}

/**
 * True when every object of this kind carries the tenant's label upstream: cluster-scoped and the tenant's own. Of a mixed
 * kind, whether an object is, is asked of the side that it is on.
 */
export function isLabelled({ kind, class: kindClass }: KindAtVersion): boolean {
  return !kind.namespaced && !kind.custom && kindClass !== 'published' && kind.answeredBy !== 'proxy';
}

/** The name upstream. Does not judge the name: an impossible one is simply not found there. */
export function nameToUpstream(name: TenantName, at: KindAtVersion, scope: Scope): UpstreamName {
  if (at.class === 'mixed' && namesHost(name, at, scope)) return name as string as UpstreamName;
  const upstream = mapUp(name, namingOf(at), scope);
  scope.renames.note(upstream, name);
  return upstream;
}

/** The name as the tenant sees it; undefined when it is not this tenant's. */
export function nameToTenant(name: UpstreamName, at: KindAtVersion, scope: Scope): TenantName | undefined {
  if (at.class === 'mixed') return scope.names.down(name) ?? hostName(name, scope);
  switch (namingOf(at)) {
    case 'same':
      return name as string as TenantName;
    case 'prefixed':
      return scope.names.down(name);
    case 'encoded': {
      const segment = scope.names.down(name);
      return segment === undefined ? undefined : (decodeSegment(segment) as TenantName | undefined);
    }
    case 'crdName':
      return crdNameToTenant(name, scope);
    case 'rootCa':
      return rootCaToTenant(name);
  }
}

/** A `generateName` base upstream. */
export function generateNameToUpstream(base: TenantName, at: KindAtVersion, scope: Scope): UpstreamName {
  switch (namingOf(at)) {
    case 'same':
    case 'crdName':
    case 'rootCa':
      return base as string as UpstreamName;
    case 'prefixed':
      return scope.names.up(base);
    case 'encoded':
      return scope.names.up(encodeSegmentBase(base) as TenantName);
  }
}

/** A `generateName` base as the tenant gave it; undefined when it is not this tenant's. */
export function generateNameToTenant(base: UpstreamName, at: KindAtVersion, scope: Scope): TenantName | undefined {
  switch (namingOf(at)) {
    case 'same':
    case 'crdName':
    case 'rootCa':
      return base as string as TenantName;
    case 'prefixed':
      return scope.names.down(base);
    case 'encoded': {
      const segment = scope.names.down(base);
      if (segment === undefined) return undefined;
      // With one more character, as the server adds, the base is the encoded form of a whole name.
      return decodeSegment(`${segment}b`)?.slice(0, -1) as TenantName | undefined;
    }
  }
}

/**
 * Checks `metadata.name` and `metadata.generateName` of an object or an apply patch, in tenant terms.
 * @throws {ApiError} ERR_INVALID
 */
export function checkNames(object: JsonObject, at: KindAtVersion, scope: Scope): void {
  const { metadata } = object;
  if (!isObject(metadata)) return;
  const { name, generateName } = metadata;
  if (typeof name === 'string' && name !== '') checkName(name, at, scope);
  else if (typeof generateName === 'string' && generateName !== '') checkGenerateName(generateName, at, scope);
}

/**
 * Checks a name that gets a prefix, by the rule of its kind and in tenant terms. Names that stay are upstream's to judge.
 * @throws {ApiError} ERR_INVALID that tells the limit and the length used
 */
export function checkName(name: string, at: KindAtVersion, scope: Scope): void {
  const naming = namingOf(at);
  if (naming === 'same' || naming === 'rootCa') return;
  const rule = nameRuleOf(at.kind.group, at.kind.resource);
  refuse(at, name, 'metadata.name', name, rule.problem(name));
  refuseReserved(name, at);
  if (naming === 'crdName' && !name.includes('.'))
    refuse(at, name, 'metadata.name', name, 'must be spec.names.plural+"."+spec.group');
  const taken =
    prefixLength(scope.names.tenant) + (naming === 'encoded' ? encodeSegment(name).length - name.length : 0);
  const max = Math.min(rule.max, naming === 'encoded' ? UPSTREAM_NAME_MAX : rule.max) - taken;
  if (name.length > max) refuse(at, name, 'metadata.name', name, tooLong(max, name.length));
}

/**
 * Checks a `generateName` base that gets a prefix, so that the server never cuts it.
 * @throws {ApiError} ERR_INVALID that tells the limit and the length used
 */
export function checkGenerateName(base: string, at: KindAtVersion, scope: Scope): void {
  const naming = namingOf(at);
  if (naming === 'same' || naming === 'crdName' || naming === 'rootCa') return;
  const rule = nameRuleOf(at.kind.group, at.kind.resource);
  refuse(at, '', 'metadata.generateName', base, rule.problem(`${base}b`));
  refuseReserved(base, at);
  const encoded = naming === 'encoded' ? encodeSegmentBase(base).length - base.length : 0;
  const max = GENERATED_BASE_MAX - prefixLength(scope.names.tenant) - encoded;
  if (base.length > max) refuse(at, '', 'metadata.generateName', base, tooLong(max, base.length));
}

/** A prefix would make it anybody's. @see k8s.io/kubernetes pkg/apis/scheduling/validation/validation.go at v1.36 */
function refuseReserved(name: string, { kind }: KindAtVersion): void {
  if (kind.resource !== 'priorityclasses' || !name.startsWith('system-')) return;
  const known = `${name} is not a known system priority class`;
  const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${known}`;
  throw invalid({ group: kind.group, what: kind.kind, name }, [forbiddenField('metadata.name', detail)]);
}

function mapUp(name: TenantName, naming: Naming, scope: Scope): UpstreamName {
  switch (naming) {
    case 'same':
      return name as string as UpstreamName;
    case 'prefixed':
      return scope.names.up(name);
    case 'encoded':
      return scope.names.up(encodeSegment(name) as TenantName);
    case 'crdName':
      return crdNameToUpstream(name, scope);
    case 'rootCa':
      return rootCaToUpstream(name);
  }
}

/** In the words of the API server, with the limit as this tenant has it. */
export function tooLong(max: number, used: number): string {
  return `must be no more than ${max} characters in this cluster, has ${used}`;
}

function refuse(at: KindAtVersion, name: string, field: string, value: string, detail: string | undefined): void {
  if (detail === undefined) return;
  throw invalid({ group: at.kind.group, what: at.kind.kind, name }, [invalidValue(field, value, detail)]);
}

/** True for a name that is the host's and stays. @param at of a mixed or a chosen kind */
export function namesHost(name: string, { kind }: KindAtVersion, scope: Scope): boolean {
  return scope.namesHost(resourceKey(kind.group, kind.resource), name);
}

/** A name that stays, as names of the host's objects do; undefined where it looks like another tenant's. */
export function hostName(name: UpstreamName, scope: Scope): TenantName | undefined {
  return looksOwned(name, scope) ? undefined : (name as string as TenantName);
}

/** True for a name that could be an object of some living tenant upstream, whoever wrote it. */
export function looksOwned(name: string, scope: Scope): boolean {
  const owner = tenantOf(name as UpstreamName);
  return owner !== undefined && (scope.isTenant?.(owner) ?? true);
}
