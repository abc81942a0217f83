/**
 * LIST of a namespaced kind over all of a tenant's namespaces, with the semantics of one LIST.
 *
 * The API server cannot select a set of namespaces, so:
 *   1. LIST the kind in `default`, which every tenant has: gives a revision R that is as fresh as the client asked for.
 *   2. LIST the tenant's namespaces at exactly R. A set known from before R would lose what was made in a namespace
 *      that is newer than it, for an informer even for ever.
 *   3. LIST the kind in each of them at exactly R, and put the parts together in the order of the API server's keys.
 *
 * With `limit` the namespaces are walked in that order, one page at a time, and the position is sealed into the token.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { nameOf, versionOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { TENANT_LABEL, type TenantName, type UpstreamName } from '../tenancy/names.ts';
import { isSuccess, parseAnswer, refusal, withIncluded } from './answer.ts';
import type { Call, Host } from './call.ts';
import { openContinue, sealContinue } from './continue.ts';
import { fetchList, listDocument } from './list.ts';
import { inNamespace } from './place.ts';
import type { Pairs } from './query.ts';

/** How many namespaces are asked for at once. */
const PARALLEL = 8;

/** Where every tenant's walk begins, for the revision. */
const DEFAULT = 'default' as TenantName;

interface Position {
  revision: string;
  /** The namespace the next page begins in, and upstream's token for it when it is begun already. */
  namespace: TenantName;
  token: string;
}

export async function listAcross(call: Call, host: Host): Promise<Reply> {
  const limit = limitOf(call);
  const opened = await openContinue(call, host, 'across');
  const position = opened === undefined ? undefined : (opened as unknown as Position);

  // The first request also carries what the client asked of freshness, so that upstream itself refuses what it refuses.
  const first = position === undefined ? await begin(call, host) : undefined;
  if (first !== undefined && 'reply' in first) return first.reply;
  const revision = position?.revision ?? (first as { revision: string }).revision;
  const all = await namespacesAt(call, host, revision);
  if (!Array.isArray(all)) return all.reply;

  const from = position === undefined ? all : all.filter((namespace) => !isBefore(namespace, position.namespace));
  const walk =
    limit === 0
      ? await together(call, host, from, revision)
      : await inPages(call, host, from, revision, limit, position);
  if ('reply' in walk) return walk.reply;

  const document = join(first?.document, walk.parts, revision);
  if (walk.next !== undefined) {
    const sealed = await sealContinue(call, host, 'across', { ...walk.next, revision });
    (document['metadata'] as JsonObject)['continue'] = sealed;
  }
  return { kind: 'object', status: 200, object: withIncluded(call, document) };
}

type Refused = { reply: Reply };
type Walked = { parts: JsonObject[]; next?: { namespace: TenantName; token: string } };

/** The revision that this list is at, and an empty document of its shape. */
async function begin(call: Call, host: Host): Promise<Refused | { revision: string; document: JsonObject }> {
  const { query } = call.info;
  const pairs: Pairs = [['limit', '1']];
  for (const name of ['resourceVersion', 'resourceVersionMatch', 'sendInitialEvents']) {
    const value = query.get(name);
    if (value !== undefined) pairs.push([name, value]);
  }
  // Our limit must not turn "not older than N" into the legacy "exactly N", which only a client's own limit means.
  const version = query.get('resourceVersion') ?? '';
  if (version !== '' && version !== '0' && !query.has('resourceVersionMatch') && !query.has('limit')) {
    pairs.push(['resourceVersionMatch', 'NotOlderThan']);
  }
  // An exact old revision with a limit of one is as good as any: only the revision and the shape are used.
  const place = inNamespace(call, host, 'read', DEFAULT);
  const answer = await fetchList(call, host, place, pairs);
  const document = parseAnswer(answer);
  if (!isSuccess(answer)) return { reply: refusal(call, answer, document) };
  const revision = versionOf(document);
  const shape = listDocument(call, host, place, document);
  if (Array.isArray(shape['items'])) shape['items'] = [];
  if (Array.isArray(shape['rows'])) shape['rows'] = [];
  return { revision, document: shape };
}

