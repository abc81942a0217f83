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
import type { Informer } from '../k8s/informer.ts';
import { VIRTUAL_GROUP } from '../kinds/kind.ts';
import { createKindRegistry, type ListingKindRegistry } from '../kinds/registry.ts';
import type { Policies } from '../policy/policy.ts';
import type { Upstream } from '../ports.ts';
import { GUARD } from '../tenancy/host-names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { followHostDiscovery } from '../upstream/host-discovery.ts';
import { createInformer } from '../upstream/informer.ts';
import { defaultRoles } from '../virtual/standing.ts';

const RBAC = 'rbac.authorization.k8s.io';
const NOT_GUARDS = ['labelSelector', `!${GUARD}`] as const;

export interface HostViewOptions {
  upstream: Upstream;
  controllers: Controllers;
  policies: Policies;
  signal: AbortSignal;
  onError: (what: string, error: unknown) => void;
}

export interface HostView {
  readonly kinds: ListingKindRegistry;
  readonly authorizer: TenantRbac;
  catalogOf(tenant: Tenant): Catalog;
  /** The ClusterRoles of all tenants, in upstream terms. */
  readonly clusterRoles: Informer;
  /** What is followed of the host, by the path of its collection over all namespaces. */
  readonly followed: ReadonlyMap<string, Informer>;
  /** What tenants have set up for admission. */
  readonly configurations: AdmissionStore;
  whenSynced(): Promise<void>;
}

export function startHostView(options: HostViewOptions): HostView {
  const { upstream, controllers, policies, signal, onError } = options;
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
  const authorizer = createTenantRbac({
    informers,
    view: createRoleView(kinds.isHostGroup),
    defaults: defaultRoles(),
    onFault: (resource, _object, error) => onError(`reading ${resource}`, error),
  });

  const configured = Object.fromEntries(
    FOLLOWED.map((resource) => [resource, follow(`/apis/${VIRTUAL_GROUP}/v1/${resource}`)]),
  ) as Record<Followed, Informer>;
  const configurations = createAdmissionStore({
    informers: configured,
    view: createConfigurationView(kinds),
    onFault: (resource, error) => onError(`reading ${resource}`, error),
  });

  return {
    kinds,
    authorizer,
    configurations,
    catalogOf: (tenant) =>
      catalogOf(tenant, {
        hostDocuments: discovery.documents,
        listKinds: (of) => kinds.list(of),
        crds: controllers.informers.definitions,
      }),
    clusterRoles: informers.clusterroles,
    followed,
    async whenSynced() {
      await Promise.all([
        discovery.whenRead(),
        ...Object.values({ ...informers, ...configured }).map((informer) => informer.whenSynced()),
      ]);
    },
  };
}
