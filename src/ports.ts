/**
 * What the stages are given from outside: the host cluster and the live view of tenants. Interfaces only; `app.ts`
 * hands in the real ones, tests may hand in their own.
 */
import type { Duplex } from 'node:stream';
import type { Identity } from './exchange.ts';
import type { Attributes, Decision, GrantedRules, PolicyRule } from './k8s/rbac.ts';
import type { RepeatedKey } from './k8s/repeated-key.ts';
import type { JsonObject, JsonValue } from './k8s/types.ts';
import type { KindAtVersion, ResourceKey } from './kinds/kind.ts';
import type { TenantId, TenantName } from './tenancy/names.ts';
import type { Tenant } from './tenancy/tenant.ts';

/**
 * As whom a request goes upstream.
 * - tenant: the data path account, impersonating `kubeveil:<tenant>`; the host's own wall then holds for it
 * - reader: get, list, watch of what cannot be read under a tenant's name; every object is checked on the way out
 * - provisioner: namespaces, guards, tenants
 * - nobody: the reader, in the name of a tenant that there can never be; how it is refused tells of the host
 */
export type UpstreamIdentity =
  | {
      readonly as: 'tenant';
      readonly tenant: TenantId;
      /** Who asked, or the proxy's own controllers, which no user can be, whatever it is called. */
      readonly user: Identity | 'controllers';
      /** True where the tenant's policy is of the profile `trusted`: the host lets it write more. */
      readonly trusted?: boolean;
    }
  | { readonly as: 'reader' }
  | { readonly as: 'provisioner' }
  | { readonly as: 'nobody' };

