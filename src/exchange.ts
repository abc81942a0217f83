/**
 * What one request carries from stage to stage. Each stage takes what it needs and returns what it adds; none knows
 * another. The order is in `pipeline.ts`.
 *
 *   listen       -> RequestHead, body
 *   requestinfo  -> RequestInfo
 *   locate       -> Claim
 *   authn        -> Authenticated
 *   bind         -> Tenant
 *   limit        -> RequestHead, with a deadline
 *   impersonate  -> Identity, when it is another than the sender's
 *   negotiate    -> Accept
 *   offer        -> KindAtVersion
 *   body         -> Body
 *   serve        -> Reply
 *   respond      -> Written, for the audit
 *
 * The others (health, ready, authz, hold) only refuse or let pass.
 */
import type { Duplex, Transform } from 'node:stream';
import type { RepeatedKey } from './k8s/repeated-key.ts';
import type { Gvk, JsonObject, WatchEvent } from './k8s/types.ts';
import type { KindAtVersion, Verb } from './kinds/kind.ts';
import type { TenantId, TenantName } from './tenancy/names.ts';
import type { Tenant } from './tenancy/tenant.ts';

/** What the listener accepted: headers already cleaned of everything that could pass for our own. */
export interface RequestHead {
  /** Also the Audit-ID that the client gets. */
  readonly id: string;
  readonly method: string;
  /** Path and query exactly as sent. */
  readonly target: string;
  /** Lower-case names; a header sent twice is refused where two values would be ambiguous. */
  readonly headers: ReadonlyMap<string, string>;
  /** Impersonate-* as the client sent them, taken out of `headers`. */
  readonly impersonate: ReadonlyMap<string, readonly string[]>;
  /** What the connection is asked to become, on HTTP/1.1. */
  readonly upgrade?: Upgrade | undefined;
  /** Name, value, name, value, as sent: for what is passed through to a pod, where another list says what goes on. */
  readonly rawHeaders: readonly string[];
  /** Names of the server that the client asked for: of the TLS connection, and of the request. Lower case, no port. */
  readonly serverNames?: readonly string[];
  /** DER of the client's certificate, when one was sent; not yet verified. */
  readonly peerCertificate: Uint8Array | undefined;
  /** Aborted when the client goes or the request's deadline passes. */
  readonly signal: AbortSignal;
  /** Of a client's request: what is noted on its way. */
  readonly trail?: Trail;
}

/** What the audit tells of how a request was served. */
export interface Trail {
  /** Of the host's last answer for it; undefined where the host was not asked. */
  upstreamStatus?: number;
}

/** The head of a request that the proxy makes itself, in the name of what it serves: no client sent any header. */
export function headOfOwn(own: Pick<RequestHead, 'id' | 'method' | 'target' | 'signal'>): RequestHead {
  return { ...own, headers: new Map(), rawHeaders: [], impersonate: new Map(), peerCertificate: undefined };
}

