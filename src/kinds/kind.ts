/**
 * What the table of kinds says of one kind: whose it is, and which of its fields hold a reference.
 *
 * The table is data and drives everything that maps names: bodies, patches, selectors, Table cells, managedFields,
 * the guard role on the host, discovery, the docs and the tests. A kind without a row does not exist for a tenant.
 */
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import type { Tenant } from '../tenancy/tenant.ts';

export const PROFILES = ['trusted', 'baseline', 'restricted'] as const;
export type Profile = (typeof PROFILES)[number];

/**
 * - native: stored upstream as itself, renamed
 * - virtual: stored upstream as a custom resource of group `virtual.kubeveil.dev`, without any effect on the host
 * - published: the host's own objects, read-only, those that the policy lists
 * - mixed: the tenant's own as native ones, and beside them the host's as published ones
 * - absent: 404 and not in discovery
 */
export type KindClass = 'native' | 'virtual' | 'published' | 'mixed' | 'absent';

/** In a row that is `byMetric`: its URLs name resources of other kinds. */
export const ANY_RESOURCE = '*';

/** `group/resource`, such as `apps/deployments` or `/namespaces` for the core group. */
export type ResourceKey = `${string}/${string}`;

/** What a field holds. */
export type Target =
  /** A namespace: `web` <-> `acme--web`. */
  | { is: 'namespace' }
  /**
   * The name of a cluster-scoped object of another kind. Native or virtual for the tenant: mapped. Published: the same
   * name on both sides; of a kind that is `chosen`, any name that is not published is mapped, and finds nothing or the
   * tenant's own. Absent or without a row: not to be written.
   */
  | { is: 'name'; of: ResourceKey }
  /** An API group (`stable.example.com`), or `*`, or a built-in one, which stays. */
  | { is: 'group' }
  /** An apiVersion (`stable.example.com/v1`). */
  | { is: 'apiVersion' }
  /** The name of a CRD: `foos.stable.example.com`. */
  | { is: 'crdName' }
  /** An object `{kind, apiVersion | apiGroup, namespace?, name}` that may name any kind, namespaced or not. */
  | { is: 'objectReference' }
  /** A LabelSelector over namespaces: AND-ed with the tenant's label on the way up, restored on the way down. */
  | { is: 'namespaceSelector' }
  /** One entry of `subjects`: stored upstream as an inert User that no identity ever has. */
  | { is: 'subject' }
  /** Free text of a controller: the tenant's own prefix is taken out where a known name of the tenant follows it. */
  | { is: 'message' }
  /** Anything that data cannot say: both directions in `translate/special/<name>.ts`. */
  | { is: 'special'; name: string };

export interface Reference {
  /**
   * Where: dots between fields; `[]` walks every item of an array; `{}` walks every value of a map and `{key}` every
   * key. `spec.rules[].http.paths[].backend.resource`. A path that is absent in an object is no fault.
   */
  readonly path: string;
  readonly target: Target;
}

/** A subresource whose body may be of another kind than its parent: `pods/eviction` holds `policy/v1 Eviction`. */
export interface Subresource {
  readonly verbs: readonly Verb[];
  /** Verbs that only tenants under `trusted` have besides. With no other verb, nobody else has the subresource at all. */
  readonly trusted?: readonly Verb[];
  /** Kind of the body when it is not the parent's: `Scale`, `Eviction`, `TokenRequest`. */
  readonly kind?: string;
  /** Group of that body: `autoscaling`, `policy`, `authentication.k8s.io`. */
  readonly group?: string;
  readonly refs?: readonly Reference[];
  /** Upstream it is the object itself: what a write by it may change is for the proxy to say, metadata among it. */
  readonly ofObject?: true;
  /** Reaches into a pod, and is no object. */
  readonly connect?: Connect;
}

/**
 * - log: text of a container
 * - tunnel: the connection becomes streams into a container
 * - proxy: HTTP of the pod's own
 * - service: HTTP of one of the pods behind it, asked for as that pod: of the service itself nothing is asked upstream
 */
export type Connect = 'log' | 'tunnel' | 'proxy' | 'service';

