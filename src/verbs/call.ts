/**
 * What a verb is given: one request that has passed every check, and the host it is served from.
 *
 * The files of this folder are the last stage. Each maps a request to upstream terms, sends it to the place where the
 * kind lives, and maps the answer back.
 */
import type { ResourceRequest } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import type { NamespaceRegistry, Provisioner, Upstream, VirtualBehaviours } from '../ports.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { Scope } from '../translate/scope.ts';

export interface Call extends ResourceRequest {
  readonly scope: Scope;
}

export interface Host {
  readonly upstream: Upstream;
  readonly namespaces: NamespaceRegistry;
  readonly provisioner: Provisioner;
  readonly seal: Seal;
  readonly standing: Standing;
  /** Names of a published kind that the tenant may see; undefined: all of them. */
  sharedNames(call: Call): ReadonlySet<string> | undefined;
  /** False where the policy keeps the reader from Secrets. */
  readsSecretsAcross(call: Call): boolean;
  /** What the API server does for a native kind and nobody does for a custom resource. */
  readonly virtual: VirtualBehaviours;
  /** Called with the stored object, in upstream terms, after each write of ours: local views learn of it at once. */
  onWritten(at: KindAtVersion, object: JsonObject): void;
  /** An object that is left out of an answer because it cannot be shown safely: counted and logged. */
  onLeftOut(call: Call, error: unknown): void;
}

/** Continue tokens that only this proxy can read, bound to one tenant and one collection. */
export interface Seal {
  seal(claims: JsonObject): Promise<string>;
  /** Undefined when the token is not ours, altered, or was sealed for something else. */
  open(token: string): Promise<JsonObject | undefined>;
}

/**
 * Objects that a tenant has from its start without their being stored: the system namespaces, the default ClusterRoles
 * and their bindings. In tenant terms, and complete. A stored object of the same name takes the place of a standing one.
 */
export interface Standing {
  list(tenant: Tenant, at: KindAtVersion): readonly JsonObject[];
  /** As far as this replica has seen: is one of this name stored, so that it hides the standing one? */
  isStored(tenant: Tenant, at: KindAtVersion, name: string): boolean;
  /** Stores it, so that a write can go on to change it. False when it was stored already. */
  store(call: Call, object: JsonObject): Promise<boolean>;
}
