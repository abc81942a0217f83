/**
 * `metadata` of any object, both directions: namespace, name, the tenant's label, owners, managers, and what is ours
 * and hidden. `resourceVersion`, the annotation of client-side apply, and the `uid` of what is the tenant's stay as they are.
 *
 * Going down it also decides whose the object is. Whatever is in doubt is not the tenant's.
 */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { Kind } from '../kinds/kind.ts';
import { guardLabels } from '../tenancy/host-guards.ts';
import { TENANT_LABEL, type TenantName, type UpstreamName } from '../tenancy/names.ts';
import { TENANT_UID_ANNOTATION, type Tenant } from '../tenancy/tenant.ts';
import { managedFieldsDown, managedFieldsUp } from './managed-fields.ts';
import {
  checkGenerateName,
  checkName,
  generateNameToTenant,
  generateNameToUpstream,
  isLabelled,
  nameToTenant,
  nameToUpstream,
} from './names-check.ts';
import { NotOurs } from './not-ours.ts';
import { dropOwnKeys, refuseOwnKeys } from './own-keys.ts';
import { ownersToTenant, ownersToUpstream } from './owner-references.ts';
import { namespaceToTenant, namespaceToUpstream } from './targets/namespace.ts';
import type { Node } from './tree.ts';
import type { Walk } from './walk.ts';

/** @throws {ApiError} ERR_INVALID for a name the kind does not take, or for what only the proxy may write */
export function metadataUp(metadata: JsonObject, references: Node, walk: Walk): void {
  const { at, scope } = walk;
  refuseOwnKeys(metadata, (fault, below) => walk.refuse(fault, `metadata${below}`));
  if (walk.shape !== 'whole') guardPatch(metadata, walk);
  delete metadata['selfLink'];
  set(metadata, 'namespace', (namespace) => namespaceToUpstream(namespace, scope));
  mapText(metadata, 'name', (name) => {
    checkName(name, at, scope);
    return nameToUpstream(name as TenantName, at, scope);
  });
  mapText(metadata, 'generateName', (base) => {
    checkGenerateName(base, at, scope);
    return generateNameToUpstream(base as TenantName, at, scope);
  });
  set(metadata, 'ownerReferences', (owners) => ownersToUpstream(owners, walk));
  set(metadata, 'managedFields', (entries) => managedFieldsUp(entries, references, walk));
  if (isLabelled(at)) addLabel(metadata, walk);
  for (const [mark, text] of walk.marks) mapOf(metadata, 'annotations')[mark] = text;
}

/** @throws {NotOurs} when the object is not the tenant's */
export function metadataDown(metadata: JsonObject, references: Node, walk: Walk): void {
  const { at, scope } = walk;
  delete metadata['selfLink'];
  generationDown(metadata, at.kind.generation);
  checkOwner(metadata, walk);
  set(metadata, 'namespace', (namespace) => seen(walk, namespace, namespaceToTenant(namespace, scope)));
  mapText(metadata, 'name', (name) => {
    const mapped = nameToTenant(name as UpstreamName, at, scope);
    if (mapped === undefined) throw new NotOurs(`${at.kind.kind} ${JSON.stringify(name)} is not of ${scope.tenant.id}`);
    return String(seen(walk, name, mapped));
  });
  mapText(metadata, 'generateName', (base) => {
    const mapped = generateNameToTenant(base as UpstreamName, at, scope);
    if (mapped === undefined) throw new NotOurs(`generateName ${JSON.stringify(base)} is not of ${scope.tenant.id}`);
    return mapped;
  });
  for (const [key, text] of dropOwnKeys(metadata)) walk.marks.set(key, text);
  if (at.class === 'published') {
    // Both speak of the host's own objects and programs.
    delete metadata['managedFields'];
    delete metadata['ownerReferences'];
    mapText(metadata, 'uid', (uid) => publicUid(uid, scope.tenant));
    return;
  }
  const owners = metadata['ownerReferences'];
  if (owners !== undefined) {
    const shown = ownersToTenant(owners, scope);
    if (shown === undefined) delete metadata['ownerReferences'];
    else metadata['ownerReferences'] = shown;
  }
  set(metadata, 'managedFields', (entries) => managedFieldsDown(entries, references, walk));
  const { managedFields } = metadata;
  if (Array.isArray(managedFields) && managedFields.length === 0) delete metadata['managedFields'];
}

/**
 * The uid under which a tenant knows an object of the host: always the same, and of no object. The host's garbage
 * collector goes by the real one alone, whatever else an owner reference says.
 */