/** `''` is what the API server makes of OPTIONS, which is there for the HTTP of pods and services alone. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | '';

export interface Kind {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly classes: Readonly<Record<Profile, KindClass>>;
  /** Why these classes: shown in the docs. */
  readonly reason: string;
  readonly verbs: readonly Verb[];
  /** References beyond `metadata`, which is the same for all kinds. */
  readonly refs: readonly Reference[];
  readonly subresources: Readonly<Record<string, Subresource>>;
  /** Subresources, and verbs of subresources (`status:update`), that the server has and a tenant does not: why. */
  readonly withheld?: Readonly<Record<string, string>>;
  /** Field selectors whose value is a reference, beyond `metadata.name` and `metadata.namespace`. */
  readonly fieldSelectors: Readonly<Record<string, Target>>;
  /** Table columns (by their name, lower case) whose cells hold a reference, as the server prints it. */
  readonly columns: Readonly<Record<string, CellRule>>;
  /** True for a kind that a tenant's own CRD defines: its group is prefixed, its cluster-scoped names are not. */
  readonly custom: boolean;
  /**
   * How `metadata.name` (and a field selector on it) maps when it is not by the scope's rule. The rule: namespaced and
   * published names stay; cluster-scoped native and virtual ones are prefixed; custom ones stay.
   */
  readonly naming?: { readonly is: 'namespace' } | { readonly is: 'crdName' } | { readonly is: 'rootCa' };
  /** Published, but only to the tenant whose namespace the object names: `spec.claimRef.namespace` of a volume. */
  readonly owned?: { readonly by: string };
  /**
   * Its objects are chosen by name in other objects, and that is all it takes to use them: so no name reaches an object of
   * the host that is not published to the tenant.
   */
  readonly chosen?: true;
  /**
   * What makes one of its objects the default, that is taken where nobody chooses. Of a tenant's own it never reaches the
   * host, where it would be everybody's. `printed`: the NAME of a default one says so in a Table.
   */
  readonly defaultMark?:
    | { readonly annotations: readonly string[]; readonly printed?: true }
    | { readonly field: string };
  /** The class that it gets when a tenant makes one without choosing: the default of the tenant's own, if there is one. */
  readonly classByDefault?: { readonly field: string; readonly of: ResourceKey; readonly unlessAnnotated?: string };
  /** The same kind where it is the host's alone: read-only and cut. Of kinds that are `mixed` under some profile. */
  readonly published?: Kind;
  /** Fields that the server writes where they are empty, and how; a custom resource upstream leaves them out. */
  readonly filled?: Readonly<Record<string, JsonValue>>;
  /**
   * What `metadata.generation` is where it is not that of the custom resource upstream, which begins with 1 and counts
   * every change of the contents: not there at all, or the number of changes.
   */
  readonly generation?: 'none' | 'changes';
  /**
   * Of a virtual kind, fields that field selectors may ask for besides `metadata.name`, where the native kind has such. Of
   * any other virtual kind there is `metadata.namespace`, too, which is empty.
   */
  readonly selectable?: readonly string[];
  /** Of a virtual kind: who deletes an object is answered with it, and not with a Status. */
  readonly returned?: true;
  /** Top-level fields that the server sets whoever writes them, so that nobody owns them. */
  readonly unowned?: readonly string[];
  /** Made for each question and stored nowhere: it has no revision, and cannot be followed. */
  readonly measured?: true;
  /**
   * Not objects but what an adapter of the host measures of them, under names of its own: the URL has the resource of the
   * objects, and a metric in the place of a subresource. These are the versions whose answers are known.
   */
  readonly byMetric?: readonly string[];
  /** Never goes upstream: the proxy answers, in the tenant's terms. */
  readonly answeredBy?: 'proxy';
  /** Of a published object, the only fields that a tenant sees (paths to whole values). Drives `scrub` and the docs. */
  readonly shows?: readonly string[];
  /** What the host's own policy puts into its objects is taken out again: translate/pod-client.ts. */
  readonly isPodClient?: true;
  /** Takes out of a published object what a tenant may not see; applied on the way down, before the references. */
  readonly scrub?: (object: JsonObject) => void;
}

