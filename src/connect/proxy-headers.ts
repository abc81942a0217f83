/**
 * Headers between a client and a pod. An application has headers of its own, so these lists say what does not pass:
 * whatever tells who somebody is, belongs to one hop, or is kept by a browser for a whole origin.
 *
 * @see RFC 9110 section 7.6.1 (hop-by-hop)
 */
import type { ReplyHeaders } from '../exchange.ts';
import type { UpstreamResponse } from '../ports.ts';

type Headers = UpstreamResponse['headers'];

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** `accept-encoding`: an HTML page is looked into. `host`, `expect`: of the connection to us. */
const NOT_TO_POD = new Set([
  ...HOP_BY_HOP,
  'accept-encoding',
  'authorization',
  'cookie',
  'cookie2',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'service-worker',
]);
const NOT_TO_POD_PREFIX = /^(?::|impersonate-|x-remote-|x-forwarded-|x-kubernetes-|sec-websocket-|audit-)/;
const NOT_FROM_POD = new Set([
  ...HOP_BY_HOP,
  'alt-svc',
  'audit-id',
  'clear-site-data',
  'public-key-pins',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'strict-transport-security',
]);
const NOT_FROM_POD_PREFIX = /^x-kubernetes-pf-/;
const HANDSHAKE = ['connection', 'upgrade'];

/** @param rawHeaders name, value, name, value, as the client sent them */
export function headersToPod(rawHeaders: readonly string[]): [name: string, value: string][] {
  const headers: [string, string][] = [];
  const named = namedByConnection(rawHeaders);
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (NOT_TO_POD.has(name) || NOT_TO_POD_PREFIX.test(name) || named.has(name)) continue;
    headers.push([name, rawHeaders[at + 1] ?? '']);
  }
  return headers;
}

/** What `Connection` names belongs to this hop as well. */
function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'connection') continue;
    for (const name of (rawHeaders[at + 1] ?? '').split(',')) named.add(name.trim().toLowerCase());
  }
  return named;
}

/** Where the proxied application lies: upstream, and as the client sees it. */
export interface Addresses {
  readonly upstream: string;
  readonly tenant: string;
}

/** @param upgraded whether the connection becomes something else, which these two headers then say */
export function headersFromPod(headers: Headers, addresses: Addresses, upgraded: boolean): ReplyHeaders {
  const passed: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || NOT_FROM_POD_PREFIX.test(name)) continue;
    if (NOT_FROM_POD.has(name) && !(upgraded && HANDSHAKE.includes(name))) continue;
    passed[name] = name === 'location' || name === 'content-location' ? ownAddress(value, addresses) : value;
  }
  return passed;
}

/** The API server puts its own path before a redirect within the application. */
function ownAddress(value: string | string[], { upstream, tenant }: Addresses): string | string[] {
  const own = (one: string): string => (one.startsWith(upstream) ? tenant + one.slice(upstream.length) : one);
  return typeof value === 'string' ? own(value) : value.map(own);
}
