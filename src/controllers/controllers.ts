/**
 * Starts everything that keeps the host right for its tenants, and what the request path sees of it. Safe to run in
 * several replicas: each write is what any other replica would write, and a write that comes too late changes nothing.
 */
import type { Informer } from '../k8s/informer.ts';
import { nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { createWorkQueue } from '../lib/work-queue.ts';
import type { NamespaceRegistry, Provisioner, TenantRegistry, Upstream } from '../ports.ts';
import type { HostGuards } from '../tenancy/host-guards.ts';
import type { TenantId } from '../tenancy/names.ts';
import { createHostClient } from '../upstream/host-client.ts';
import { createApiServiceController } from './api-service/api-service-controller.ts';
import type { Advertised } from './api-service/api-service-objects.ts';
import { createCustomController } from './custom/custom-controller.ts';
import { createNamespaceGuards } from './guards/namespace-guards.ts';
import { createQuotaGuards } from './guards/quota-guards.ts';
import { createTenantKinds } from './host/host-kinds.ts';
import { createHostLists } from './host/host-lists.ts';
import { createHostInformers, type HostInformers, whenAllSynced } from './host/informers.ts';
import { createNamespaceController, type NamespaceController } from './namespaces/namespace-controller.ts';
import { createNamespaceProofs } from './namespaces/namespace-proofs.ts';
import { createNamespaceRegistry } from './namespaces/namespace-registry.ts';
import { createProvisioner } from './namespaces/provisioner.ts';
import { createRootCaController } from './pods/root-ca-controller.ts';
import { keepRulesPolicy } from './policies/rules-controller.ts';
import { createTenantController } from './tenants/tenant-controller.ts';
import { createTenantRegistry } from './tenants/tenant-registry.ts';
import { createTenantRemoval } from './tenants/tenant-removal.ts';
import { type ImpersonationForm, impersonationForm } from './walls/impersonation.ts';

const LISTS_PAUSE_MS = 1_000;
/** How the host limits impersonation may change while this runs, by a restart of its API server. */
const LISTS_LOOK_AGAIN_MS = 10_000;

export interface ControllersOptions {
  upstream: Upstream;
  /** Follows a collection of the host as the provisioner, until `signal` ends it. */
  createInformer: (path: string, query: ReadonlyArray<readonly [string, string]>) => Informer;
  /** Ids that no tenant may have, beyond the built-in ones. */
  reserved?: () => ReadonlySet<string>;
  /** Names of the policies that a Tenant may name, as they are now. */
  policyNames: () => ReadonlySet<string>;
  /** What the host holds for a tenant under the policy of this name; undefined when there is none. */
  guardsOf: (policy: string, tenant: TenantId) => HostGuards | undefined;
  /** Spec of the host's policy with the rules of the policy files, as they are now. */
  rulesPolicy: () => JsonObject;
  /** Where pods reach the proxy; see api-service/. */
  advertised?: Advertised | undefined;
  /** By which pods know the proxy. */
  rootCaPem: string;
  /** Ends everything. */
  signal: AbortSignal;
  nowMs?: () => number;
  /** Hears how the host limits impersonation, at first and when that changes. */
  onImpersonation?: (form: ImpersonationForm) => void;
  /** Hears every fault; each is tried again. */
  onError: (what: string, error: unknown) => void;
}

export interface Controllers {
  readonly tenants: TenantRegistry;
  readonly namespaces: NamespaceRegistry;
  readonly provisioner: Provisioner;
  readonly informers: HostInformers;
  /** Resolves when everything has been read once; the registries answer from then on. */
  whenSynced(): Promise<void>;
  /** Brings the namespaces of all tenants to what their policies say now. */
  policiesChanged(): void;
  /** Resolves when the work in progress has ended. Abort the signal first. */
  stop(): Promise<void>;
}

export function startControllers(options: ControllersOptions): Controllers {
  const { upstream, signal, onError } = options;
  const client = createHostClient(upstream, { as: 'provisioner' }, signal);
  const informers = createHostInformers(options.createInformer);
  const proofs = createNamespaceProofs();
  const lists = createHostLists({ client, informers, form });
  const tenants = createTenantRegistry(informers.tenants);
  const namespaces = createNamespaceRegistry({ namespaces: informers.namespaces, tenants: informers.tenants, proofs });
  const provisioner = createProvisioner({
    upstream,
    informers,
    registry: namespaces,
    proofs,
    guardsOf: options.guardsOf,
    signal,
  });

  let lastForm: ImpersonationForm | undefined;
  async function form(): Promise<ImpersonationForm> {
    const found = await impersonationForm(upstream, signal);
    if (found !== lastForm) options.onImpersonation?.(found);
    lastForm = found;
    return found;
  }

  let lookAgain = (): void => {};
  let started: Array<{ stop(): Promise<void> }> = [];
  // Not before everything is read: an empty list of guards would look like guards to make.
  const synced = whenAllSynced(informers).then(() => {
    if (signal.aborted) return;
    const nowMs = options.nowMs ?? Date.now;
    const kindsNow = createTenantKinds(upstream, nowMs);
    const quotas = createQuotaGuards({
      client,
      informers,
      guardsOf: options.guardsOf,
      onChange: (namespace) => namespaceController.add(namespace),
      onError,
    });
    const namespaceController: NamespaceController = createNamespaceController({
      upstream,
      client,
      informers,
      proofs,
      kindsNow,
      guardsOf: options.guardsOf,
      guards: createNamespaceGuards(client, informers, quotas),
      nowMs,
      signal,
      onError,
    });
    const rules = keepRulesPolicy({ client, rulesPolicy: options.rulesPolicy, onError });
    lookAgain = () => {
      tenantController.lookAgain();
      rules.lookAgain();
      for (const tenant of informers.tenants.list()) {
        namespaceController.addAll(nameOf(tenant) as TenantId);
        quotas.add(nameOf(tenant) as TenantId);
      }
    };
    const onChange = (tenant: TenantId) => namespaceController.addAll(tenant);
    const custom = createCustomController({ client, informers, lists, onChange, onError });
    const removal = createTenantRemoval({
      upstream,
      client,
      namespaces: informers.namespaces,
      lists,
      custom,
      kindsNow,
      signal,
    });
    const tenantController = createTenantController({
      client,
      informers,
      lists,
      proofs,
      removal,
      signal,
      reserved: options.reserved ?? (() => new Set()),
      policyNames: options.policyNames,
      guardsOf: options.guardsOf,
      nowMs,
      onError,
    });
    const { createInformer, advertised, rootCaPem } = options;
    const apiService = createApiServiceController({
      upstream,
      informers,
      proofs,
      advertised,
      createInformer,
      signal,
      onError,
    });
    const rootCa = createRootCaController({
      upstream,
      informers,
      proofs,
      caPem: rootCaPem,
      createInformer,
      signal,
      onError,
    });
    started = [tenantController, custom, namespaceController, quotas, apiService, rootCa, keepLists(), rules];
  });
  synced.catch(() => {});

  /**
   * Mends the lists when somebody changed them, or the host. After a pause: another replica may have listed a tenant that
   * this one has yet to hear of.
   */
  function keepLists(): { stop(): Promise<void> } {
    const queue = createWorkQueue({
      work: () => lists.settle().then(() => LISTS_LOOK_AGAIN_MS),
      concurrency: 1,
      onError: (_key, error) => onError('the list of tenants to impersonate', error),
    });
    const unsubscribe = informers.clusterRoles.subscribe(() => queue.addAfter('lists', LISTS_PAUSE_MS));
    return {
      stop() {
        unsubscribe();
        return queue.stop();
      },
    };
  }

  return {
    tenants,
    namespaces,
    provisioner,
    informers,
    whenSynced: () => synced,
    policiesChanged: () => lookAgain(),
    stop: async () => void (await Promise.all(started.map((controller) => controller.stop()))),
  };
}
