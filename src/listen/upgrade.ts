/**
 * What an HTTP/1.1 connection is asked to become, and the headers of that handshake which go on. Nothing is negotiated
 * here: the host's API server does that, of what is left.
 *
 * A browser cannot set headers on a WebSocket, so Kubernetes takes a bearer token among the sub-protocols. It is taken
 * out here, before anything else sees it.
 *
 * @see RFC 6455 section 4.1 (the handshake)
 * @see k8s.io/apiserver pkg/authentication/request/websocket/protocol.go at v0.36 (tokens in sub-protocols)
 */
import { ApiError } from '../errors.ts';
import type { Upgrade } from '../exchange.ts';

const PROTOCOLS: ReadonlyMap<string, Upgrade['protocol']> = new Map([
  ['websocket', 'websocket'],
  ['spdy/3.1', 'SPDY/3.1'],
]);
/** No `sec-websocket-extensions`: what is compressed cannot be bounded. */
const PASSED = new Set([
  'sec-websocket-key',
  'sec-websocket-protocol',
  'sec-websocket-version',
  'x-stream-protocol-version',
]);
const TOKEN_PREFIX = 'base64url.bearer.authorization.k8s.io.';

export interface AskedUpgrade {
  readonly upgrade: Upgrade;
  /** The token that was among the sub-protocols. */
  readonly bearer: string | undefined;
}

/** @throws {ApiError} ERR_BAD_REQUEST for a protocol that is not offered, and for a request with a body */
export function askedUpgrade(rawHeaders: readonly string[]): AskedUpgrade {
  let protocol: Upgrade['protocol'] | undefined;
  const headers: [string, string][] = [];
  const bearers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = (rawHeaders[at + 1] ?? '').trim();
    if (name === 'upgrade') protocol = PROTOCOLS.get(value.toLowerCase());
    else if (name === 'transfer-encoding' || (name === 'content-length' && value !== '0')) throw withBody();
    else if (name === 'sec-websocket-protocol') {
      const offered = value.split(',').map((one) => one.trim());
      bearers.push(...offered.filter((one) => one.startsWith(TOKEN_PREFIX)));
      const others = offered.filter((one) => !one.startsWith(TOKEN_PREFIX));
      if (others.length > 0) headers.push([name, others.join(', ')]);
    } else if (PASSED.has(name)) headers.push([name, value]);
  }
  if (protocol === undefined) throw notOffered();
  return { upgrade: { protocol, headers }, bearer: tokenOf(bearers, headers) };
}

function tokenOf(bearers: readonly string[], headers: readonly (readonly [string, string])[]): string | undefined {
  const [first, ...more] = bearers;
  if (first === undefined) return undefined;
  const token = Buffer.from(first.slice(TOKEN_PREFIX.length), 'base64url').toString('utf8');
  if (more.length > 0 || token === '') {
    throw refused('the sub-protocols of the WebSocket must hold one bearer token, or none');
  }
  if (!headers.some(([name]) => name === 'sec-websocket-protocol')) {
    throw refused('a bearer token among the sub-protocols of a WebSocket needs another sub-protocol beside it');
  }
  return token;
}

function withBody(): ApiError {
  return refused('a request that asks for an upgrade of the connection must not have a body');
}

function notOffered(): ApiError {
  return refused('the request asks for an upgrade of the connection to something other than websocket or SPDY/3.1');
}

function refused(message: string): ApiError {
  return new ApiError('ERR_BAD_REQUEST', message, { why: 'upgrade' });
}