export interface UpstreamRequest {
  readonly identity: UpstreamIdentity;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Built from parsed parts only; begins with `/`. */
  readonly path: string;
  readonly query?: ReadonlyArray<readonly [string, string]>;
  readonly accept?: string;
  /** Tag of what is known already: the answer is 304 while it is the same. */
  readonly ifNoneMatch?: string;
  readonly contentType?: string;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

export interface UpstreamResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

export interface UpstreamStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Chunks as they come. Ends when upstream ends; throws when the connection breaks. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A request that goes on as it comes: to a pod, whose business its body and its headers are. */
export interface UpstreamPassage extends Pick<UpstreamRequest, 'identity' | 'path' | 'signal'> {
  readonly method: UpstreamRequest['method'] | 'OPTIONS';
  /** What follows `?`, as it is to be sent. */
  readonly rawQuery: string;
  /** Without any that says who asks. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body?: AsyncIterable<Uint8Array> | undefined;
  /** What the connection is asked to become. */
  readonly upgrade?: string | undefined;
}

/** What became of the connection, or the answer instead. */
export type UpstreamPassed =
  | { readonly status: 101; readonly headers: UpstreamResponse['headers']; readonly socket: Duplex }
  | (UpstreamStream & { readonly socket?: undefined });

/** The host's API server. @throws {ApiError} ERR_UNAVAILABLE or ERR_TIMEOUT when it does not answer. */
export interface Upstream {
  request(request: UpstreamRequest): Promise<UpstreamResponse>;
  stream(request: UpstreamRequest): Promise<UpstreamStream>;
}

/** The way to a pod, through the host's API server. @throws {ApiError} as {@link Upstream} */
export interface UpstreamPassing {
  pass(passage: UpstreamPassage): Promise<UpstreamPassed>;
}

/** A port of a pod. */
export interface UpstreamForward {
  readonly identity: UpstreamIdentity;
  /** `/api/v1/namespaces/acme--web/pods/a/portforward` */
  readonly path: string;
  readonly port: number;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes to and from a port of a pod, by way of the host's API server and the pod's node. */
export interface UpstreamForwarding {
  /** @throws {Error} when it cannot be opened. Where nothing listens, the stream ends with an error. */
  forward(wanted: UpstreamForward): Promise<Duplex>;
}

/** Live tenants. Not synced means that nothing is known: every look-up then throws ERR_UNAVAILABLE. */
export interface TenantRegistry {
  get(id: TenantId): Tenant | undefined;
  all(): Iterable<Tenant>;
}

/** Namespaces of tenants, as far as this replica has seen them. */
export interface NamespaceRegistry {
  /** `ready`: exists upstream with a guard that works. */
  state(tenant: TenantId, namespace: TenantName): 'ready' | 'pending' | 'terminating' | 'absent';
  /** The stored Namespace object, in upstream terms. */
  get(tenant: TenantId, namespace: TenantName): JsonObject | undefined;
}

/** Makes what a tenant needs upstream before a request can be served. */
export interface Provisioner {
  /** Makes a tenant's namespace ready (existing, labelled, guarded, guard proven). `object`: in upstream terms, where these keys stood twice. */
  createNamespace(
    tenant: Tenant,
    object: JsonObject,
    query: ReadonlyArray<readonly [string, string]>,
    repeated?: readonly RepeatedKey[],
  ): Promise<UpstreamResponse>;
  /** Asks upstream itself whether the tenant has this namespace. */
  exists(tenant: Tenant, namespace: TenantName): Promise<boolean>;
  /** Waits until the namespace is ready, making a system namespace that is only shown so far. */
  ensureReady(tenant: Tenant, namespace: TenantName): Promise<void>;
}

/**
 * What of the host's own objects a tenant may see and name, of the kinds that are `chosen` by name or `mixed` with the
 * tenant's own. An object of the tenant's own hides one of the host's that has the same name.
 */
export interface HostNames {
  /** True when the tenant sees an object of the host of this name, if there is one. */
  isPublished(tenant: Tenant, of: ResourceKey, name: string): boolean;
  /**
   * True when this name in an object of the tenant stands for an object of the host: one that is published, or one that
   * the host itself writes there (a default class, the volume of a claim).
   */
  namesHost(tenant: Tenant, of: ResourceKey, name: string): boolean;
  /** True when the tenant has an object of its own of this name, of any of these kinds. */
  holds(tenant: Tenant, name: string): boolean;
  /** Of a kind that has defaults: the tenant's own by name, or that there is one of the host's, which the host applies. */
  defaultOf(tenant: Tenant, of: ResourceKey): { readonly own: TenantName } | 'host' | undefined;
}

/**
 * RBAC inside a tenant. Takes the groups as they are given: implicit ones (`system:authenticated`) are authn's to add.
 * @throws {ApiError} ERR_UNAVAILABLE while the tenants' roles are not known.
 */
export interface Authorizer {
  decide(tenant: Tenant, identity: Identity, attributes: Attributes): Decision;
  /** By binding that applies in a namespace ('' for cluster-wide ones alone), its rules; and what could not be resolved. */
  rulesFor(tenant: Tenant, identity: Identity, namespace: string): { granted: GrantedRules[]; errors: string[] };
  /** What a role grants that a binding in `namespace` ('' for a cluster-wide one) names; in words why it grants nothing. */
  roleRules(tenant: Tenant, role: { kind: string; name: string }, namespace: string): PolicyRule[] | string;
}

/** A write to a role or binding, as it would leave it. Everything in the tenant's terms. */
export interface GrantedWrite {
  readonly resource: string;
  readonly namespace: string;
  /** As the URL has it: '' for a creation. */
  readonly name: string;
  readonly object: JsonObject;
  /** As it is stored; undefined when it is not. */
  readonly previous: JsonObject | undefined;
}

/** Keeps users from granting what they do not have themselves. */
export interface GrantGuard {
  applies(kind: { readonly group: string; readonly resource: string }): boolean;
  /** @throws {ApiError} ERR_FORBIDDEN; ERR_NOT_FOUND for a role that is not there; ERR_UNAVAILABLE; ERR_TIMEOUT */
  check(tenant: Tenant, identity: Identity, write: GrantedWrite, signal: AbortSignal): Promise<void>;
}

/** A write to a virtual kind, beside the object itself. */
export interface VirtualWrite {
  /** As it is stored, on an update. */
  readonly previous: JsonObject | undefined;
  readonly subresource: string;
  /** True of an apply patch: what it leaves out stays. */
  readonly isPatch: boolean;
  readonly caller: Identity;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/** Whether the caller has a right. */
export type Asks = (attributes: Attributes) => boolean;

/** What the native API server does for a kind and a custom resource lacks. Objects are in the tenant's terms. */
export interface VirtualBehaviour {
  /** True where an update may leave out the version that it is made from; a custom resource may not. */
  readonly unconditionalUpdate: boolean;
  /**
   * A copy with the kind's own defaults, such as `roleRef.apiGroup`.
   * @throws {ApiError} ERR_BAD_REQUEST for a field of a wrong type
   */
  withDefaults(object: JsonObject): JsonObject;
  /** A copy of an apply patch with what upstream cannot fill in. Its other defaults are nobody's, as the native kind's. */
  forApply(patch: JsonObject): JsonObject;
  /** True where what the caller may write depends on who they are, or on what is stored. */
  readonly prepares: boolean;
  /** Sets, in place, what the server says and not the client. */
  prepare(object: JsonObject, write: VirtualWrite): void;
  /** @throws {ApiError} ERR_FORBIDDEN where the API server's own admission says no; after `validate` */
  admit(object: JsonObject, write: VirtualWrite, may: Asks): void;
  /**
   * What neither the CRD's schema nor the DNS rule for names of custom resources says.
   * `previous`: the object as stored, on an update. `object` has its defaults. `subresource`: `''`, `status` or another.
   * @throws {ApiError} ERR_INVALID in kube-apiserver's words.
   */
  validate(object: JsonObject, previous: JsonObject | undefined, subresource: string): void;
  /**
   * A copy of `current` with a strategic merge patch applied, as the native kind would take it.
   * @throws {ApiError} ERR_BAD_REQUEST, ERR_INVALID or ERR_INTERNAL, as kube-apiserver would answer.
   */
  strategicMerge(current: JsonObject, patch: JsonObject): JsonObject;
}

/** The same for a native kind, by what the host tells of it; undefined where it tells nothing. */
export type NativeMerge = (at: KindAtVersion) => Promise<VirtualBehaviour['strategicMerge'] | undefined>;

/** Behaviour of virtual kinds by `group/resource`; undefined for a kind that is not one. */
export type VirtualBehaviours = (group: string, resource: string) => VirtualBehaviour | undefined;

/** How the native API server prints a kind as a Table. Objects are whole and in the tenant's terms. */
export interface Printer {
  /** `columnDefinitions` of the Table. */
  readonly columns: readonly JsonObject[];
  /** The cells of one object, one for each column. @param nowMs epoch milliseconds, for ages */
  cells(object: JsonObject, nowMs: number): JsonValue[];
}

/** Printers by `group/resource`: of the virtual kinds, and of native ones that have standing objects. */
export type Printers = (group: string, resource: string) => Printer | undefined;

/**
 * Objects that a tenant has from its start without their being stored: the system namespaces, the default ClusterRoles
 * and their bindings, the default ServiceCIDR. In tenant terms, complete, sorted by name; none for any other kind. They are the caller's.
 */
export type StandingObjects = (tenant: Tenant, group: string, resource: string) => JsonObject[];

/** One call of a tenant's webhook: of admission, or of the conversion of a kind. */
export interface WebhookCall {
  readonly tenant: Tenant;
  /** `clientConfig` as the tenant wrote it: `url` or `service`, and `caBundle`. */
  readonly clientConfig: JsonObject;
  readonly body: JsonObject;
  readonly timeoutMs: number;
  /** That is less than the webhook's own: running out of it says nothing of the webhook. */
  readonly isCut?: boolean;
  /** Told the webhook as `?timeout=10s`. */
  readonly tellsTimeout: boolean;
  /** Fires when the request that it is for is over. */
  readonly signal: AbortSignal;
}

/** What a webhook answered, or why there is no answer, in the API server's words and the tenant's terms. */
export type WebhookAnswer =
  | { readonly document: JsonObject }
  | {
      readonly failure: string;
      /** It took longer than it had. */
      readonly timedOut?: boolean;
    };

/** Calls tenants' webhooks, where the tenant's own pods or its policy file say that they may be. */
export interface Webhooks {
  /** @throws {ApiError} ERR_TIMEOUT when the request itself is over */
  call(call: WebhookCall): Promise<WebhookAnswer>;
}

export type * from './ports/admission.ts';
