/**
 * What the proxy knows of the host by following it: which kinds there are, and the roles of tenants. Together with the
 * controllers' informers this is all the state that a request meets.
 */
import { type AdmissionStore, createAdmissionStore, FOLLOWED, type Followed } from '../admission/store.ts';
import { createConfigurationView } from '../admission/view.ts';
import { createRoleView } from '../authz/role-view.ts';
import { createTenantRbac, type TenantRbac } from '../authz/tenant-rbac.ts';
import type { Controllers } from '../controllers/controllers.ts';
import type { Catalog } from '../discovery/catalog.ts';
import { catalogOf } from '../discovery/catalog.ts';
import type { HostHistory } from '../k8s/host-history.ts';
import type { Informer } from '../k8s/informer.ts';
import { child } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { rowAt } from '../kinds/at-version.ts';
import { type Kind, type ResourceKey, VIRTUAL_GROUP } from '../kinds/kind.ts';
import { createKindRegistry, type ListingKindRegistry } from '../kinds/registry.ts';
import { resourceKey } from '../kinds/row.ts';
import { KINDS } from '../kinds/table.ts';
import type { Policies } from '../policy/policy.ts';
import type { HostNames, Upstream } from '../ports.ts';
import { GUARD } from '../tenancy/host-names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { followHostDiscovery, type HostDiscovery } from '../upstream/host-discovery.ts';
import { createInformer } from '../upstream/informer.ts';
import { words } from '../virtual/field-checks.ts';
import { DEFAULT_SERVICE_CIDR, defaultRoles } from '../virtual/standing.ts';
import { createHostNames, FOLLOWED_CLASSES } from './host-classes.ts';

const RBAC = 'rbac.authorization.k8s.io';
const SERVICE_RANGES: readonly Kind[] = KINDS.filter(({ resource }) => resource === 'servicecidrs');
const ONLY_DEFAULT = ['fieldSelector', `metadata.name=${DEFAULT_SERVICE_CIDR}`] as const;
const NOT_GUARDS = ['labelSelector', `!${GUARD}`] as const;

export interface HostViewOptions {
  upstream: Upstream;
  /** Shared by all that follow this host. */
  history: HostHistory;
  controllers: Controllers;
  policies: Policies;
  signal: AbortSignal;
  onError: (what: string, error: unknown) => void;
}

export interface HostView {
  readonly kinds: ListingKindRegistry;
  readonly authorizer: TenantRbac;
  readonly hostNames: HostNames;
  catalogOf(tenant: Tenant): Catalog;
  /** The ClusterRoles of all tenants, in upstream terms. */
  readonly clusterRoles: Informer;
  /** The CertificateSigningRequests of all tenants, in upstream terms. */
  readonly certificateRequests: Informer;
  /** What is followed of the host, by the path of its collection over all namespaces. */
  readonly followed: ReadonlyMap<string, Informer>;
  /** What tenants have set up for admission. */
  readonly configurations: AdmissionStore;
  /** The ValidatingAdmissionPolicies of all tenants, in upstream terms, and how one is in its tenant's. */
  readonly validatingPolicies: Informer;
  policyView(tenant: Tenant, policy: JsonObject): JsonObject | undefined;
  /** From which the host's services have their addresses. */
  serviceRanges(): readonly string[];
  whenSynced(): Promise<void>;
}