export interface Upgrade {
  readonly protocol: 'websocket' | 'SPDY/3.1';
  /** Of the handshake, what goes on: lower-case names; one may occur more than once. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
}

/** The bare connection of a request that asks for an upgrade. */
export interface Connection {
  readonly socket: Duplex;
  /** What the client has sent behind its request already. */
  readonly first: Uint8Array;
  /** `response` lets go: what is written to the socket now is all that the client gets. */
  release(): void;
}

/** Query parameters, each at most once. */
export type Query = ReadonlyMap<string, string>;

export interface ResourceInfo {
  readonly isResource: true;
  /** As kube-apiserver's RequestInfo: a GET on a collection is `list`, or `watch`; DELETE on it `deletecollection`. */
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** `''` when there is none. */
  readonly subresource: string;
  /** Path segments after the subresource: only `proxy` has any. The last is `''` where the path ended in a slash. */
  readonly rest: readonly string[];
  /** The query as sent, where it is not ours to read: of `proxy`. `query` is then empty. */
  readonly rawQuery?: string;
  /** Parameters that may occur more than once, in order: `command` of `exec`, `ports` of `portforward`. */
  readonly repeated?: ReadonlyMap<string, readonly string[]>;
  /** `''` for a cluster-scoped resource and for "all namespaces". */
  readonly namespace: TenantName | '';
  /** `''` for a collection; a list or watch that its field selector pins to one name has that name. */
  readonly name: string;
  readonly query: Query;
  /** Tenant id named by the path (`/tenants/acme/api/...`). A claim: `locate` weighs it. */
  readonly claimed: string | undefined;
}

export interface NonResourceInfo {
  readonly isResource: false;
  /** The lower-case HTTP method. */
  readonly verb: string;
  /** Without the tenant's path prefix: `/apis/apps`. */
  readonly path: string;
  readonly query: Query;
  /** Parameters that may occur more than once, in order: `exclude` of health. */
  readonly repeated?: ReadonlyMap<string, readonly string[]>;
  readonly claimed: string | undefined;
}

export type RequestInfo = ResourceInfo | NonResourceInfo;

/** Which tenant the request says it is for, if it says so at all. Not trusted. */
export interface Claim {
  readonly tenant: TenantId | undefined;
}

/** Who sent the request, in the tenant's terms. */
export interface Identity {
  /** `alice`, or `system:serviceaccount:web:bot` with the namespace as the tenant sees it. */
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
  /** Who really sent the request, when they act as this user. For audit alone: it grants nothing. */
  readonly impersonator?: Omit<Identity, 'impersonator'>;
}

export interface Authenticated {
  readonly identity: Identity;
  /** The tenant that this credential belongs to, and its uid, as the credential says. */
  readonly tenant: TenantId;
  readonly tenantUid: string;
  readonly how: 'client-certificate' | 'service-account-token' | 'oidc-token';
  /** Epoch milliseconds at which the credential ends; streams end with it. */
  readonly expiresAtMs: number;
  /** Of a service account's token, upstream: whom it is for. */
  readonly audiences?: readonly string[];
}

/** The representation a client asked for. */
export interface Accept {
  readonly media: 'json' | 'yaml' | 'protobuf';
  /** `Table`, `PartialObjectMetadata`, `PartialObjectMetadataList`, `APIGroupDiscoveryList`. */
  readonly as: { readonly kind: string; readonly group: string; readonly version: string } | undefined;
  /** Indented JSON: asked for by parameter, or a browser or curl. */
  readonly pretty?: boolean;
  /** What the client would take instead of protobuf, for a kind that has no protobuf form. */
  readonly otherwise?: Accept;
}

/** A request body, decoded. */
export interface Body {
  /** The media type without parameters, such as `application/merge-patch+json`. */
  readonly contentType: string;
  /** The document. JSON Patch is an array, hence not always an object. */
  readonly document: JsonObject | JsonObject[];
  /** Keys that stood more than once in it; `document` has the last of each. */
  readonly repeated?: readonly RepeatedKey[];
}

/** What is known of any request that may be served. */
export interface Served {
  /** Its signal also fires when the time is up. */
  readonly head: RequestHead;
  readonly accept: Accept;
  readonly tenant: Tenant;
  readonly identity: Identity;
}

/** A request for discovery and the like, which has passed every check. */
export interface NonResourceRequest extends Served {
  readonly info: NonResourceInfo;
}

/** A request for a resource, which has passed every check. */
export interface ResourceRequest extends Served {
  readonly info: ResourceInfo;
  readonly at: KindAtVersion;
  /** Undefined when the request has none. */
  readonly body: Body | undefined;
}

/** What a handler answers. `respond/` alone turns it into bytes. */
export type Reply =
  | { readonly kind: 'object'; readonly status: number; readonly object: JsonObject; readonly headers?: ReplyHeaders }
  | {
      readonly kind: 'bytes';
      readonly status: number;
      /** Undefined where nothing is said of it. */
      readonly contentType: string | undefined;
      readonly bytes: Uint8Array;
      readonly headers?: ReplyHeaders;
    }
  | {
      /** Bytes that come as they come: a log, the answer of a pod. */
      readonly kind: 'stream';
      readonly status: number;
      /** Lower-case names, all of them: what a pod answers has headers of its own. */
      readonly headers: ReplyHeaders;
      readonly chunks: AsyncIterable<Uint8Array>;
    }
  | {
      /** The connection becomes something else, and both ends of it speak to each other. */
      readonly kind: 'tunnel';
      /** Of the answer 101. */
      readonly headers: ReplyHeaders;
      readonly upstream: Duplex;
      /** Through which goes what upstream says, where that is not the client's as it stands. */
      readonly said?: Transform;
    }
  | {
      /** One object or list that is printed already. */
      readonly kind: 'printed';
      readonly status: number;
      /** Its JSON, in parts. */
      readonly json: ReadonlyArray<SharedText | Uint8Array>;
      /** For the forms that are not made of JSON. */
      object(): JsonObject;
      /** What it is made of. */
      readonly shared: SharedObject | SharedList;
      readonly headers?: ReplyHeaders;
    }
  | {
      readonly kind: 'watch';
      readonly events: AsyncIterable<WatchEvent | SharedEvent>;
      /** Kind of the objects, which tells whether protobuf will do. */
      readonly gvk?: Gvk;
      readonly headers?: ReplyHeaders;
    };

/** An object that many answers have in them: what was made of it for one of them serves the others. */
export interface SharedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** As text, in UTF-8. */
  readonly json: Uint8Array;
  /** Freshly parsed, each time. */
  readonly object: JsonObject;
  /** By names of `respond/`'s own. */
  readonly forms: Map<string, Uint8Array>;
}

/** Objects that follow each other in lists. */
export interface SharedText {
  /** As they stand in a list, in UTF-8. */
  readonly text: Uint8Array;
  readonly items: readonly SharedObject[];
  /** By names of `respond/`'s own. */
  readonly forms: Map<string, unknown>;
}

/** A list of them. */
export interface SharedList {
  /** The list without its items. */
  readonly head: JsonObject;
  /** In their order. */
  readonly parts: ReadonlyArray<SharedText | readonly SharedObject[]>;
}

/** An event that many watches send: what was made of it for one of them serves the others. */
export interface SharedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly of: SharedObject;
  /** Freshly parsed, each time. */
  readonly object: JsonObject;
  /** How it goes out, by a name of `respond/`'s own. */
  readonly forms: Map<string, Uint8Array>;
}

/** Lower-case names, from an allow-list: warning, retry-after, etag, ... */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;

/** What went out, for audit and metrics. */
export interface Written {
  readonly status: number;
  readonly bodyBytes: number;
  /** What the body was before it was packed, or would have been if it had been taken; left out where it is `bodyBytes`. */
  readonly madeBytes?: number;
  /** Low-cardinality word for a refusal: `ApiError.why`, or `fault`. */
  readonly why?: string;
}
