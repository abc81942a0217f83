/**
 * Everything that the proxy keeps in a namespace of a tenant by its policy, besides what gives it its rights.
 *
 * A quota, a LimitRange and a NetworkPolicy are there whatever the policy says, and say nothing where it says nothing: a
 * quota of the tenant's own may keep out what is to be made, and never what is to be changed. So a policy that becomes
 * stricter is held in every namespace.
 */
import type { Informer } from '../../k8s/informer.ts';
import { labelsOf, nameOf, namespaceOf } from '../../k8s/meta.ts';
import { child } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { HostGuards } from '../../tenancy/host-guards.ts';
import { GUARD, GUARD_OBJECT } from '../../tenancy/host-names.ts';
import type { TenantId } from '../../tenancy/names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import { PATHS } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import { type GuardKind, keepObjects } from './keep-objects.ts';
import { networkPolicies } from './network-guards.ts';
import type { QuotaGuards } from './quota-guards.ts';

/** As the host gives it back. */
const NO_LIMITS: JsonObject = { limits: null };

export interface NamespaceGuards {
  /** Brings the objects in a namespace to what the guards say. @throws {HostError} */
  keep(tenant: TenantId, namespace: string, guards: HostGuards): Promise<void>;
  /** Calls back with a namespace in which something of this changed. Returns how to end it. */
  subscribe(changed: (namespace: string) => void): () => void;
  stop(): void;
}

export function createNamespaceGuards(
  client: HostClient,
  informers: HostInformers,
  quotas: QuotaGuards,
): NamespaceGuards {
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

  const quota: GuardKind = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    path: PATHS.quotas,
    known: only(informers.quotas),
    onWritten: (written) => quotas.putInForce(written),
  };
  const limitRange: GuardKind = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    path: PATHS.limitRanges,
    known: only(informers.limitRanges),
  };

  return {
    async keep(tenant, namespace, guards) {
      const own = policies.in(namespace).filter((policy) => !isGuard(policy));
      const network = networkPolicies(
        tenant,
        guards.network,
        own.map((policy) => child(policy, 'spec')),
      );
      const at = { tenant, namespace };
      await Promise.all([
        keepObjects(client, networkPolicy, at, network),
        keepObjects(client, limitRange, at, one(guards.limitRange ?? NO_LIMITS)),
        quotas.wanted(tenant, namespace, guards).then((spec) => keepObjects(client, quota, at, one(spec))),
      ]);
    },
    subscribe(changed) {
      const stops = [informers.networkPolicies, informers.quotas, informers.limitRanges].map((informer) =>
        informer.subscribe(({ object }) => changed(namespaceOf(object))),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },
    stop: policies.stop,
  };
}

/** The one object of a kind, under the name that is kept for it. */
function one(spec: JsonObject): Map<string, JsonObject> {
  return new Map([[GUARD_OBJECT, spec]]);
}

/** Of an informer that holds nothing but guards, one of them in each namespace. */
function only(informer: Informer): GuardKind['known'] {
  return {
    inNamespace(namespace) {
      const found = informer.get(namespace, GUARD_OBJECT);
      return found === undefined ? [] : [found];
    },
    note: (object) => informer.note(object),
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