export function startHostView(options: HostViewOptions): HostView {
  const { upstream, history, controllers, policies, signal, onError } = options;
  const discovery = followHostDiscovery({ upstream, signal, onError });
  const kinds = createKindRegistry({
    customKinds: controllers.informers.definitions,
    versions: discovery.versions,
    sharedGroups: new Set(),
    profileOf: (tenant) => policies.of(tenant).profile,
    isOffered: (tenant, key) => policies.of(tenant).isOffered(key),
  });

  const followed = new Map<string, Informer>([
    ['/api/v1/namespaces', controllers.informers.namespaces],
    ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', controllers.informers.definitions],
  ]);
  const follow = (path: string, query: ReadonlyArray<readonly [string, string]> = []): Informer => {
    const informer = createInformer({
      upstream,
      identity: { as: 'reader' },
      path,
      query,
      history,
      signal,
      onError: (error) => onError(`following ${path}`, error),
    });
    followed.set(path, informer);
    return informer;
  };
  const informers = {
    roles: follow(`/apis/${RBAC}/v1/roles`),
    rolebindings: follow(`/apis/${RBAC}/v1/rolebindings`, [NOT_GUARDS]),
    clusterroles: follow(`/apis/${VIRTUAL_GROUP}/v1/clusterroles`),
    clusterrolebindings: follow(`/apis/${VIRTUAL_GROUP}/v1/clusterrolebindings`),
  };
  const classes = followServed(FOLLOWED_CLASSES, discovery, follow);
  // Which of what stands without being stored has been stored.
  const ownRanges = follow(`/apis/${VIRTUAL_GROUP}/v1/servicecidrs`);
  const ranges = followServed(SERVICE_RANGES, discovery, (path) => follow(path, [ONLY_DEFAULT]));
  const authorizer = createTenantRbac({
    informers,
    view: createRoleView(kinds.isHostGroup),
    defaults: defaultRoles(),
    onFault: (resource, _object, error) => onError(`reading ${resource}`, error),
  });

  const certificateRequests = follow(`/apis/${VIRTUAL_GROUP}/v1/certificatesigningrequests`);
  const configured = Object.fromEntries(
    FOLLOWED.map((resource) => [resource, follow(`/apis/${VIRTUAL_GROUP}/v1/${resource}`)]),
  ) as Record<Followed, Informer>;
  const configurationView = createConfigurationView(kinds);
  const configurations = createAdmissionStore({
    informers: configured,
    view: configurationView,
    onFault: (resource, error) => onError(`reading ${resource}`, error),
  });

  return {
    kinds,
    authorizer,
    configurations,
    hostNames: createHostNames(classes.informers, policies, (id) => controllers.tenants.get(id) !== undefined),
    catalogOf: (tenant) =>
      catalogOf(tenant, {
        hostDocuments: discovery.documents,
        listKinds: (of) => kinds.list(of),
        crds: controllers.informers.definitions,
      }),
    clusterRoles: informers.clusterroles,
    certificateRequests,
    validatingPolicies: configured.validatingadmissionpolicies,
    policyView: (tenant, policy) => configurationView(tenant.id, 'validatingadmissionpolicies', policy),
    followed,
    serviceRanges: () => [...ranges.informers.values()].flatMap(rangesIn),
    async whenSynced() {
      await Promise.all([
        classes.whenSynced(),
        ranges.whenSynced(),
        ownRanges.whenSynced(),
        ...Object.values({ ...informers, ...configured }).map((informer) => informer.whenSynced()),
      ]);
    },
  };
}

/** Follows these kinds of the host, as far as it serves them. */
function followServed(
  wanted: readonly Kind[],
  discovery: Pick<HostDiscovery, 'versions' | 'whenRead'>,
  follow: (path: string) => Informer,
): { informers: ReadonlyMap<ResourceKey, Informer>; whenSynced(): Promise<void> } {
  const informers = new Map<ResourceKey, Informer>();
  async function start(): Promise<void> {
    await discovery.whenRead();
    for (const kind of wanted) {
      const version = [...(discovery.versions().get(kind.group) ?? [])].find(([, has]) => has.has(kind.resource))?.[0];
      if (version === undefined) continue;
      const at = rowAt(kind, 'native', version);
      informers.set(resourceKey(kind.group, kind.resource), follow(`${at.upstreamRoot}/${at.upstreamResource}`));
    }
    await Promise.all([...informers.values()].map((informer) => informer.whenSynced()));
  }
  const synced = start();
  // It fails only when the process is ending.
  synced.catch(() => {});
  return { informers, whenSynced: () => synced };
}

function rangesIn(ofHost: Informer): string[] {
  return words(child(ofHost.get('', DEFAULT_SERVICE_CIDR) ?? {}, 'spec'), 'cidrs');
}
