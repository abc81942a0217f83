/**
 * RBAC rules of the host's wall, generated from the table: what a tenant's upstream identity and the reader may do, and
 * nothing more. No wildcard in verbs, and one in resources; no namespaces, no bindings, no secrets for the reader by default.
 *
 * A kind that the proxy offers and the guard forgets is 403; one that the guard allows and the proxy does not offer is
 * a hole in the second wall. Both come from the same rows, so neither can happen by hand.
 *
 * The one wildcard is of `custom.metrics.k8s.io`: whoever runs the adapter names its resources, and RBAC has no other word
 * for a subresource of any name. It is there to be read in the tenant's own namespaces, by the guard and never the reader.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
import { type Connect, type Kind, type KindClass, PROFILES, type Verb, VIRTUAL_GROUP } from './kind.ts';
import { verbsOfAny } from './profile.ts';
import { resourceKey } from './row.ts';
import { KINDS } from './table.ts';

/** One rule of a ClusterRole, as Kubernetes spells it. */
export type HostRule =
  | { readonly apiGroups: readonly string[]; readonly resources: readonly string[]; readonly verbs: readonly string[] }
  | { readonly nonResourceURLs: readonly string[]; readonly verbs: readonly string[] };

interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly connect?: Connect | undefined;
}

const READ: readonly Verb[] = ['get', 'list', 'watch'];
const WRITE: readonly Verb[] = ['create', 'delete', 'patch', 'update'];
const RBAC_GROUP = 'rbac.authorization.k8s.io';

/**
 * Rules of ClusterRole `kubeveil:guard`, bound in each namespace of a tenant to that tenant's group.
 *
 * `escalate` and `bind` (tried on 1.36: without them a Role with a rule that the identity lacks is 403, and a RoleBinding
 * to a role that does not exist upstream is 404): a tenant may write any Role and name any role, of its own cluster,
 * in its namespaces. What this opens upstream is a RoleBinding that gives somebody everything inside this one namespace;
 * the admission wall on subjects (inert Users only) is what closes it, so the guard must never be installed without it.
 */
export function guardRules(): HostRule[] {
  const grants = [...offered('native', true), ...offered('virtual', true)].map(home).flatMap(({ kind, group }) => [
    { group, resource: kind.resource, verbs: kind.verbs },
    ...subresourceGrants(kind, group),
    // For hosts with OwnerReferencesPermissionEnforcement: an owner with blockOwnerDeletion needs this right on it.
    { group, resource: `${kind.resource}/finalizers`, verbs: kind.measured ? [] : ['update'] },
  ]);
  return merge([
    ...grants,
    { group: RBAC_GROUP, resource: 'roles', verbs: ['bind', 'escalate'] },
    { group: RBAC_GROUP, resource: 'clusterroles', verbs: ['bind'] },
  ]);
}

/**
 * Rules of ClusterRole `kubeveil:tenant-cluster`, bound to all tenants: cluster-scoped writes, without any read. The
 * admission walls hold each write to the writer's own prefix and label. A collection is deleted object by object.
 */
export function tenantClusterRules(): HostRule[] {
  const native = offered('native', false).filter((kind) => kind.naming?.is !== 'namespace');
  return merge(clusterWrites([...native, ...offered('virtual', false)]));
}

function clusterWrites(kinds: readonly Kind[]): Grant[] {
  return kinds
    .map(home)
    .flatMap(({ kind, group }) => [
      { group, resource: kind.resource, verbs: only(kind.verbs, WRITE) },
      ...subresourceGrants(kind, group).map((grant) => ({ ...grant, verbs: only(grant.verbs, WRITE) })),
      { group, resource: `${kind.resource}/finalizers`, verbs: ['update'] },
    ]);
}

/**
 * Resources that only trusted tenants write, by API group: the guard is one for all tenants, so a wall tells them apart by
 * the group of trusted tenants' requests. Namespaces are written by the provisioner.
 */
export function trustedResources(): Map<string, string[]> {
  const byGroup = new Map<string, string[]>();
  for (const kind of KINDS.filter(({ naming }) => naming?.is !== 'namespace')) {
    const subresources = Object.entries(kind.subresources).filter(([, { trusted }]) => trusted !== undefined);
    const resources = subresources.map(([name]) => `${kind.resource}/${name}`);
    if (resources.length > 0) byGroup.set(kind.group, [...(byGroup.get(kind.group) ?? []), ...resources].sort());
  }
  return byGroup;
}