/** The tenant's namespaces as they were at a revision, in key order. */
async function namespacesAt(call: Call, host: Host, revision: string): Promise<TenantName[] | Refused> {
  const answer = await host.upstream.request({
    identity: { as: 'reader' },
    method: 'GET',
    path: '/api/v1/namespaces',
    query: [
      ['labelSelector', `${TENANT_LABEL}=${call.tenant.id}`],
      ['resourceVersion', revision],
      ['resourceVersionMatch', 'Exact'],
    ],
    accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    signal: call.head.signal,
  });
  const document = parseAnswer(answer);
  if (!isSuccess(answer)) return { reply: refusal(call, answer, document) };
  const items = Array.isArray(document['items']) ? document['items'].filter(isObject) : [];
  const names = items.map((item) => call.scope.names.down(nameOf(item) as UpstreamName));
  return names.filter((name) => name !== undefined).sort((a, b) => (isBefore(a, b) ? -1 : 1));
}

/** The API server orders by `namespace/name`, where `/` counts: `a-b/` comes before `a/`. */
function isBefore(a: TenantName, b: TenantName): boolean {
  return `${a}/` < `${b}/`;
}

/** One part: a namespace at exactly the revision. */
async function part(
  call: Call,
  host: Host,
  namespace: TenantName,
  query: Pairs,
): Promise<Refused | { document: JsonObject; token: string }> {
  const place = inNamespace(call, host, 'read', namespace);
  let answer = await fetchList(call, host, place, query);
  if (answer.status === 403 && !place.unconfined) {
    // Its guard went with the namespace since that revision; what was in it then is still the tenant's to see.
    answer = await fetchList(call, host, { ...place, identity: { as: 'reader' }, unconfined: true }, query);
  }
  const document = parseAnswer(answer);
  if (!isSuccess(answer)) return { reply: refusal(call, answer, document) };
  const shown = listDocument(call, host, { ...place, unconfined: true }, document);
  const token = isObject(shown['metadata']) ? shown['metadata']['continue'] : '';
  return { document: shown, token: typeof token === 'string' ? token : '' };
}

function exactly(revision: string): Pairs {
  return [
    ['resourceVersion', revision],
    ['resourceVersionMatch', 'Exact'],
  ];
}

async function together(call: Call, host: Host, namespaces: TenantName[], revision: string): Promise<Refused | Walked> {
  const parts: JsonObject[] = new Array(namespaces.length);
  let next = 0;
  let refused: Refused | undefined;
  async function work(): Promise<void> {
    for (let at = next++; at < namespaces.length && refused === undefined; at = next++) {
      const fetched = await part(call, host, namespaces[at] as TenantName, exactly(revision));
      if ('reply' in fetched) refused = fetched;
      else parts[at] = fetched.document;
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, namespaces.length) }, work));
  return refused ?? { parts };
}

async function inPages(
  call: Call,
  host: Host,
  namespaces: TenantName[],
  revision: string,
  limit: number,
  position: Position | undefined,
): Promise<Refused | Walked> {
  const parts: JsonObject[] = [];
  let room = limit;
  for (const [at, namespace] of namespaces.entries()) {
    const begun = position !== undefined && position.namespace === namespace ? position.token : '';
    const query: Pairs = begun === '' ? exactly(revision) : [['continue', begun]];
    const fetched = await part(call, host, namespace, [...query, ['limit', String(room)]]);
    if ('reply' in fetched) return fetched;
    parts.push(fetched.document);
    if (fetched.token !== '') return { parts, next: { namespace, token: fetched.token } };
    room -= countOf(fetched.document);
    const following = namespaces[at + 1];
    if (room <= 0 && following !== undefined) return { parts, next: { namespace: following, token: '' } };
  }
  return { parts };
}

function contentOf(document: JsonObject): JsonValue[] {
  const content = document['kind'] === 'Table' ? document['rows'] : document['items'];
  return Array.isArray(content) ? content : [];
}

function countOf(document: JsonObject): number {
  return contentOf(document).length;
}

function join(shape: JsonObject | undefined, parts: JsonObject[], revision: string): JsonObject {
  const base = shape ?? parts[0];
  if (base === undefined)
    throw new ApiError('ERR_EXPIRED', 'the list can no longer be continued: start again without continue');
  const content = parts.flatMap(contentOf);
  const key = base['kind'] === 'Table' ? 'rows' : 'items';
  return { ...base, metadata: { resourceVersion: revision }, [key]: content };
}

/** @throws {ApiError} ERR_BAD_REQUEST for a limit that is no number */
function limitOf(call: Call): number {
  const text = call.info.query.get('limit') ?? '';
  if (text === '') return 0;
  if (!/^\d{1,18}$/.test(text))
    throw new ApiError('ERR_BAD_REQUEST', `limit ${JSON.stringify(text)} is not a whole number`);
  return Number(text);
}
