/**
 * Removes everything that is a tenant's own, and nothing else. What is its own: namespaces and cluster-scoped objects
 * whose name has its prefix AND which carry its label. Each is deleted by uid; cluster-scoped ones under the tenant's own
 * upstream name, so that the host's wall holds here too.
 *
 * A tenant is not served any more while it goes, so its own controllers cannot clear their finalizers: these are stripped.
 * Finalizers of Kubernetes stay, its controllers clear them.
 *
 * While namespaces go, which takes the host's controllers their time, only they are looked at. The tenant is gone when
 * one look at the whole host, with nothing remembered, finds nothing.
 */

import type { Informer } from '../../k8s/informer.ts';
import { finalizersOf, isTerminating, labelsOf, nameOf, namespaceOf, uidOf, versionOf } from '../../k8s/meta.ts';
import { child } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { Upstream } from '../../ports.ts';
import { clientCaSecretName, OWN_GROUP } from '../../tenancy/host-names.ts';
import { TENANT_LABEL, type TenantId } from '../../tenancy/names.ts';
import { createHostClient, type HostClient, unless } from '../../upstream/host-client.ts';
import type { CustomController } from '../custom/custom-controller.ts';
import { customKind, readDefinition } from '../custom/custom-rules.ts';
import { collectionIn, type HostKind, type TenantKinds } from '../host/host-kinds.ts';
import type { HostLists } from '../host/host-lists.ts';
import { labelledOwner, PATHS } from '../host/host-objects.ts';
import { controllerIdentity } from '../namespaces/guard-proof.ts';
import { remainingFinalizers, remainingKinds, remainingWords } from '../namespaces/namespace-conditions.ts';

export interface TenantRemovalOptions {
  upstream: Upstream;
  /** As the provisioner. */
  client: HostClient;
  /** Namespaces of tenants, as far as they have been seen. */
  namespaces: Informer;
  lists: HostLists;
  custom: Pick<CustomController, 'remove'>;
  kindsNow: () => Promise<TenantKinds>;
  signal: AbortSignal;
}

export interface TenantRemoval {
  /** One look and what follows from it. Returns what is left, in words; empty when all is proven gone. */
  run(tenant: JsonObject): Promise<string[]>;
}

const PODS = { root: '/api/v1', resource: 'pods' } as const;
const DEFINITIONS = 'customresourcedefinitions';