/**
 * Rules of ClusterRole `kubeveil:trusted`, bound to the group of trusted tenants' requests in the whole cluster: writes of
 * their own classes and volumes, which the walls hold to each tenant's prefix and label, and questions that the API server
 * asks besides when the status of a claim is written, which no request is for.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/ (synthetic subresources of resourceclaims)
 */
export function trustedClusterRules(): HostRule[] {
  const group = 'resource.k8s.io';
  return merge([
    ...clusterWrites(offered('mixed', false)),
    { group, resource: 'resourceclaims/binding', verbs: ['patch', 'update'] },
    { group, resource: 'resourceclaims/driver', verbs: ['arbitrary-node:patch', 'arbitrary-node:update'] },
  ]);
}

/** Rules of the reader: get, list and watch of everything that a tenant may see, but Secrets; and no write. */
export function readerRules(): HostRule[] {
  const kinds = [
    ...offered('native', true).filter((kind) => !isSecret(kind) && kind.byMetric === undefined),
    ...offered('native', false),
    ...offered('virtual', true),
    ...offered('virtual', false),
    ...offered('published', false),
    ...offered('mixed', false),
  ];
  const grants = kinds.flatMap((row) => {
    const { kind, group } = home(row);
    return [
      { group, resource: kind.resource, verbs: only(kind.verbs, READ) },
      // Whoever reads for everybody never reaches into a pod.
      ...subresourceGrants(kind, group)
        .filter(({ connect }) => connect === undefined)
        .map((grant) => ({ ...grant, verbs: only(grant.verbs, READ) })),
    ];
  });
  return [
    ...merge([
      ...grants,
      // The host's own, of which tenants see the ranges alone: as the default one of their cluster.
      { group: 'networking.k8s.io', resource: 'servicecidrs', verbs: ['list', 'watch'] },
      { group: 'authentication.k8s.io', resource: 'tokenreviews', verbs: ['create'] },
    ]),
    {
      nonResourceURLs: [
        '/.well-known/openid-configuration',
        '/api',
        '/api/*',
        '/apis',
        '/apis/*',
        '/openapi',
        '/openapi/*',
        '/openid/v1/jwks',
        '/readyz',
        '/version',
      ],
      verbs: ['get'],
    },
  ];
}

/** The one rule that lets the reader see Secrets; bound by a manifest of its own, for those who want it. */
export function readerSecretRules(): HostRule[] {
  return merge(KINDS.filter(isSecret).map((kind) => ({ group: kind.group, resource: kind.resource, verbs: READ })));
}

/** Rows that go upstream in this class under some profile, of one scope. */
function offered(kindClass: Exclude<KindClass, 'absent'>, namespaced: boolean): Kind[] {
  return KINDS.filter(
    (kind) =>
      kind.namespaced === namespaced &&
      kind.answeredBy === undefined &&
      PROFILES.some((profile) => kind.classes[profile] === kindClass),
  );
}

/** The group that a kind is stored under upstream. */
function home(kind: Kind): { kind: Kind; group: string } {
  const isVirtual = PROFILES.some((profile) => kind.classes[profile] === 'virtual');
  return { kind, group: isVirtual ? VIRTUAL_GROUP : kind.group };
}

function isSecret(kind: Kind): boolean {
  return resourceKey(kind.group, kind.resource) === '/secrets';
}

function subresourceGrants(kind: Kind, group: string = kind.group): Grant[] {
  return Object.entries(kind.subresources).flatMap(([name, subresource]) => {
    const { connect, ofObject } = subresource;
    if (connect === 'service' || ofObject) return [];
    return [{ group, resource: `${kind.resource}/${name}`, verbs: verbsOfAny(subresource), connect }];
  });
}

function only(verbs: readonly string[], allowed: readonly string[]): string[] {
  return verbs.filter((verb) => allowed.includes(verb));
}

/** One rule for all resources of a group with the same verbs, in a stable order: the manifests are compared as text. */
function merge(grants: readonly Grant[]): HostRule[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const { group, resource, verbs } of grants) {
    const key = resourceKey(group, resource);
    const known = verbsOf.get(key) ?? new Set();
    for (const verb of verbs) known.add(verb);
    verbsOf.set(key, known);
  }
  const rules = new Map<string, { apiGroups: string[]; resources: string[]; verbs: string[] }>();
  for (const [key, set] of [...verbsOf].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (set.size === 0) continue;
    const group = key.slice(0, key.indexOf('/'));
    const verbs = [...set].sort();
    const rule = rules.get(`${group} ${verbs}`) ?? { apiGroups: [group], resources: [], verbs };
    rule.resources.push(key.slice(group.length + 1));
    rules.set(`${group} ${verbs}`, rule);
  }
  return [...rules.values()];
}
