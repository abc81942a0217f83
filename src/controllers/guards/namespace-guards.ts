/** Everything that the proxy keeps in a namespace of a tenant by its policy, besides what gives it its rights. */
import type { Informer } from '../../k8s/informer.ts';
import { labelsOf, nameOf, namespaceOf } from '../../k8s/meta.ts';
import { child } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { HostGuards } from '../../tenancy/host-guards.ts';
import { GUARD } from '../../tenancy/host-names.ts';
import type { TenantId } from '../../tenancy/names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import { PATHS } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import { type GuardKind, keepObjects } from './keep-objects.ts';
import { networkPolicies } from './network-guards.ts';

export interface NamespaceGuards {
  /** Brings the objects in a namespace to what the guards say. @throws {HostError} */
  keep(tenant: TenantId, namespace: string, guards: HostGuards): Promise<void>;
  /** Calls back with a namespace in which something of this changed. Returns how to end it. */
  subscribe(changed: (namespace: string) => void): () => void;
  stop(): void;
}

export function createNamespaceGuards(client: HostClient, informers: HostInformers): NamespaceGuards {
  const policies = byNamespace(informers.networkPolicies);
  const networkPolicy: GuardKind = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    path: PATHS.networkPolicies,
    known: {
      inNamespace: (namespace) => policies.in(namespace).filter(isGuard),
      note: (object) => informers.networkPolicies.note(object),
    },
  };

  return {
    async keep(tenant, namespace, guards) {
      const own = policies.in(namespace).filter((one) => !isGuard(one));
      const wanted = networkPolicies(
        tenant,
        guards.network,
        own.map((one) => child(one, 'spec')),
      );
      await keepObjects(client, networkPolicy, { tenant, namespace }, wanted);
    },
    subscribe: (changed) => informers.networkPolicies.subscribe(({ object }) => changed(namespaceOf(object))),
    stop: policies.stop,
  };
}

function isGuard(object: JsonObject): boolean {
  return labelsOf(object)[GUARD] !== undefined;
}

/** What an informer holds, by namespace: one namespace is looked at without looking at all of them. */
function byNamespace(informer: Informer): { in(namespace: string): JsonObject[]; stop(): void } {
  const index = new Map<string, Map<string, JsonObject>>();
  const stop = informer.subscribe(({ type, object }) => {
    const namespace = namespaceOf(object);
    const there = index.get(namespace) ?? new Map<string, JsonObject>();
    if (type === 'deleted') there.delete(nameOf(object));
    else there.set(nameOf(object), object);
    if (there.size === 0) index.delete(namespace);
    else index.set(namespace, there);
  });
  return { in: (namespace) => [...(index.get(namespace)?.values() ?? [])], stop };
}
