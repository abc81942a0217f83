/**
 * A tenant's quota in its namespaces. Who gets how much stands in one place, an annotation of the Tenant, that a replica
 * changes only from the version it has read; so two replicas never give out the same part twice. What the namespaces then
 * hold follows it.
 */
import { annotationOf, isTerminating, metadataOf, nameOf, namespaceOf, versionOf } from '../../k8s/meta.ts';
import { child } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import type { HostGuards } from '../../tenancy/host-guards.ts';
import { GUARD_OBJECT } from '../../tenancy/host-names.ts';
import { OWN_PREFIX, type TenantId, tenantOf, type UpstreamName } from '../../tenancy/names.ts';
import { type HostClient, unless } from '../../upstream/host-client.ts';
import { labelledOwner, PATHS } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import { policyOf } from '../tenants/tenant-registry.ts';
import { amounts, factsOf, hardOf, ledgerText, readLedger, type ShareFacts, type Shares } from './quota-facts.ts';
import { split } from './quota-split.ts';

/** On a Tenant: what each of its namespaces has been given. */
const LEDGER = `${OWN_PREFIX}quota`;
/** Changes that come together are looked at together. */
const PAUSE_MS = 50;

export interface QuotaGuardsOptions {
  client: HostClient;
  informers: HostInformers;
  guardsOf: (policy: string, tenant: TenantId) => HostGuards | undefined;
  /** A namespace that is to hold another share. */
  onChange: (namespace: string) => void;
  onError: (what: string, error: unknown) => void;
}

export interface QuotaGuards {
  /** The spec that the quota of a namespace is to have; an empty one where the policy has none. @throws {HostError} */
  wanted(tenant: TenantId, namespace: string, guards: HostGuards): Promise<JsonObject>;
  /** Tells the host what a quota allows that was just written: it holds to nothing new before it has looked itself. */
  putInForce(quota: JsonObject): Promise<void>;
  /** Looks again at what a tenant has been given. */
  add(tenant: TenantId): void;
  stop(): Promise<void>;
}

export function createQuotaGuards(options: QuotaGuardsOptions): QuotaGuards {
  const { client, informers, guardsOf, onChange } = options;

  function ledgerOf(tenant: TenantId): Shares {
    const stored = informers.tenants.get('', tenant);
    return readLedger(stored && annotationOf(stored, LEDGER));
  }

  async function settle(tenant: TenantId): Promise<void> {
    const stored = informers.tenants.get('', tenant);
    if (stored === undefined || isTerminating(stored)) return;
    const guards = guardsOf(policyOf(stored), tenant);
    // A policy that is not loaded leaves what is there.
    if (guards === undefined) return;
    const total = amounts({ ...guards.quota });
    const before = readLedger(annotationOf(stored, LEDGER));
    const after = total.size === 0 ? new Map() : split(total, factsOfAll(tenant, before));
    const text = after.size === 0 ? null : ledgerText(after);
    if (text === (annotationOf(stored, LEDGER) ?? null)) return;
    const metadata = { annotations: { [LEDGER]: text }, resourceVersion: versionOf(stored) };
    informers.tenants.note(await client.merge(`${PATHS.tenants}/${tenant}`, { metadata }));
    const changed = [...new Set([...before.keys(), ...after.keys()])];
    for (const name of changed)
      if (JSON.stringify(shown(before, name)) !== JSON.stringify(shown(after, name))) onChange(name);
  }

  function factsOfAll(tenant: TenantId, ledger: Shares): Map<string, ShareFacts> {
    const facts = new Map<string, ShareFacts>();
    for (const namespace of informers.namespaces.list()) {
      if (labelledOwner(namespace) !== tenant) continue;
      const name = nameOf(namespace);
      facts.set(name, factsOf(namespace, ledger.get(name), informers.quotas.get(name, GUARD_OBJECT)));
    }
    return facts;
  }

  const queue = createWorkQueue({
    work: async (tenant) => void (await settle(tenant as TenantId)),
    concurrency: 8,
    onError: (tenant, error) => options.onError(`the quota of ${tenant}`, error),
  });
  const add = (tenant: string | undefined) => {
    if (tenant !== undefined) queue.addAfter(tenant, PAUSE_MS);
  };
  const stops = [
    informers.quotas.subscribe(({ object }) => add(tenantOf(namespaceOf(object) as UpstreamName))),
    informers.namespaces.subscribe(({ object }) => add(labelledOwner(object))),
    informers.tenants.subscribe(({ type, object }) => add(type === 'deleted' ? undefined : nameOf(object))),
  ];

  return {
    async wanted(tenant, namespace, guards) {
      if (Object.keys(guards.quota).length === 0) return {};
      if (!ledgerOf(tenant).has(namespace)) await settle(tenant);
      const share = ledgerOf(tenant).get(namespace);
      if (share === undefined) throw new Error(`namespace ${namespace} has no share of the quota yet; trying again`);
      return { hard: hardOf(share) };
    },
    async putInForce(quota) {
      const [wanted, said] = ['spec', 'status'].map((part) => child(child(quota, part), 'hard'));
      const fresh = Object.entries(wanted ?? {}).filter(([resource]) => said?.[resource] === undefined);
      if (fresh.length === 0) return;
      const hard = Object.fromEntries(fresh);
      const used = Object.fromEntries(fresh.map(([resource]) => [resource, '0']));
      const path = `${PATHS.quotas(namespaceOf(quota))}/${nameOf(quota)}/status`;
      const metadata = { resourceVersion: metadataOf(quota)['resourceVersion'] ?? null };
      // The host was faster: then it has looked.
      const answer = await client.merge(path, { metadata, status: { hard, used } }).catch(unless(409));
      if (answer !== undefined) informers.quotas.note(answer);
    },
    add,
    async stop() {
      for (const stop of stops) stop();
      await queue.stop();
    },
  };
}

function shown(shares: Shares, name: string): JsonObject | undefined {
  const share = shares.get(name);
  return share && hardOf(share);
}