export function createTenantRemoval(options: TenantRemovalOptions): TenantRemoval {
  const { upstream, client, namespaces: namespacesSeen, lists, custom, kindsNow, signal } = options;
  const reader = createHostClient(upstream, { as: 'reader' }, signal);

  /** Tenants whose cluster-scoped objects have been looked at once. */
  const begun = new Set<string>();

  async function run(tenant: JsonObject): Promise<string[]> {
    const id = nameOf(tenant) as TenantId;
    const uid = uidOf(tenant);
    await lists.include(id);
    const asTenant = createHostClient(upstream, controllerIdentity(id, true), signal);
    const kinds = await kindsNow();
    const seen = begun.has(uid) ? ownNamespaces(id, namespacesSeen.list()) : [];
    if (seen.length > 0) return [(await removeNamespaces(seen, id, asTenant, kinds)) ?? ''];
    const stored = ownNamespaces(id, await client.list(PATHS.namespaces, labelled(id)));
    const namespaces = await removeNamespaces(stored, id, asTenant, kinds);
    const others = await Promise.all(kinds.clusterScoped.map((kind) => removeClusterScoped(id, kind, asTenant)));
    begun.add(uid);
    const left = [namespaces, ...others].filter((text) => text !== undefined);
    if (left.length > 0) return left;
    await custom.remove(id);
    await removeSecret(id);
    await lists.release(uid);
    begun.delete(uid);
    return [];
  }

  async function removeNamespaces(
    own: readonly JsonObject[],
    id: TenantId,
    asTenant: HostClient,
    kinds: TenantKinds,
  ): Promise<string | undefined> {
    for (const namespace of own) {
      if (!isTerminating(namespace)) {
        await client.remove(`${PATHS.namespaces}/${nameOf(namespace)}`, uidOf(namespace));
        continue;
      }
      await stripNamespace(namespace);
      // While there are pods, the host looks at nothing else, and does not say what holds them.
      if (remainingKinds(namespace) === undefined) await stripAll(collectionIn(nameOf(namespace), PODS), asTenant);
      if (remainingFinalizers(namespace).some(isTenants)) await sweep(nameOf(namespace), id, asTenant, kinds);
    }
    return namespacesLeft(own);
  }

  /** A namespace itself may have finalizers of the tenant's, in two places; `kubernetes` is the host's and stays. */
  async function stripNamespace(namespace: JsonObject): Promise<void> {
    await strip(PATHS.namespaces, namespace, client);
    const finalizers = child(namespace, 'spec')['finalizers'];
    const kept = (Array.isArray(finalizers) ? finalizers : []).filter((one) => !isTenants(String(one)));
    if (!Array.isArray(finalizers) || kept.length === finalizers.length) return;
    // What is refused, because it has changed meanwhile, the next look sees to.
    await upstream.request({
      identity: { as: 'provisioner' },
      method: 'PUT',
      path: `${PATHS.namespaces}/${nameOf(namespace)}/finalize`,
      contentType: 'application/json',
      body: JSON.stringify({ ...namespace, apiVersion: 'v1', kind: 'Namespace', spec: { finalizers: kept } }),
      signal,
    });
  }

  /** Strips finalizers from everything in a namespace. As the tenant, who has every right in it and none elsewhere. */
  async function sweep(namespace: string, id: TenantId, asTenant: HostClient, kinds: TenantKinds): Promise<void> {
    const all = [...kinds.namespaced, ...(await ownKinds(id))];
    await Promise.all(all.map((kind) => stripAll(collectionIn(namespace, kind), asTenant)));
  }

  async function stripAll(collection: string, asTenant: HostClient): Promise<void> {
    // 404: a definition that has just gone; 403: one whose rights have.
    const items = (await asTenant.list(collection).catch(unless(403, 404))) ?? [];
    for (const item of items) await strip(collection, item, asTenant);
  }

  /** The kinds that this tenant defined itself. */
  async function ownKinds(id: TenantId): Promise<HostKind[]> {
    const definitions = await client.list(PATHS.definitions, labelled(id));
    return definitions.map((object) => customKind(object, id)).filter((kind) => kind !== undefined);
  }

  async function removeClusterScoped(id: TenantId, kind: HostKind, asTenant: HostClient): Promise<string | undefined> {
    const collection = `${kind.root}/${kind.resource}`;
    const own = (await reader.list(collection, labelled(id))).filter((item) => isOwn(id, kind, item));
    for (const item of own) {
      const path = `${collection}/${nameOf(item)}`;
      if (!isTerminating(item)) await asTenant.remove(path, uidOf(item));
      else {
        if (kind.resource === DEFINITIONS) await sweepInstances(item, asTenant);
        await strip(collection, item, asTenant);
      }
    }
    return counted(own, kind.resource);
  }

  /** A definition goes when its last object has gone. */
  async function sweepInstances(definition: JsonObject, asTenant: HostClient): Promise<void> {
    const read = readDefinition(definition);
    const kind = read?.clusterScoped ? customKind(definition, read.tenant) : undefined;
    if (kind === undefined) return;
    await stripAll(`${kind.root}/${kind.resource}`, asTenant);
  }

  async function strip(collection: string, item: JsonObject, asTenant: HostClient): Promise<void> {
    const kept = finalizersOf(item).filter((finalizer) => !isTenants(finalizer));
    if (kept.length === finalizersOf(item).length) return;
    const metadata = { finalizers: kept, resourceVersion: versionOf(item) };
    // 409: changed meanwhile; the next look sees to it.
    await asTenant.merge(`${collection}/${nameOf(item)}`, { metadata }).catch(unless(404, 409));
  }

  async function removeSecret(id: TenantId): Promise<void> {
    const path = `${PATHS.secrets}/${clientCaSecretName(id)}`;
    const secret = await client.get(path);
    if (secret !== undefined && labelsOf(secret)[TENANT_LABEL] === id) await client.remove(path, uidOf(secret));
  }

  return { run };
}

function labelled(id: TenantId): ReadonlyArray<readonly [string, string]> {
  return [['labelSelector', `${TENANT_LABEL}=${id}`]];
}

function ownNamespaces(id: TenantId, namespaces: Iterable<JsonObject>): JsonObject[] {
  return [...namespaces].filter((namespace) => labelledOwner(namespace) === id);
}

function isOwn(id: TenantId, kind: HostKind, item: JsonObject): boolean {
  if (namespaceOf(item) !== '') return false;
  return kind.resource === DEFINITIONS ? readDefinition(item)?.tenant === id : labelledOwner(item) === id;
}

/** Finalizers that a controller of the tenant would clear: all but those of Kubernetes and of the proxy. */
export function isTenants(finalizer: string): boolean {
  const slash = finalizer.indexOf('/');
  // `foregroundDeletion`, `orphan`, `kubernetes`: Kubernetes alone may leave out the domain.
  if (slash < 0) return false;
  const domain = finalizer.slice(0, slash);
  return !['kubernetes.io', 'k8s.io', OWN_GROUP].some((own) => domain === own || domain.endsWith(`.${own}`));
}

/** How many there are, and of one of them what the host says is left in it: a stuck one is found by that. */
function namespacesLeft(own: readonly JsonObject[]): string | undefined {
  const held = own.find((namespace) => remainingWords(namespace) !== '');
  const detail = held === undefined ? '' : ` (in ${nameOf(held)}: ${remainingWords(held)})`;
  return own.length === 0 ? undefined : `${own.length} ${own.length === 1 ? 'namespace' : 'namespaces'}${detail}`;
}

function counted(items: readonly JsonObject[], what: string): string | undefined {
  return items.length === 0 ? undefined : `${items.length} ${what}`;
}
