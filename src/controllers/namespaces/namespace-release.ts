/**
 * How a namespace of a tenant goes. Its guards stay until nothing else is in it, so that the tenant's own controllers can
 * still clear their finalizers; then they let go, and the host's namespace controller, which comes by every five seconds,
 * takes the rest.
 *
 * Two looks of that controller are saved. Its first look is at pods alone, if there are any: so these are deleted at once,
 * as it would do five seconds later, and its first look is the whole one. And what that look names as left is looked at
 * here until it is gone, rather than at the next look.
 *
 * @see k8s.io/kubernetes pkg/controller/namespace/deletion/namespaced_resources_deleter.go at v1.36
 */
import { finalizersOf, isTerminating, metadataOf, nameOf, uidOf } from '../../k8s/meta.ts';
import { text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { Upstream } from '../../ports.ts';
import { CUSTOM_NAME, GUARD, GUARD_NAME } from '../../tenancy/host-names.ts';
import type { TenantId } from '../../tenancy/names.ts';
import { createHostClient, type HostClient, unless } from '../../upstream/host-client.ts';
import { customKind } from '../custom/custom-rules.ts';
import { collectionIn, type HostKind, type TenantKinds } from '../host/host-kinds.ts';
import { labelledOwner, PATHS } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import { controllerIdentity } from './guard-proof.ts';
import { letGo } from './guards.ts';
import { type RemainingKind, remainingKinds } from './namespace-conditions.ts';

export interface NamespaceReleaseOptions {
  upstream: Upstream;
  /** As the provisioner. */
  client: HostClient;
  informers: HostInformers;
  kindsNow: () => Promise<TenantKinds>;
  nowMs: () => number;
  signal: AbortSignal;
  onError: (what: string, error: unknown) => void;
}

export interface NamespaceRelease {
  /** One look at a namespace that goes, and what follows from it. Resolves with when to look again. */
  run(namespace: JsonObject): Promise<number | undefined>;
  /** The namespace is gone. */
  forget(name: string): void;
}

/** Conditions come by the watch; this is for the case that the last of them came before the guards were known. */
const LOOK_AGAIN_MS = 5_000;
const LOOK_AGAIN_MIN_MS = 500;
/** Each pod is a request; of more than this the host takes care. */
const PODS_MAX = 100;
const PODS = { root: '/api/v1', resource: 'pods' } as const;

export function createNamespaceRelease(options: NamespaceReleaseOptions): NamespaceRelease {
  const { upstream, client, informers, kindsNow, nowMs, signal, onError } = options;
  /** Name -> uid of namespaces whose pods have been deleted here. */
  const begun = new Map<string, string>();

  async function run(namespace: JsonObject): Promise<number | undefined> {
    const name = nameOf(namespace);
    const tenant = labelledOwner(namespace);
    const held = guardsHeld(name);
    if (tenant === undefined || held.length === 0) return undefined;
    const asTenant = createHostClient(upstream, controllerIdentity(tenant), signal);
    if (begun.get(name) !== uidOf(namespace)) {
      begun.set(name, uidOf(namespace));
      // The host does it as well, only later.
      await deletePods(name, asTenant).catch((error: unknown) => onError(`pods of namespace ${name}`, error));
    }
    const left = remainingKinds(namespace);
    if (left === undefined) return LOOK_AGAIN_MS;
    for (const kind of left.filter((one) => !isBindings(one))) {
      if (!(await isGone(kind, name, tenant, asTenant))) return againMs(namespace);
    }
    const bindings = await client.list(PATHS.bindings(name));
    if (bindings.some((binding) => !held.some((guard) => nameOf(guard) === nameOf(binding)))) return againMs(namespace);
    for (const guard of held) await letGo(client, guard);
    return undefined;
  }

  function guardsHeld(name: string): JsonObject[] {
    return [CUSTOM_NAME, GUARD_NAME]
      .map((guard) => informers.guards.get(name, guard))
      .filter((guard) => guard !== undefined)
      .filter((guard) => finalizersOf(guard).includes(GUARD));
  }

  /** Each by its uid: a namespace of the same name may have been made since, through another replica. */
  async function deletePods(name: string, asTenant: HostClient): Promise<void> {
    const collection = collectionIn(name, PODS);
    const pods = await asTenant.list(collection, [['limit', String(PODS_MAX)]]);
    const standing = pods.filter((pod) => !isTerminating(pod));
    await Promise.all(standing.map((pod) => asTenant.remove(`${collection}/${nameOf(pod)}`, uidOf(pod))));
  }

  /** False also when it cannot be known. */
  async function isGone(
    kind: RemainingKind,
    namespace: string,
    tenant: TenantId,
    asTenant: HostClient,
  ): Promise<boolean> {
    const found = await find(kind, tenant);
    if (found === undefined) return false;
    // 403: a kind of the host's, or of a definition whose rights have gone.
    const items = await asTenant.list(collectionIn(namespace, found), [['limit', '1']]).catch(unless(403, 404));
    return items?.length === 0;
  }

  async function find({ group, resource }: RemainingKind, tenant: TenantId): Promise<HostKind | undefined> {
    const { namespaced } = await kindsNow();
    const own = [...informers.definitions.list()].map((object) => customKind(object, tenant));
    return [...namespaced, ...own].find((kind) => kind?.resource === resource && groupOf(kind.root) === group);
  }

  /** Soon after the host has looked, then rarer. */
  function againMs(namespace: JsonObject): number {
    const deletedMs = Date.parse(text(metadataOf(namespace), 'deletionTimestamp'));
    return Math.min(Math.max((nowMs() - deletedMs) / 10, LOOK_AGAIN_MIN_MS), LOOK_AGAIN_MS);
  }

  return { run, forget: (name) => begun.delete(name) };
}

function isBindings({ group, resource }: RemainingKind): boolean {
  return group === 'rbac.authorization.k8s.io' && resource === 'rolebindings';
}

/** `/apis/apps/v1` -> `apps`; `/api/v1` -> `''`. */
function groupOf(root: string): string {
  return root.startsWith('/apis/') ? (root.split('/')[2] ?? '') : '';
}
