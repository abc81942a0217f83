/**
 * What a verb is given: one request that has passed every check, and what it is served from.
 *
 * The files of this folder are the last stage. Each maps a request to upstream terms, sends it along the route to where
 * the kind lives (`send.ts`, and nowhere else), and maps the answer back.
 */
import type { Cache } from '../cache/cache.ts';
import type { Sealer } from '../codec/seal.ts';
import type { ApiError } from '../errors.ts';
import type { ResourceRequest } from '../exchange.ts';
import type { DeletedObject } from '../k8s/informer.ts';
import type { Attributes } from '../k8s/rbac.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { KindAtVersion, ResourceKey } from '../kinds/kind.ts';
import type {
  Admission,
  GrantGuard,
  HostNames,
  NamespaceRegistry,
  NativeMerge,
  Printers,
  Provisioner,
  StandingObjects,
  Upstream,
  VirtualBehaviours,
  Webhooks,
} from '../ports.ts';
import type { Scope } from '../translate/scope.ts';
import type { Sessions } from './sessions.ts';

export interface Call extends ResourceRequest {
  readonly scope: Scope;
}

export interface VerbDeps {
  readonly upstream: Upstream;
  readonly namespaces: Pick<NamespaceRegistry, 'state' | 'get'>;
  readonly provisioner: Provisioner;
  /** Seals continue tokens. */
  readonly sealer: Sealer;
  readonly views: LocalViews;
  /** Collections that are kept in memory while somebody watches them. */
  readonly cache: Pick<Cache, 'view'>;
  readonly standing: StandingObjects;
  /** What the API server does for a native kind and nobody does for a custom resource. */
  readonly virtual: VirtualBehaviours;
  readonly nativeMerge: NativeMerge;
  readonly printers: Printers;
  /** Keeps users from granting what they do not have. */
  readonly grants: GrantGuard;
  /**
   * Why the caller may not create the object that the call names; undefined when they may.
   * @throws {ApiError} ERR_UNAVAILABLE while that is not known
   */
  creationRefusal(call: Call): ApiError | undefined;
  /** Why the tenant may not have one more of the call's kind; undefined when it may. */
  quotaRefusal(call: Call): ApiError | undefined;
  /**
   * Whether the caller has a right, besides the one that the request itself takes.
   * @throws {ApiError} ERR_UNAVAILABLE while that is not known
   */
  allows(call: Call, attributes: Attributes): boolean;
  /** What the tenant has set up to admit writes. */
  readonly admission: Admission;
  /** Tenants' webhooks: what converts their kinds. */
  readonly webhooks: Webhooks;
  /** Whether the tenant sees an object of the host of this name, of the call's kind: see HostNames in ports.ts. */
  isPublished(call: Call, name: string): boolean;
  /** See HostNames in ports.ts. */
  defaultOf(call: Call, of: ResourceKey): ReturnType<HostNames['defaultOf']>;
  /** True under the profile `trusted`, of which the host is told. */
  isTrusted(call: Call): boolean;
  /** False where the policy keeps the reader from Secrets. */
  readsSecretsAcross(call: Call): boolean;
  /** True where the policy asks for the consistency of a session alone. */
  isSession(call: Call): boolean;
  /** What tenants have written of each kind. */
  readonly sessions: Sessions;
  /** An object that is left out of an answer because it cannot be shown safely: counted and logged. */
  onLeftOut(call: Call, error: unknown): void;
}

/** The local copies of collections that requests are decided by: a write through this replica shows in them at once. */
export interface LocalViews {
  /** Is there a view of this kind at all? */
  follows(at: KindAtVersion): boolean;
  /** @param object as upstream answered; it is copied */
  note(at: KindAtVersion, object: JsonObject): void;
  forget(at: KindAtVersion, deleted: DeletedObject): void;
  /** Is an object of this upstream name there, as far as this replica has seen? False for a kind that has no view. */
  has(at: KindAtVersion, namespace: string, name: string): boolean;
}
