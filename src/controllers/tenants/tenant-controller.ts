/**
 * Brings each Tenant to where a kubeconfig of it works: finalizer, client CA, a place in the list of whom the data path
 * impersonates, the namespace `default` with a guard that is seen to work; then `Active`. Level-triggered: it looks at
 * what is there and does what is missing, so a crash in the middle leaves nothing that the next look does not mend.
 */

import { finalizersOf, isTerminating, labelsOf, nameOf, uidOf, versionOf } from '../../k8s/meta.ts';
import { child } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import { type HostGuards, withGuards } from '../../tenancy/host-guards.ts';
import { RELAY_OBJECT, TENANT_FINALIZER } from '../../tenancy/host-names.ts';
import {
  TENANT_LABEL,
  type TenantId,
  type TenantName,
  tenantIdProblem,
  tenantOf,
  toUpstreamName,
  type UpstreamName,
} from '../../tenancy/names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import { HostError } from '../../upstream/host-client.ts';
import type { HostLists } from '../host/host-lists.ts';
import { isOfTenant, labelledOwner, namespaceObject, PATHS } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import type { NamespaceProofs } from '../namespaces/namespace-proofs.ts';
import { ensureClientCa } from './client-ca.ts';
import { readTenant } from './tenant-registry.ts';
import type { TenantRemoval } from './tenant-removal.ts';
import { nextStatus, type TenantState } from './tenant-status.ts';

export interface TenantControllerOptions {
  client: HostClient;
  informers: HostInformers;
  lists: HostLists;
  proofs: NamespaceProofs;
  removal: TenantRemoval;
  /** Ids that the operator keeps for other uses. */
  reserved: () => ReadonlySet<string>;
  policyNames: () => ReadonlySet<string>;
  guardsOf: (policy: string, tenant: TenantId) => HostGuards | undefined;
  signal: AbortSignal;
  nowMs: () => number;
  onError: (what: string, error: unknown) => void;
}

export interface TenantController {
  /** The policy files have changed. */
  lookAgain(): void;
  stop(): Promise<void>;
}

const DEFAULT = 'default' as TenantName;
/** How long a Tenant may wait for its first namespace before the queue takes it up again. */
const NAMESPACE_TIMEOUT_MS = 10_000;
/** Namespaces that go are heard of; cluster-scoped objects of a tenant that goes are not watched. */
const REMOVAL_LOOK_AGAIN_MS = 2_000;
/** Whether a policy has come is known to this process; asking costs nothing. */
const POLICY_LOOK_AGAIN_MS = 2_000;
/** What the operator sets up on the host by hand is not watched. */
const RELAY_LOOK_AGAIN_MS = 10_000;
const NO_RELAY =
  'the policy says controllerObjects and the relay is not set up on this host, so it makes no pods of Deployments, Jobs and the like for this tenant: kubeveil relay | kubectl apply -f -';

/** Something only the operator can mend; said in a condition. */
class Blocked extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

function taken(namespace: JsonObject): Blocked {
  const whose = labelsOf(namespace)[TENANT_LABEL] === undefined ? 'the host' : 'an earlier tenant of this id';
  return new Blocked(
    'NamespaceTaken',
    `namespace ${nameOf(namespace)} belongs to ${whose}; delete it, or delete this Tenant`,
  );
}