function publicUid(uid: string, tenant: Pick<Tenant, 'uid'>): string {
  const hash = createHash('sha256').update(`${tenant.uid}/${uid}`).digest('hex');
  // Variant and version of a UUID that somebody made up.
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

function checkOwner(metadata: JsonObject, { at, scope }: Walk): void {
  if (at.kind.namespaced && at.class !== 'published') {
    if (typeof metadata['namespace'] !== 'string' || metadata['namespace'] === '') throw new NotOurs('no namespace');
  }
  if (!isLabelled(at)) return;
  const { labels } = metadata;
  if (!isObject(labels) || !Object.hasOwn(labels, TENANT_LABEL) || labels[TENANT_LABEL] !== scope.tenant.id) {
    throw new NotOurs(`${at.kind.kind} without the label of ${scope.tenant.id}`);
  }
}

/** A patch must not take away what a tenant does not see: its label, and hidden annotations and finalizers. */
function guardPatch(metadata: JsonObject, walk: Walk): void {
  if (!isLabelled(walk.at)) return;
  for (const directive of ['$patch', '$retainKeys']) {
    if (Object.hasOwn(metadata, directive)) walk.needsLive(`${directive} in metadata`);
  }
  const { labels, annotations, finalizers } = metadata;
  if (labels === null && walk.shape === 'merge') walk.needsLive('metadata.labels: null');
  if (holdsMark(walk.at.kind) && (annotations === null || hasDirective(annotations)))
    walk.needsLive('metadata.annotations as a whole');
  if (walk.at.kind.naming?.is !== 'namespace') return;
  // Beside those, only namespaces carry annotations, and maybe finalizers, of ours.
  if (annotations === null || hasDirective(annotations)) keepUid(metadata, walk);
  if (finalizers === null || (finalizers !== undefined && walk.shape === 'merge')) {
    walk.needsLive('metadata.finalizers as a whole');
  }
}

/** True for a kind that may keep a hidden annotation in place of a field: a default mark, the conversion of a CRD. */
export function holdsMark({ naming, defaultMark }: Kind): boolean {
  return naming?.is === 'crdName' || (defaultMark !== undefined && 'field' in defaultMark);
}

/** The hidden annotations of a namespace are known: all others can go without a look at the object. */
function keepUid(metadata: JsonObject, walk: Walk): void {
  const { annotations } = metadata;
  if (walk.shape !== 'strategic' || (isObject(annotations) && Object.hasOwn(annotations, '$retainKeys'))) {
    walk.needsLive('metadata.annotations as a whole');
  }
  const kept = isObject(annotations) && annotations['$patch'] === 'replace' ? annotations : { $patch: 'replace' };
  const guards = walk.scope.guards?.().annotations;
  metadata['annotations'] = { ...kept, ...guards, [TENANT_UID_ANNOTATION]: walk.scope.tenant.uid };
}

function hasDirective(value: JsonValue | undefined): boolean {
  return isObject(value) && ['$patch', '$retainKeys'].some((key) => Object.hasOwn(value, key));
}

/** Labels that a whole map of labels must hold where the tenant leaves them out. */
export function keptLabels({ at, scope }: Walk): JsonObject {
  const guards = at.kind.naming?.is === 'namespace' ? scope.guards?.() : undefined;
  return { ...(guards && guardLabels(guards)), [TENANT_LABEL]: scope.tenant.id };
}

function addLabel(metadata: JsonObject, walk: Walk): void {
  const { labels } = metadata;
  const { id } = walk.scope.tenant;
  if (walk.shape === 'whole') {
    mapOf(metadata, 'labels')[TENANT_LABEL] = id;
  } else if (walk.shape === 'strategic') {
    if (labels === null || (isObject(labels) && labels['$patch'] === 'delete')) {
      metadata['labels'] = { $patch: 'replace', ...keptLabels(walk) };
    } else if (isObject(labels) && hasDirective(labels)) {
      metadata['labels'] = { ...keptLabels(walk), ...labels, [TENANT_LABEL]: id };
      if (Array.isArray(labels['$retainKeys'])) labels['$retainKeys'].push(TENANT_LABEL);
    }
  }
}

function mapOf(metadata: JsonObject, field: string): JsonObject {
  const map = metadata[field];
  if (isObject(map)) return map;
  const made: JsonObject = {};
  // A map that is no map is upstream's to refuse.
  if (map === undefined || map === null) metadata[field] = made;
  return made;
}

function set(object: JsonObject, field: string, map: (value: JsonValue) => JsonValue): void {
  if (Object.hasOwn(object, field)) object[field] = map(object[field] ?? null);
}

function mapText(object: JsonObject, field: string, map: (value: string) => string): void {
  const value = object[field];
  if (typeof value === 'string' && value !== '') object[field] = map(value);
}

function seen(walk: Walk, upstream: JsonValue, tenant: JsonValue): JsonValue {
  if (typeof upstream === 'string' && typeof tenant === 'string' && upstream !== tenant)
    walk.seen.set(upstream, tenant);
  return tenant;
}

function generationDown(metadata: JsonObject, rule: Kind['generation']): void {
  const { generation } = metadata;
  if (rule === undefined || typeof generation !== 'number') return;
  if (rule === 'changes' && generation > 1) metadata['generation'] = generation - 1;
  else delete metadata['generation'];
}
