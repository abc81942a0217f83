/**
 * The HTTP of a pod or a service, of any method and with any body, passed through. All that is mapped are addresses of
 * this very proxy, which the API server writes into redirects and HTML pages, and refusals of its own.
 *
 * Pods of all tenants answer under one origin, so nothing that a browser keeps for an origin goes through: cookies,
 * service workers, and the like.
 *
 * @see https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/
 * @see k8s.io/apimachinery pkg/util/proxy/transport.go at v0.36 (what the API server rewrites)
 */
import { Readable } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { replaceInStream } from '../lib/replace-in-stream.ts';
import type { UpstreamPassage, UpstreamStream } from '../ports.ts';
import { backendOf } from './backend.ts';
import { type ConnectDeps, pathSegment, type Routed } from './call.ts';
import { type Addresses, headersFromPod, headersToPod } from './proxy-headers.ts';
import { statusIn, statusReply } from './refusal.ts';

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export async function proxy(call: Routed, deps: ConnectDeps): Promise<Reply> {
  const { as: identity, head, info } = call;
  refuseWorkers(head.rawHeaders);
  const upstream = info.resource === 'services' ? await pathToPod(call, deps) : call.path;
  const rest = info.rest.map((step) => `/${encodeURIComponent(step)}`).join('');
  const answer = await deps.upstream.pass({
    identity,
    method: head.method as UpstreamPassage['method'],
    path: upstream + rest,
    rawQuery: info.rawQuery ?? '',
    headers: [...headersToPod(head.rawHeaders), ...(head.upgrade?.headers ?? [])],
    body: WITH_BODY.has(head.method) && head.upgrade === undefined ? call.incoming : undefined,
    upgrade: head.upgrade?.protocol,
    signal: head.signal,
  });
  const addresses = { upstream, tenant: ownPath(call) };
  const headers = headersFromPod(answer.headers, addresses, answer.socket !== undefined);
  if (answer.socket !== undefined) return { kind: 'tunnel', headers, upstream: answer.socket };
  return await passBack(call, answer, headers, addresses);
}

type Passed = Extract<Reply, { kind: 'stream' }>['headers'];

async function passBack(call: Routed, answer: UpstreamStream, headers: Passed, addresses: Addresses): Promise<Reply> {
  const { status } = answer;
  const type = String(headers['content-type'] ?? '');
  if (status >= 400 && type.startsWith('application/json')) {
    // Of the API server, perhaps: it says what it thinks of the request where the pod would answer.
    const looked = await statusIn(answer.chunks);
    if (looked.status !== undefined) return statusReply(call, status, looked.status);
    return { kind: 'stream', status, headers, chunks: looked.chunks };
  }
  if (!/^\s*text\/html\s*(?:;|$)/i.test(type)) return { kind: 'stream', status, headers, chunks: answer.chunks };
  return { kind: 'stream', status, ...pageOf(answer.chunks, headers, addresses) };
}

/** A page whose links are the client's. The API server writes into pages of these encodings, and no other. */
function pageOf(
  chunks: AsyncIterable<Uint8Array>,
  { 'content-length': _length, 'content-encoding': encoding, ...headers }: Passed,
  { upstream, tenant }: Addresses,
): { headers: Passed; chunks: AsyncIterable<Uint8Array> } {
  const unpack = encoding === 'gzip' ? createGunzip() : encoding === 'deflate' ? createInflateRaw() : undefined;
  const plain = unpack === undefined ? chunks : Readable.from(chunks).pipe(unpack);
  const kept = unpack === undefined && encoding !== undefined ? { ...headers, 'content-encoding': encoding } : headers;
  return { headers: kept, chunks: replaceInStream(plain, upstream, tenant) };
}

async function pathToPod(call: Routed, deps: ConnectDeps): Promise<string> {
  return `/api/v1/${call.inNamespace}/pods/${pathSegment(await backendOf(call, deps))}/proxy`;
}

/** The path of the application as the client wrote it, its tenant's prefix and all. */
function ownPath({ head, info }: Routed): string {
  const steps = (head.target.split('?')[0] ?? '').split('/');
  return steps.slice(0, steps.length - info.rest.length).join('/');
}

/** One of them would see every request of the browser to this origin from then on. */
function refuseWorkers(rawHeaders: readonly string[]): void {
  if (!rawHeaders.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'service-worker')) return;
  throw new ApiError('ERR_FORBIDDEN', 'service workers cannot be installed through this server', {
    why: 'service-worker',
  });
}