/** How a Table cell prints a reference. */
export type CellRule =
  | { cell: 'name'; of: ResourceKey }
  /** `namespace/name`, as CLAIM of a PersistentVolume. */
  | { cell: 'namespacedName' }
  /** `Kind/name`, as ROLE of a RoleBinding, or `kind/name` as OBJECT of an Event. */
  | { cell: 'kindName' }
  /** Subjects of one kind, joined by `, `. All are stored as inert Users, so upstream prints all of them under USERS. */
  | { cell: 'subjects'; kind: 'User' | 'Group' | 'ServiceAccount' }
  /** Entries of a ResourceQuota, `key: used/hard`, joined by `, `: a key can hold a reference. */
  | { cell: 'quota' }
  | { cell: 'message' }
  /** Any part of the object, as a printer column of `.metadata` gives it: what still names upstream is not shown. */
  | { cell: 'anything' }
  /** A namespace, as a printer column of `.metadata.namespace` gives it. */
  | { cell: 'namespace' }
  /** Whether the class is the default: of the tenant's own the host does not know. */
  | { cell: 'default' }
  /** `Kind.group/name`, as PARAMETERS of an IngressClass. */
  | { cell: 'kindGroupName' }
  /** Never shown: the field behind it is not among `shows`. */
  | { cell: 'hidden' };

/** Where a kind lives upstream. For a virtual kind this is another group than the tenant sees. */
export const VIRTUAL_GROUP = 'virtual.kubeveil.dev';

/** The one version in which virtual kinds are stored, and served. */
export const VIRTUAL_VERSION = 'v1';

/** A kind at one version, with where it lives upstream. */
export interface KindAtVersion {
  readonly kind: Kind;
  /** Class for this tenant's profile; never `absent`. */
  readonly class: 'native' | 'virtual' | 'published' | 'mixed';
  readonly version: string;
  /** `/apis/apps/v1`, `/api/v1`, `/apis/virtual.kubeveil.dev/v1`, `/apis/acme--stable.example.com/v1`. */
  readonly upstreamRoot: string;
  /** Resource as upstream names it in the URL. */
  readonly upstreamResource: string;
  /** apiVersion of the body upstream. */
  readonly upstreamApiVersion: string;
  /** Of a kind whose tenant converts it by webhook. */
  readonly conversion?: Conversion;
}

/** How objects of a kind are converted between its versions. All in the tenant's terms. */
export interface Conversion {
  /** The version in which objects are stored; `''` when none is. */
  readonly storedAs: string;
  /** `spec.conversion` as the tenant wrote it, in JSON. */
  readonly mark: string;
  /** What the kind's Tables have besides the name at this version: `additionalPrinterColumns`. */
  readonly columns: readonly JsonObject[];
  /** `openAPIV3Schema` of this version. */
  readonly schema: JsonObject;
}

/** Kinds that exist for one tenant: the built-in table as the policy cuts it, and the tenant's own CRDs. */
export interface KindRegistry {
  /** By what a URL names, in tenant terms. Undefined = 404. */
  byResource(tenant: Tenant, group: string, version: string, resource: string): KindAtVersion | undefined;
  /** By what a body or a reference names. */
  byKind(tenant: Tenant, group: string, version: string, kind: string): KindAtVersion | undefined;
  /** The same resource at every version that the tenant is offered; none for a resource that is not there. */
  versionsOf(tenant: Tenant, group: string, resource: string): Iterable<KindAtVersion>;
  /** At the version that discovery names first: for a reference that names a resource without a version. */
  preferredByResource(tenant: Tenant, group: string, resource: string): KindAtVersion | undefined;
  /** The same by kind: for `apiGroup` references, and for versions that are not served any more. */
  preferredByKind(tenant: Tenant, group: string, kind: string): KindAtVersion | undefined;
  /** The kind that is stored upstream in VIRTUAL_GROUP under this kind name. */
  virtualByKind(tenant: Tenant, kind: string): KindAtVersion | undefined;
  /** True when the group is the host's (built in or shared), so that it is never prefixed. */
  isHostGroup(group: string): boolean;
}
