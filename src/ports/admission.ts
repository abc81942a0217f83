/** What the verbs ask of a tenant's own admission, and what it asks of them. */
import type { Identity } from '../exchange.ts';
import type { Gvk, JsonObject } from '../k8s/types.ts';
import type { Tenant } from '../tenancy/tenant.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A request of which a tenant's own admission may have an opinion. All in the tenant's terms. */
export interface AdmissionSubject {
  readonly tenant: Tenant;
  readonly identity: Identity;
  readonly operation: AdmissionOperation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** '' for a cluster-scoped object. A Namespace is in itself. */
  readonly namespace: string;
  /** '' where the server is to make it up. */
  readonly name: string;
  /** Asks whether anything may speak of some object of the collection. */
  readonly anyName?: boolean;
  /** Of the object: that of a subresource's body may be another than the resource's. */
  readonly kind: Gvk;
  readonly dryRun: boolean;
  /** `CreateOptions` and the like, as the API server makes them of the query. */
  readonly options: JsonObject;
  /** Fires when the client goes or the request's time is up. */
  readonly signal: AbortSignal;
  /** The Namespace that the object is in; undefined for cluster-scoped ones. */
  namespaceObject(): JsonObject | undefined;
  /** Objects that policies take their parameters from; undefined when the tenant has no such kind. */
  find(kind: Gvk, where: ParameterPlace): Promise<readonly JsonObject[] | undefined>;
  /** Of a kind of the tenant: is it in namespaces? Undefined when there is no such kind. */
  isNamespaced(kind: Gvk): boolean | undefined;
  /** The same resource in other versions, in which rules under `matchPolicy: Equivalent` may speak of it. */
  equivalents(): readonly EquivalentResource[];
  /** Objects of the request in another version of their kind. @throws {ApiError} ERR_INTERNAL when that fails */
  convert(objects: readonly JsonObject[], apiVersion: string): Promise<JsonObject[]>;
}

/** The resource of a request as another version of it names it. */
export interface EquivalentResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Of the object, or of the subresource's body. */
  readonly kind: Gvk;
}

/** One object by name, or those of some labels. `namespace` '' for cluster-scoped ones. */
export interface ParameterPlace {
  readonly namespace: string;
  readonly name?: string;
  /** A LabelSelector. */
  readonly selector?: JsonObject;
}

/** An object that was changed as the host would have it, defaults and all; as it is where the host would refuse it. */
export type FillIn = (object: JsonObject) => Promise<JsonObject>;

/** The admission of one request by what its tenant has set up. */
export interface AdmissionRound {
  /** False when there is nothing that may change the object. */
  readonly mutates: boolean;
  /**
   * The object as policies and webhooks leave it; the very same one when they leave it alone.
   * @param object defaulted, without what the server adds when it stores it; undefined for a deletion
   * @param fillIn asked when somebody is to look at what another one changed; they see it as it is without
   * @throws {ApiError}
   */
  mutate<T extends JsonObject | undefined>(object: T, oldObject: JsonObject | undefined, fillIn?: FillIn): Promise<T>;
  /** @param object undefined for a deletion @throws {ApiError} when it is refused */
  validate(object: JsonObject | undefined, oldObject: JsonObject | undefined): Promise<void>;
  /** What the client is to be warned of, so far. */
  readonly warnings: readonly string[];
}

/** Undefined when nothing that the tenant has can match: the request then goes its way as if there were no admission. */
export type Admission = (subject: AdmissionSubject) => AdmissionRound | undefined;
