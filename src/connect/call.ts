/** What a connection is given: one request that has passed every check, and where it goes. */
import type { ResourceRequest } from '../exchange.ts';
import type { NamespaceRegistry, Upstream, UpstreamIdentity, UpstreamPassing } from '../ports.ts';
import type { Scope } from '../translate/scope.ts';

export interface ConnectCall extends ResourceRequest {
  readonly scope: Scope;
  /** What the request brings with it, where it goes on to a pod. */
  readonly incoming: AsyncIterable<Uint8Array>;
}

export interface ConnectDeps {
  readonly upstream: Pick<Upstream, 'request'> & UpstreamPassing;
  readonly namespaces: Pick<NamespaceRegistry, 'state'>;
}

/** A call, with where it goes and as whom: the host's own guard then confines it to the tenant. */
export interface Routed extends ConnectCall {
  readonly as: UpstreamIdentity;
  /** `namespaces/acme--web` */
  readonly inNamespace: string;
  /** Path of the subresource: `/api/v1/namespaces/acme--web/pods/a/exec`. */
  readonly path: string;
}

/** As it stands in a path. The colon stays, as the API server writes it into redirects and pages of what it proxies. */
export function pathSegment(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':');
}
