/**
 * Raw headers -> RequestHead. Headers go on by allow-list; hop-by-hop headers, `X-Forwarded-*`, `X-Remote-*`,
 * `Forwarded` and everything else that could pass for our own word stay here. `Impersonate-*` is taken out and kept apart.
 *
 * Refuses what two parsers could read in two ways: a length and a transfer coding together, a header sent twice of which
 * one value counts, a target that is no path, a method that Kubernetes has no use for.
 *
 * @see RFC 9112 section 6.1 (framing), RFC 9110 section 7.6.1 (hop-by-hop)
 */
import { ApiError, methodNotAllowed } from '../errors.ts';
import type { RequestHead } from '../exchange.ts';
import { askedUpgrade } from './upgrade.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const VERSIONS = new Set(['1.0', '1.1', '2.0']);
/** One value only: a second one, even the same, is refused. */
const SINGLE = new Set(['authorization', 'content-type', 'content-encoding', 'if-none-match', 'user-agent']);
/** Lists: several lines are one list. */
const LISTS = new Set(['accept', 'accept-encoding']);
/** Not passed on, but no less ambiguous when sent twice. */
const SINGLE_FRAMING = new Set(['host', 'content-length', 'transfer-encoding', 'expect', 'upgrade']);

export interface RawRequest {
  /** `1.1`, `1.0` or `2.0`. */
  readonly httpVersion: string;
  /** How many headers are taken. */
  readonly maxHeaders: number;
  readonly id: string;
  readonly method: string;
  readonly target: string;
  /** Name, value, name, value, as they came. HTTP/2's pseudo-headers among them. */
  readonly rawHeaders: readonly string[];
  readonly peerCertificate: Uint8Array | undefined;
  /** The name that the TLS connection was opened for. */
  readonly tlsName?: string | undefined;
  readonly signal: AbortSignal;
  /** True when Node has handed the connection over for an upgrade. */
  readonly upgrades?: boolean;
}

/** @throws {ApiError} ERR_BAD_REQUEST, ERR_METHOD_NOT_ALLOWED, ERR_HEADERS_TOO_LARGE */
export function requestHead(request: RawRequest): RequestHead {
  if (request.rawHeaders.length / 2 > request.maxHeaders) {
    throw new ApiError('ERR_HEADERS_TOO_LARGE', `the request has more than ${request.maxHeaders} headers`);
  }
  if (!VERSIONS.has(request.httpVersion)) throw refused('the request is not HTTP/1.1 or HTTP/2');
  const headers = new Map<string, string>();
  const impersonate = new Map<string, string[]>();
  const framing = new Set<string>();
  const serverNames = new Set(request.tlsName === undefined ? [] : [nameIn(request.tlsName)]);
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] ?? '').toLowerCase();
    const value = request.rawHeaders[at + 1] ?? '';
    if (name === 'host' || name === ':authority') serverNames.add(nameIn(value));
    if (SINGLE_FRAMING.has(name)) {
      if (framing.has(name)) throw twice(name);
      framing.add(name);
      if (name === 'transfer-encoding' && value.toLowerCase() !== 'chunked') {
        throw refused('the only transfer coding this server takes is chunked');
      }
    } else if (name.startsWith('impersonate-')) {
      const values = impersonate.get(name);
      if (values === undefined) impersonate.set(name, [value]);
      else values.push(value);
    } else if (SINGLE.has(name)) {
      if (headers.has(name)) throw twice(name);
      headers.set(name, value);
    } else if (LISTS.has(name)) {
      const earlier = headers.get(name);
      headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
    }
  }
  if (framing.has('content-length') && framing.has('transfer-encoding')) {
    throw refused('the request has both Content-Length and Transfer-Encoding');
  }
  // HTTP/2 says it in a pseudo-header.
  if (request.httpVersion !== '2.0' && !framing.has('host')) throw refused('the request has no Host header');
  if (!METHODS.has(request.method)) {
    throw methodNotAllowed();
  }
  if (!request.target.startsWith('/')) throw refused('the request target must be a path that starts with "/"');
  const { id, method, target, rawHeaders, peerCertificate, signal } = request;
  // RFC 9110 section 7.8.
  if (request.upgrades && request.httpVersion === '1.0') throw refused('a connection is upgraded by HTTP/1.1 only');
  const asked = request.upgrades ? askedUpgrade(rawHeaders) : undefined;
  if (asked?.bearer !== undefined) {
    if (headers.has('authorization')) throw twice('authorization');
    headers.set('authorization', `Bearer ${asked.bearer}`);
  }
  return {
    id,
    method,
    target,
    headers,
    impersonate,
    upgrade: asked?.upgrade,
    rawHeaders,
    serverNames: [...serverNames],
    peerCertificate,
    signal,
    trail: {},
  };
}

/** `Acme.example.com:8443` -> `acme.example.com` */
function nameIn(authority: string): string {
  return authority.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

function twice(name: string): ApiError {
  return refused(`the request has more than one ${name} header`);
}

function refused(message: string): ApiError {
  return new ApiError('ERR_BAD_REQUEST', message, { why: 'ambiguous-request' });
}
