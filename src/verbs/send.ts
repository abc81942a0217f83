/**
 * The one place where a request of a verb goes upstream, and where its answer becomes a document. Reads, watches and
 * writes each have one function here, so that each has one place for what is to come between: a cache before reads and
 * watches, admission before writes, audit around all of them.
 *
 * The path is built from the route and an upstream name, never from the client's text. A write that was taken, and what
 * was read, shows in the local views before it is answered.
 */
import { parseJson } from '../codec/json.ts';
import { lines } from '../codec/lines.ts';
import { stringifyRepeated } from '../codec/repeated-keys.ts';
import { ApiError, busy, unavailable, unreadable } from '../errors.ts';
import { versionOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, type JsonValue, type WatchEvent } from '../k8s/types.ts';
import type { UpstreamRequest, UpstreamResponse, UpstreamStream } from '../ports.ts';
import { tenantOf, type UpstreamName } from '../tenancy/names.ts';
import { refuseHostLack } from '../translate/host-lack.ts';
import { withRight } from './await-right.ts';
import type { Call, VerbDeps } from './call.ts';
import { withFieldManager } from './field-manager.ts';
import { isRehearsal, type NotedWrite, noteRead, noteWrite } from './local-views.ts';
import type { Pairs } from './query.ts';
import { askUpstream } from './representation.ts';
import type { Route } from './route.ts';

/** Of what upstream answered, the document is freshly parsed: whoever has it may change it. */
export interface Answer {
  readonly status: number;
  readonly headers: UpstreamResponse['headers'];
  /** In upstream terms: an object, a list, a Table or a Status. */
  readonly document: JsonObject;
}

/** One object or subresource of it, or the collection of the route. */
export interface ReadRequest {
  /** Upstream name; left out for the collection. */
  readonly name?: string;
  readonly subresource?: string;
  readonly query: Pairs;
}

export interface WriteRequest extends ReadRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In upstream terms. */
  readonly document?: JsonValue | undefined;
  /** Of a patch. JSON is YAML: an apply patch goes on as JSON, under the type that says apply. */
  readonly contentType?: string;
}

/** GET of an object, or LIST of a collection, as the client asked to see it. */
export async function sendRead(call: Call, deps: VerbDeps, route: Route, read: ReadRequest): Promise<Answer> {
  const request = { ...common(call, route, read), method: 'GET', ...represented(call, read) } as const;
  const answer = readAnswer(call, await withRight(call, deps, route, () => deps.upstream.request(request)));
  if (isSuccess(answer)) noteRead(call, deps, answer.document);
  return answer;
}

/** A write, or its rehearsal where the query or the options say `dryRun`. */
export async function sendWrite(call: Call, deps: VerbDeps, route: Route, write: WriteRequest): Promise<Answer> {
  const { method, document, contentType = 'application/json' } = write;
  const isApply = contentType === 'application/apply-patch+yaml';
  const query = isApply ? write.query : withFieldManager(write.query, call.head.headers.get('user-agent'));
  const request = {
    ...common(call, route, write),
    method,
    // A deletion is answered with a Status more often than with an object: there is no Table of it.
    ...(method === 'DELETE' ? { query: write.query } : represented(call, { ...write, query })),
    ...(document === undefined ? {} : { contentType, body: stringifyRepeated(document, call.body?.repeated ?? []) }),
  };
  return await noted(call, deps, write, () => withRight(call, deps, route, () => deps.upstream.request(request)));
}

/** A new namespace, in upstream terms. It is not made by a request alone: its guard is made and proven with it. */
export async function sendNamespace(call: Call, deps: VerbDeps, document: JsonObject, query: Pairs): Promise<Answer> {
  const managed = withFieldManager(query, call.head.headers.get('user-agent'));
  return await noted(call, deps, { method: 'POST', query }, () =>
    deps.provisioner.createNamespace(call.tenant, document, managed, call.body?.repeated),
  );
}

/** Sends a write, and notes what came of it: in the local views, and how far its tenant has written. */
async function noted(
  call: Call,
  deps: VerbDeps,
  write: NotedWrite,
  send: () => Promise<UpstreamResponse>,
): Promise<Answer> {
  // Until it is told, it may have been written all the same, under a revision that nobody knows.
  let written: string | undefined = isRehearsal(write) ? undefined : '';
  try {
    const response = await send();
    if (isRefusal(write, response)) written = undefined;
    const answer = readAnswer(call, response);
    if (isSuccess(answer)) noteWrite(call, deps, write, answer.document);
    // Of a deletion the revision is not told.
    if (isSuccess(answer) && write.method !== 'DELETE' && written !== undefined) written = versionOf(answer.document);
    return answer;
  } finally {
    if (written !== undefined) deps.sessions.wrote(call, written);
  }
}