export function createTenantController(options: TenantControllerOptions): TenantController {
  const { client, informers, lists, proofs, removal, signal, nowMs } = options;

  async function reconcile(key: string): Promise<number | undefined> {
    const tenant = informers.tenants.get('', key);
    if (tenant === undefined) return undefined;
    if (isTerminating(tenant)) return remove(tenant);
    const problem = tenantIdProblem(key, options.reserved());
    if (problem !== undefined) {
      const message = `the name of this Tenant cannot be the id of a tenant: it ${problem}; delete it and choose another`;
      await report(tenant, { phase: 'Pending', reason: 'InvalidId', message });
      return undefined;
    }
    const missing = missingPolicy(tenant, options.policyNames());
    if (missing !== undefined) {
      await report(tenant, { phase: 'Pending', reason: 'PolicyNotFound', message: missing });
      return POLICY_LOOK_AGAIN_MS;
    }
    try {
      const state = await provide(tenant);
      await report(tenant, state);
      return asksForRelay(tenant) ? RELAY_LOOK_AGAIN_MS : undefined;
    } catch (error) {
      if (error instanceof Blocked) {
        await report(tenant, { phase: 'Pending', reason: error.reason, message: error.message });
      }
      throw error;
    }
  }

  async function provide(tenant: JsonObject): Promise<TenantState> {
    const owner = { id: nameOf(tenant) as TenantId, uid: uidOf(tenant) };
    await keepFinalizer(tenant);
    refuseTaken(owner);
    const isLikelyNew = child(tenant, 'status')['clientCa'] === undefined;
    const [clientCa, noRelay] = await Promise.all([
      ensureClientCa(client, owner, { isLikelyNew }),
      missingRelay(tenant),
      lists.include(owner.id),
      ensureDefault(owner, readTenant(tenant).policy),
    ]);
    if (child(tenant, 'spec')['suspended'] === true) {
      return { phase: 'Suspended', reason: 'Suspended', message: 'suspended by spec.suspended', clientCa, noRelay };
    }
    return { phase: 'Active', reason: 'Ready', message: 'the virtual cluster is in service', clientCa, noRelay };
  }

  /**
   * A namespace that looks like the tenant's and is not, made before the walls stood or left by an earlier tenant, would
   * be read as the tenant's wherever the prefix alone decides. Since the walls stand nobody can make another.
   */
  function refuseTaken(owner: { id: TenantId; uid: string }): void {
    for (const namespace of informers.namespaces.list()) {
      const name = nameOf(namespace);
      if (tenantOf(name as UpstreamName) === owner.id && !isOfTenant(namespace, owner)) throw taken(namespace);
    }
  }

  function asksForRelay(tenant: JsonObject): boolean {
    const { id, policy } = readTenant(tenant);
    return options.guardsOf(policy, id)?.relays === true;
  }

  /** What to tell the operator where the host asks nobody about what it makes for the tenant, and refuses all of it. */
  async function missingRelay(tenant: JsonObject): Promise<string | undefined> {
    if (!asksForRelay(tenant)) return undefined;
    return (await client.get(`${PATHS.mutatingPolicies}/${RELAY_OBJECT}`)) === undefined ? NO_RELAY : undefined;
  }

  async function keepFinalizer(tenant: JsonObject): Promise<void> {
    const finalizers = finalizersOf(tenant);
    if (finalizers.includes(TENANT_FINALIZER)) return;
    const patch = { finalizers: [...finalizers, TENANT_FINALIZER], resourceVersion: versionOf(tenant) };
    informers.tenants.note(await client.merge(`${PATHS.tenants}/${nameOf(tenant)}`, { metadata: patch }));
  }

  /** Makes `default` and waits until the namespace controller has seen its guard work. */
  async function ensureDefault(owner: { id: TenantId; uid: string }, policy: string): Promise<void> {
    const name = toUpstreamName(owner.id, DEFAULT);
    let namespace = informers.namespaces.get('', name);
    if (namespace === undefined) {
      const guards = options.guardsOf(policy, owner.id);
      if (guards === undefined) throw new Error(`the policy ${policy} went away; trying again`);
      const wanted = withGuards(namespaceObject(owner, DEFAULT), guards);
      namespace = await client.create(PATHS.namespaces, wanted).catch(alreadyThere);
      namespace ??= await client.get(`${PATHS.namespaces}/${name}`);
      if (namespace === undefined) throw new Error(`namespace ${name} came and went; trying again`);
    }
    if (!isOfTenant(namespace, owner)) throw taken(namespace);
    if (isTerminating(namespace)) throw new Blocked('NamespaceTerminating', `namespace ${name} is being deleted`);
    informers.namespaces.note(namespace);
    const patience = AbortSignal.any([signal, AbortSignal.timeout(NAMESPACE_TIMEOUT_MS)]);
    await proofs.whenProven(name, uidOf(namespace), patience).catch((cause: unknown) => {
      throw new Error(`the guard of namespace ${name} has not been seen to work yet`, { cause });
    });
  }

  async function remove(tenant: JsonObject): Promise<number | undefined> {
    if (!finalizersOf(tenant).includes(TENANT_FINALIZER)) return undefined;
    const left = await removal.run(tenant);
    if (left.length > 0) {
      await report(tenant, { phase: 'Terminating', reason: 'Terminating', message: `deleting ${left.join(', ')}` });
      return REMOVAL_LOOK_AGAIN_MS;
    }
    const latest = (await client.get(`${PATHS.tenants}/${nameOf(tenant)}`)) ?? tenant;
    if (uidOf(latest) !== uidOf(tenant)) return undefined;
    const finalizers = finalizersOf(latest).filter((finalizer) => finalizer !== TENANT_FINALIZER);
    const metadata = { finalizers, resourceVersion: versionOf(latest) };
    await client.merge(`${PATHS.tenants}/${nameOf(tenant)}`, { metadata });
    return undefined;
  }

  async function report(tenant: JsonObject, state: TenantState): Promise<void> {
    // What was read at the start may have got a finalizer meanwhile; the status is compared with the newest.
    const latest = informers.tenants.get('', nameOf(tenant)) ?? tenant;
    if (uidOf(latest) !== uidOf(tenant)) return;
    const status = nextStatus(latest, state, nowMs());
    if (status === undefined) return;
    if (state.noRelay !== undefined) options.onError(`tenant ${nameOf(tenant)}`, new Error(state.noRelay));
    const patch = { metadata: { uid: uidOf(tenant) }, status };
    informers.tenants.note(await client.merge(`${PATHS.tenants}/${nameOf(tenant)}/status`, patch));
  }

  const queue = createWorkQueue({
    work: reconcile,
    concurrency: 32,
    onError: (tenant, error, attempt) => {
      if (!signal.aborted) options.onError(`tenant ${tenant}, try ${attempt}`, error);
    },
  });
  const stops = [
    informers.tenants.subscribe(({ type, object }) => {
      if (type !== 'deleted') queue.add(nameOf(object));
    }),
    // The namespace `default` may have been deleted on the host; the last namespace of a tenant that goes may be gone.
    informers.namespaces.subscribe(({ type, object }) => {
      const owner = labelledOwner(object) ?? tenantOf(nameOf(object) as UpstreamName);
      if (owner === undefined) return;
      if (type === 'deleted' || (isTerminating(object) && ownerGoes(owner))) queue.add(owner);
    }),
  ];

  function ownerGoes(owner: TenantId): boolean {
    const tenant = informers.tenants.get('', owner);
    return tenant !== undefined && isTerminating(tenant);
  }

  return {
    lookAgain() {
      for (const tenant of informers.tenants.list()) queue.add(nameOf(tenant));
    },
    async stop() {
      for (const stop of stops) stop();
      await queue.stop();
    },
  };
}

/** What to tell the operator of a Tenant that names no policy there is; undefined when its policy is there. */
function missingPolicy(tenant: JsonObject, names: ReadonlySet<string>): string | undefined {
  const { policy } = readTenant(tenant);
  if (names.has(policy)) return undefined;
  const known = [...names].sort().join(', ');
  return `there is no policy ${JSON.stringify(policy)}; add ${policy}.yaml to the policy files, or name one of these: ${known}`;
}

function alreadyThere(error: unknown): undefined {
  if (error instanceof HostError && error.reason === 'AlreadyExists') return undefined;
  throw error;
}
