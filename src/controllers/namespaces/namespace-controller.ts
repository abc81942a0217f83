/**
 * Keeps each namespace of a tenant usable: guard bound, default service account there, rights on the tenant's own kinds
 * bound where it has any, and the guard seen to work. While a namespace goes, the guards stay until nothing else is in it,
 * so that the tenant can still clear its finalizers; then they let go.
 */

import { finalizersOf, isTerminating, nameOf, namespaceOf, uidOf } from '../../k8s/meta.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import type { Upstream } from '../../ports.ts';
import { CUSTOM_NAME, GUARD, GUARD_NAME } from '../../tenancy/host-names.ts';
import type { TenantId } from '../../tenancy/names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import { unless } from '../../upstream/host-client.ts';
import { definitionsOf } from '../custom/custom-rules.ts';
import { guardBinding, isOfTenant, labelledOwner, PATHS } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import { guardRight, proveRight } from './guard-proof.ts';
import { ensureGuard, letGo, removeGuard } from './guards.ts';
import { onlyBindingsRemain } from './namespace-conditions.ts';
import type { NamespaceProofs } from './namespace-proofs.ts';

export interface NamespaceControllerOptions {
  upstream: Upstream;
  client: HostClient;
  informers: HostInformers;
  proofs: NamespaceProofs;
  signal: AbortSignal;
  onError: (what: string, error: unknown) => void;
}

export interface NamespaceController {
  /** Looks again at all namespaces of a tenant. */
  addAll(tenant: TenantId): void;
  stop(): Promise<void>;
}

/** Conditions come by the watch; this is for the case that the last of them came before the guards were known. */
const LOOK_AGAIN_MS = 5_000;

export function createNamespaceController(options: NamespaceControllerOptions): NamespaceController {
  const { upstream, client, informers, proofs, signal } = options;

  async function reconcile(name: string): Promise<number | undefined> {
    const namespace = informers.namespaces.get('', name);
    if (namespace === undefined) {
      proofs.forget(name);
      return undefined;
    }
    if (labelledOwner(namespace) === undefined) return undefined;
    if (isTerminating(namespace)) return release(namespace);
    const tenant = liveOwner(namespace);
    if (tenant === undefined) return undefined;
    const isNew = !proofs.has(name, uidOf(namespace));
    const [guardChanged] = await Promise.all([
      ensureGuard(client, informers.guards, guardBinding(tenant, name, GUARD_NAME)),
      keepCustom(tenant, name),
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

  async function release(namespace: JsonObject): Promise<number | undefined> {
    const name = nameOf(namespace);
    const held = [CUSTOM_NAME, GUARD_NAME]
      .map((guard) => informers.guards.get(name, guard))
      .filter((guard) => guard !== undefined && finalizersOf(guard).includes(GUARD)) as JsonObject[];
    if (held.length === 0) return undefined;
    if (!onlyBindingsRemain(namespace)) return LOOK_AGAIN_MS;
    const rest = (await client.list(PATHS.bindings(name))).filter(
      (item) => !held.some((g) => nameOf(g) === nameOf(item)),
    );
    if (rest.length > 0) return LOOK_AGAIN_MS;
    for (const guard of held) await letGo(client, guard);
    return undefined;
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
  ];

  function addAll(tenant: TenantId): void {
    for (const namespace of informers.namespaces.list()) {
      if (labelledOwner(namespace) === tenant) queue.add(nameOf(namespace));
    }
  }

  // Namespaces may be read before their tenants.
  stops.push(
    informers.tenants.subscribe(({ type, object }) => {
      if (type === 'added') addAll(nameOf(object) as TenantId);
    }),
  );

  return {
    addAll,
    async stop() {
      for (const stop of stops) stop();
      await queue.stop();
    },
  };
}