/** True when nothing was written. Of many that are to be deleted, some may be gone before one is refused. */
function isRefusal({ method, name }: NotedWrite, { status }: UpstreamResponse): boolean {
  return status >= 400 && status < 500 && !(method === 'DELETE' && name === undefined);
}

const BOOKMARKS = 'allowWatchBookmarks';

/** WATCH of a collection: its events in upstream terms, bookmarks always among them, or upstream's refusal. */
export async function sendWatch(
  call: Call,
  deps: VerbDeps,
  route: Route,
  query: Pairs,
): Promise<(Pick<Answer, 'headers'> & { events: AsyncIterable<WatchEvent> }) | { refused: Answer }> {
  // Bookmarks are always asked for: without them a quiet watch looks like a dead connection.
  const others = query.filter(([name]) => name !== BOOKMARKS);
  const watch = { query: [...others, [BOOKMARKS, 'true'], ['watch', 'true']] as const };
  const request = { ...common(call, route, watch), method: 'GET', ...represented(call, watch) } as const;
  const answer = await withRight(call, deps, route, () => openOrRead(deps, request));
  if (call.head.trail !== undefined) call.head.trail.upstreamStatus = answer.status;
  if (!('chunks' in answer)) return { refused: readAnswer(call, answer) };
  return { events: eventsIn(answer.chunks), headers: answer.headers };
}

/** A stream as it is, and what is none read to its end. */
async function openOrRead(deps: VerbDeps, request: UpstreamRequest): Promise<UpstreamStream | UpstreamResponse> {
  const answer = await deps.upstream.stream(request);
  const { status, headers } = answer;
  if (status === 200) return answer;
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.chunks) chunks.push(chunk);
  return { status, headers, body: Buffer.concat(chunks) };
}

export function isSuccess({ status }: Pick<Answer, 'status'>): boolean {
  return status >= 200 && status < 300;
}

function common(
  call: Call,
  route: Route,
  { name, subresource = '' }: ReadRequest,
): Pick<UpstreamRequest, 'identity' | 'path' | 'signal'> {
  if (
    route.identity.as === 'provisioner' &&
    (name === undefined || tenantOf(name as UpstreamName) !== call.tenant.id)
  ) {
    // This account is not confined to a tenant, so the name is looked at once more, apart from the translator.
    throw new Error(`${name ?? 'a collection'} is not of tenant ${call.tenant.id}`);
  }
  const { subresources } = call.at.kind;
  const isWhole = Object.hasOwn(subresources, subresource) && subresources[subresource]?.ofObject;
  const steps = [name ?? '', isWhole ? '' : subresource].filter((step) => step !== '').map(encodeURIComponent);
  return { identity: route.identity, path: [route.collection, ...steps].join('/'), signal: call.head.signal };
}

function represented(call: Call, { query }: ReadRequest): Pick<UpstreamRequest, 'accept' | 'query'> {
  const asked = askUpstream(call);
  return { accept: asked.accept, query: [...query, ...asked.query] };
}

/** @throws {ApiError} ERR_BAD_GATEWAY when upstream answers something that is not a JSON object. */
function readAnswer({ head, tenant }: Call, { status, headers, body }: UpstreamResponse): Answer {
  if (head.trail !== undefined) head.trail.upstreamStatus = status;
  let document: unknown;
  try {
    document = parseJson(body);
  } catch (cause) {
    // In words alone speak an aggregated API's server, or the way to it, and priority and fairness of the host.
    if (status === 503) throw unavailable(cause);
    if (status === 429) throw busy(cause, Number.parseInt(String(headers['retry-after'] ?? ''), 10) || 1);
    throw unreadable(cause);
  }
  if (!isObject(document)) throw unreadable();
  refuseHostLack(status, document, tenant.id);
  return { status, headers, document };
}

async function* eventsIn(chunks: AsyncIterable<Uint8Array>): AsyncIterable<WatchEvent> {
  for await (const line of lines(chunks)) {
    const event = parseJson(line);
    if (!isObject(event) || typeof event['type'] !== 'string' || !isObject(event['object'])) {
      throw new ApiError('ERR_BAD_GATEWAY', 'the cluster sent an unreadable watch event; watch again');
    }
    yield event as unknown as WatchEvent & { object: JsonObject };
  }
}
