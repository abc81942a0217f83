/**
 * Keeps each namespace of a tenant usable: guard bound, default service account there, rights on the tenant's own kinds
 * bound where it has any, and the guard seen to work. How a namespace goes is in namespace-release.ts.
 */

import { isTerminating, nameOf, namespaceOf, uidOf, versionOf } from '../../k8s/meta.ts';
import { child } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import type { Upstream } from '../../ports.ts';
import { guardsPatch, type HostGuards } from '../../tenancy/host-guards.ts';
import { CUSTOM_NAME, GUARD_NAME } from '../../tenancy/host-names.ts';
import { type TenantId, tenantOf, type UpstreamName } from '../../tenancy/names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import { unless } from '../../upstream/host-client.ts';
import { definitionsOf } from '../custom/custom-rules.ts';
import type { NamespaceGuards } from '../guards/namespace-guards.ts';
import type { TenantKinds } from '../host/host-kinds.ts';
import { guardBinding, isOfTenant, labelledOwner, PATHS } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import { policyOf } from '../tenants/tenant-registry.ts';
import { guardRight, proveRight } from './guard-proof.ts';
import { ensureGuard, removeGuard } from './guards.ts';
import type { NamespaceProofs } from './namespace-proofs.ts';
import { createNamespaceRelease } from './namespace-release.ts';

export interface NamespaceControllerOptions {
  upstream: Upstream;
  client: HostClient;
  informers: HostInformers;
  proofs: NamespaceProofs;
  kindsNow: () => Promise<TenantKinds>;
  guardsOf: (policy: string, tenant: TenantId) => HostGuards | undefined;
  guards: NamespaceGuards;
  nowMs: () => number;
  signal: AbortSignal;
  onError: (what: string, error: unknown) => void;
}

export interface NamespaceController {
  /** Looks again at one namespace, by its upstream name. */
  add(namespace: string): void;
  /** Looks again at all namespaces of a tenant. */
  addAll(tenant: TenantId): void;
  stop(): Promise<void>;
}

export function createNamespaceController(options: NamespaceControllerOptions): NamespaceController {
  const { upstream, client, informers, proofs, signal } = options;
  const release = createNamespaceRelease(options);

  async function reconcile(name: string): Promise<number | undefined> {
    const namespace = informers.namespaces.get('', name);
    if (namespace === undefined) {
      proofs.forget(name);
      release.forget(name);
      return undefined;
    }
    if (labelledOwner(namespace) === undefined) return undefined;
    if (isTerminating(namespace)) return release.run(namespace);
    const tenant = liveOwner(namespace);
    if (tenant === undefined) return undefined;
    const isNew = !proofs.has(name, uidOf(namespace));
    const [guardChanged] = await Promise.all([
      ensureGuard(client, informers.guards, guardBinding(tenant, name, GUARD_NAME)),
      keepCustom(tenant, name),
      keepPolicy(tenant, namespace),
      isNew ? ensureAccount(name) : undefined,
    ]);
    if (guardChanged || isNew) {
      await proveRight(upstream, tenant, guardRight(name), signal);
      proofs.set(name, uidOf(namespace));
    }
    return undefined;
  }

  /** The tenant this namespace was made for, if it still lives. */
  function liveOwner(namespace: JsonObject): TenantId | undefined {
    const tenant = labelledOwner(namespace);
    const live = tenant && informers.tenants.get('', tenant);
    if (tenant === undefined || live === undefined) return undefined;
    return isOfTenant(namespace, { id: tenant, uid: uidOf(live) }) ? tenant : undefined;
  }

  /** What the tenant's policy has the host hold. A policy that is not loaded leaves what is there. */
  async function keepPolicy(tenant: TenantId, namespace: JsonObject): Promise<void> {
    const guards = options.guardsOf(policyOf(informers.tenants.get('', tenant)), tenant);
    if (guards === undefined) return;
    await Promise.all([keepSaid(namespace, guards), options.guards.keep(tenant, nameOf(namespace), guards)]);
  }

  async function keepSaid(namespace: JsonObject, guards: HostGuards): Promise<void> {
    const patch = guardsPatch(namespace, guards);
    if (patch === undefined) return;
    const metadata = { ...child(patch, 'metadata'), resourceVersion: versionOf(namespace) };
    informers.namespaces.note(await client.merge(`${PATHS.namespaces}/${nameOf(namespace)}`, { metadata }));
  }

  async function keepCustom(tenant: TenantId, namespace: string): Promise<void> {
    const [first] = definitionsOf(informers.definitions.list(), tenant);
    if (first === undefined) {
      const known = informers.guards.get(namespace, CUSTOM_NAME);
      if (known !== undefined) await removeGuard(client, known);
      return;
    }
    const changed = await ensureGuard(client, informers.guards, guardBinding(tenant, namespace, CUSTOM_NAME));
    const right = { namespace, group: first.group, resource: first.plural, verb: 'create' };
    if (changed) await proveRight(upstream, tenant, right, signal);
  }

  /** The host's own controller makes it too, later: at its 20 requests a second many namespaces would wait. */
  async function ensureAccount(namespace: string): Promise<void> {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
    await client.create(PATHS.accounts(namespace), account).catch(unless(409));
  }

  const queue = createWorkQueue({
    work: reconcile,
    concurrency: 16,
    onError: (name, error, attempt) => {
      if (!signal.aborted) options.onError(`namespace ${name}, try ${attempt}`, error);
    },
  });
  const stops = [
    informers.namespaces.subscribe(({ object }) => queue.add(nameOf(object))),
    informers.guards.subscribe(({ object }) => queue.add(namespaceOf(object))),
    options.guards.subscribe((namespace) => {
      if (tenantOf(namespace as UpstreamName) !== undefined) queue.add(namespace);
    }),
    options.guards.stop,
  ];

  function addAll(tenant: TenantId): void {
    for (const namespace of informers.namespaces.list()) {
      if (labelledOwner(namespace) === tenant) queue.add(nameOf(namespace));
    }
  }

  // Namespaces may be read before their tenants; a tenant may get another policy.
  const policies = new Map<string, string>();
  stops.push(
    informers.tenants.subscribe(({ type, object }) => {
      const uid = uidOf(object);
      const policy = type === 'deleted' ? undefined : policyOf(object);
      if (policy !== undefined && policy !== policies.get(uid)) addAll(nameOf(object) as TenantId);
      if (policy === undefined) policies.delete(uid);
      else policies.set(uid, policy);
    }),
  );

  return {
    add: (namespace) => queue.add(namespace),
    addAll,
    async stop() {
      for (const stop of stops) stop();
      await queue.stop();
    },
  };
}
