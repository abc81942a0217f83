/**
 * Keeps the Service `kubernetes` in each tenant's namespace `default`, with the addresses of the proxy behind it: made
 * with the tenant, made again when somebody deletes it, and set right when the addresses change. It writes as the tenant,
 * whose rights suffice, so the provisioner gets none; it follows objects of this one name only.
 */
import type { Informer } from '../../k8s/informer.ts';
import { isTerminating, nameOf, namespaceOf, uidOf } from '../../k8s/meta.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { sameJson } from '../../lib/same-json.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import type { Upstream } from '../../ports.ts';
import { type TenantId, type TenantName, tenantOf, toUpstreamName, type UpstreamName } from '../../tenancy/names.ts';
import { createHostClient } from '../../upstream/host-client.ts';
import { isOfTenant } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import { controllerIdentity } from '../namespaces/guard-proof.ts';
import type { NamespaceProofs } from '../namespaces/namespace-proofs.ts';
import { type Advertised, API_SERVICE, API_SERVICE_PARTS, type ApiServicePart } from './api-service-objects.ts';

export interface ApiServiceControllerOptions {
  readonly upstream: Upstream;
  readonly informers: Pick<HostInformers, 'tenants' | 'namespaces'>;
  readonly proofs: NamespaceProofs;
  /** Undefined: nothing is known of where pods reach the proxy, and the Service leads nowhere. */
  readonly advertised: Advertised | undefined;
  /** Follows a collection of the host. */
  readonly createInformer: (path: string, query: ReadonlyArray<readonly [string, string]>) => Informer;
  readonly signal: AbortSignal;
  readonly onError: (what: string, error: unknown) => void;
}

const DEFAULT = 'default' as TenantName;
/** As kube-apiserver, whose own is shown as its work. */
const FIELD_MANAGER = 'kube-apiserver';
/** The namespace is about to be ready. */
const LOOK_AGAIN_MS = 250;

interface Followed {
  readonly part: ApiServicePart;
  readonly known: Informer;
}

export function createApiServiceController(options: ApiServiceControllerOptions): { stop(): Promise<void> } {
  const { upstream, informers, proofs, signal } = options;
  const followed: readonly Followed[] = API_SERVICE_PARTS.map((part) => ({
    part,
    known: options.createInformer(`${part.root}/${part.resource}`, [['fieldSelector', `metadata.name=${API_SERVICE}`]]),
  }));

  async function reconcile(key: string): Promise<number | undefined> {
    const tenant = key as TenantId;
    const name = toUpstreamName(tenant, DEFAULT);
    const owner = informers.tenants.get('', tenant);
    const namespace = informers.namespaces.get('', name);
    if (owner === undefined || namespace === undefined || isTerminating(owner) || isTerminating(namespace))
      return undefined;
    if (!isOfTenant(namespace, { id: tenant, uid: uidOf(owner) })) return undefined;
    if (!proofs.has(name, uidOf(namespace)) || !followed.every(({ known }) => known.synced)) return LOOK_AGAIN_MS;
    for (const one of followed) await keep(tenant, name, one);
    return undefined;
  }

  async function keep(tenant: TenantId, namespace: string, { part, known }: Followed): Promise<void> {
    const wanted = part.wanted(options.advertised);
    if (wanted === undefined || holds(known.get(namespace, API_SERVICE), wanted)) return;
    const client = createHostClient(upstream, controllerIdentity(tenant), signal);
    const path = `${part.root}/namespaces/${namespace}/${part.resource}/${API_SERVICE}`;
    known.note(await client.apply(path, wanted, FIELD_MANAGER));
  }

  const queue = createWorkQueue({
    work: reconcile,
    concurrency: 4,
    onError: (tenant, error) => {
      if (!signal.aborted) options.onError(`the Service ${API_SERVICE} of ${tenant}`, error);
    },
  });
  const stops = [
    informers.tenants.subscribe(({ type, object }) => {
      if (type !== 'deleted') queue.add(nameOf(object));
    }),
    ...followed.map(({ known }) =>
      known.subscribe(({ object }) => {
        const tenant = tenantOf(namespaceOf(object) as UpstreamName);
        if (tenant !== undefined) queue.add(tenant);
      }),
    ),
  ];

  return {
    async stop() {
      for (const stop of stops) stop();
      await queue.stop();
    },
  };
}

/** Whether the object says all that is wanted of it, whatever it says besides. */
export function holds(object: JsonValue | undefined, wanted: JsonValue): boolean {
  if (!isObject(wanted)) return Array.isArray(wanted) ? holdsItems(object, wanted) : sameJson(object, wanted);
  return isObject(object) && Object.entries(wanted).every(([key, value]) => holds((object as JsonObject)[key], value));
}

function holdsItems(items: JsonValue | undefined, wanted: readonly JsonValue[]): boolean {
  return (
    Array.isArray(items) && items.length === wanted.length && wanted.every((value, index) => holds(items[index], value))
  );
}
