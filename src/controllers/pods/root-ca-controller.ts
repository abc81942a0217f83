/**
 * Keeps the ConfigMap with the proxy's CA in every namespace of a tenant: what its pods mount, and what the tenant sees as
 * `kube-root-ca.crt`. Made again when somebody deletes it, set right when somebody changes it. It writes as the tenant,
 * whose rights suffice, so the provisioner gets none.
 *
 * @see k8s.io/kubernetes pkg/controller/certificates/rootcacertpublisher/publisher.go at v1.36
 */
import type { Informer } from '../../k8s/informer.ts';
import { isTerminating, nameOf, namespaceOf, uidOf } from '../../k8s/meta.ts';
import { child } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { sameJson } from '../../lib/same-json.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import type { Upstream } from '../../ports.ts';
import { TENANT_ROOT_CA } from '../../tenancy/root-ca.ts';
import { createHostClient } from '../../upstream/host-client.ts';
import { isOfTenant, labelledOwner } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import { controllerIdentity } from '../namespaces/guard-proof.ts';
import type { NamespaceProofs } from '../namespaces/namespace-proofs.ts';

export interface RootCaControllerOptions {
  readonly upstream: Upstream;
  readonly informers: Pick<HostInformers, 'tenants' | 'namespaces'>;
  readonly proofs: NamespaceProofs;
  readonly caPem: string;
  /** Follows a collection of the host. */
  readonly createInformer: (path: string, query: ReadonlyArray<readonly [string, string]>) => Informer;
  readonly signal: AbortSignal;
  readonly onError: (what: string, error: unknown) => void;
}

const CONFIG_MAPS = '/api/v1/configmaps';
/** As the one of a plain cluster. */
const FIELD_MANAGER = 'kube-controller-manager';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
/** The namespace is about to be ready. */
const LOOK_AGAIN_MS = 250;

export function createRootCaController(options: RootCaControllerOptions): { stop(): Promise<void> } {
  const { upstream, informers, proofs, signal } = options;
  const known = options.createInformer(CONFIG_MAPS, [['fieldSelector', `metadata.name=${TENANT_ROOT_CA}`]]);
  const data = { 'ca.crt': options.caPem };
  const metadata = { name: TENANT_ROOT_CA, annotations: { 'kubernetes.io/description': DESCRIPTION } };
  const wanted: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };

  async function reconcile(name: string): Promise<number | undefined> {
    const namespace = informers.namespaces.get('', name);
    const tenant = namespace && labelledOwner(namespace);
    const owner = tenant && informers.tenants.get('', tenant);
    if (namespace === undefined || tenant === undefined || owner === undefined) return undefined;
    if (isTerminating(namespace) || isTerminating(owner)) return undefined;
    if (!isOfTenant(namespace, { id: tenant, uid: uidOf(owner) })) return undefined;
    if (!proofs.has(name, uidOf(namespace)) || !known.synced) return LOOK_AGAIN_MS;
    const stored = known.get(name, TENANT_ROOT_CA);
    if (stored !== undefined && sameJson(stored['data'], data)) return undefined;
    const client = createHostClient(upstream, controllerIdentity(tenant), signal);
    const path = `/api/v1/namespaces/${name}/configmaps/${TENANT_ROOT_CA}`;
    // An apply takes nothing away that others put in.
    const surplus = Object.keys(child(stored, 'data')).map((key): [string, null] => [key, null]);
    if (surplus.length > 0) await client.merge(path, { data: { ...Object.fromEntries(surplus), ...data } });
    known.note(await client.apply(path, wanted, FIELD_MANAGER));
    return undefined;
  }

  const queue = createWorkQueue({
    work: reconcile,
    concurrency: 8,
    onError: (namespace, error) => {
      if (!signal.aborted) options.onError(`the CA of namespace ${namespace}`, error);
    },
  });
  const stops = [
    informers.namespaces.subscribe(({ type, object }) => {
      if (type !== 'deleted') queue.add(nameOf(object));
    }),
    // Namespaces may be read before their tenants.
    informers.tenants.subscribe(({ type, object }) => {
      if (type !== 'added') return;
      for (const namespace of informers.namespaces.list())
        if (labelledOwner(namespace) === nameOf(object)) queue.add(nameOf(namespace));
    }),
    known.subscribe(({ object }) => queue.add(namespaceOf(object))),
  ];

  return {
    async stop() {
      for (const stop of stops) stop();
      await queue.stop();
    },
  };
}
