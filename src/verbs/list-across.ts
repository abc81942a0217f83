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
import type { Reply, ReplyHeaders } from '../exchange.ts';
import { metadataOf, nameOf, versionOf } from '../k8s/meta.ts';
import { objects, text } from '../k8s/read.ts';
import { parseFieldSelector } from '../k8s/selector.ts';
import { isPartialList, isTable } from '../k8s/shapes.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { fewAtOnce } from '../lib/few-at-once.ts';
import type { TenantName, UpstreamName } from '../tenancy/names.ts';
import { isHostLack } from '../translate/host-lack.ts';
import { refusalReply, replyHeaders } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { openContinue, sealContinue } from './continue-token.ts';
import { sendList, showList } from './list.ts';
import { integerParameter } from './list-options.ts';
import { type Pairs, pick } from './query.ts';
import { cutRows } from './representation.ts';
import { asReader, type Route, routeInNamespace, routeToNamespaces } from './route.ts';
import { type Answer, isSuccess, sendRead } from './send.ts';

/** How many namespaces are asked for at once. */
export const PARALLEL = 8;

/** Where every tenant's walk begins, for the revision. */
export const DEFAULT = 'default' as TenantName;

interface Position {
  revision: string;
  /** The namespace the next page begins in, and upstream's token for it when it is begun already. */
  namespace: TenantName;
  token: string;
}

export async function listAcross(call: Call, deps: VerbDeps): Promise<Reply> {
  // As for the API server: none and less than none is no limit.
  // Neither is one on a list that may be of any age: it is answered whole from memory.
  const isAnyAge = call.info.query.get('resourceVersion') === '0';
  const limit = isAnyAge ? 0 : Math.max(0, integerParameter(call.info.query, 'limit'));
  const opened = await openContinue(call, deps, 'across');
  const position = opened === undefined ? undefined : (opened as unknown as Position);

  const begun: Refused | Begun = position === undefined ? await pinRevision(call, deps) : position;
  if ('reply' in begun) return begun.reply;
  const { revision } = begun;
  const all = await namespacesOf(call, deps, exactly(revision));
  if ('reply' in all) return all.reply;

  const from = position === undefined ? all : all.filter((namespace) => !isBefore(namespace, position.namespace));
  const walked =
    limit === 0
      ? await listInEach(call, deps, from, (namespace) => placeIn(namespace, revision, position))
      : await listPage(call, deps, from, revision, limit, position);
  if ('reply' in walked) return walked.reply;

  const document = joinParts([...(begun.shape === undefined ? [] : [begun.shape]), ...walked.parts], {
    resourceVersion: revision,
  });
  // Of custom resources the API server says this always.
  if (call.at.kind.custom && !isTable(document) && !isPartialList(document)) metadataOf(document)['continue'] = '';
  if (walked.next !== undefined) {
    metadataOf(document)['continue'] = await sealContinue(call, deps, 'across', { ...walked.next, revision });
  }
  const { headers = {} } = begun;
  return { kind: 'object', status: 200, object: cutRows(call, document), headers };
}

type Refused = { reply: Reply };
type Begun = { revision: string; shape?: JsonObject; headers?: ReplyHeaders };
type Walked = { parts: JsonObject[]; next?: { namespace: TenantName; token: string } };

/**
 * The revision that this list is at, and an empty document of its shape. The request carries what the client asked of
 * freshness, so that upstream itself refuses what it refuses; any age is the newest.
 */
export async function pinRevision(call: Call, deps: VerbDeps): Promise<Refused | Begun> {
  // An exact old revision with a limit of one is as good as any: only the revision and the shape are used.
  const route = routeInNamespace(call, deps, 'read', DEFAULT);
  const answer = await sendList(call, deps, route, [['limit', '1'], ...freshnessOf(call)]);
  if (!isSuccess(answer)) return { reply: refusalReply(call, answer) };
  const revision = versionOf(answer.document);
  const shape = showList(call, deps, route, answer.document);
  if (Array.isArray(shape['items'])) shape['items'] = [];
  if (Array.isArray(shape['rows'])) shape['rows'] = [];
  return { revision, shape, headers: replyHeaders(call, answer) };
}

function freshnessOf({ info: { query } }: Call): Pairs {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  // Memory could not answer now, but may have before: what may be of any age must not be older than that, as it may be with
  // an API server that has just started. The newest never is.
  if (version === '0' && (match === '' || match === 'NotOlderThan')) return [];
  // Our limit must not turn "not older than N" into the legacy "exactly N", which only a client's own limit means.
  const isBare = version !== '' && match === '' && integerParameter(query, 'limit') <= 0;
  const asked = pick(query, ['resourceVersion', 'resourceVersionMatch']);
  return isBare ? [...pick(query, ['resourceVersion']), ['resourceVersionMatch', 'NotOlderThan']] : asked;
}

/** The tenant's namespaces, in key order. @param query at which revision */
export async function namespacesOf(call: Call, deps: VerbDeps, query: Pairs): Promise<TenantName[] | Refused> {
  const route = routeToNamespaces(call);
  const answer = await sendRead({ ...call, accept: NAMES_ONLY }, deps, route, {
    query: [['labelSelector', route.labels.join(',')], ...query],
  });
  if (!isSuccess(answer)) return { reply: refusalReply(call, answer) };
  const names = objects(answer.document, 'items').map((item) => call.scope.names.down(nameOf(item) as UpstreamName));
  const own = names.filter((name) => name !== undefined).sort((a, b) => (isBefore(a, b) ? -1 : 1));
  const pinned = pinnedNamespace(call);
  return pinned === undefined ? own : own.filter((name) => name === pinned);
}

/** The only namespace that the client's field selector lets through: nothing of another has to be asked for. */
function pinnedNamespace({ info }: Call): string | undefined {
  const { requirements } = parseFieldSelector(info.query.get('fieldSelector') ?? '');
  return requirements.find(({ field, operator }) => field === 'metadata.namespace' && operator === '=')?.value;
}

const NAMES_ONLY = {
  media: 'json',
  as: { kind: 'PartialObjectMetadataList', group: 'meta.k8s.io', version: 'v1' },
} as const;

/** The API server orders by `namespace/name`, where `/` counts: `a-b/` comes before `a/`. */
function isBefore(a: TenantName, b: TenantName): boolean {
  return `${a}/` < `${b}/`;
}

/** As the reader, where its guard went with the namespace since that revision: what was in it then is the tenant's to see. */
async function sendUnguarded(call: Call, deps: VerbDeps, route: Route, query: Pairs): Promise<Answer> {
  if (route.needsOwnerCheck) return await sendList(call, deps, route, query);
  try {
    const answer = await sendList(call, deps, route, query);
    if (answer.status !== 403) return answer;
  } catch (error) {
    if (!isHostLack(error)) throw error;
  }
  return await sendList(call, deps, asReader(route), query);
}

/** What of one namespace belongs to the list. */
export async function listPart(
  call: Call,
  deps: VerbDeps,
  namespace: TenantName,
  query: Pairs,
): Promise<Refused | { document: JsonObject; token: string }> {
  const route = routeInNamespace(call, deps, 'read', namespace);
  const answer = await sendUnguarded(call, deps, route, query);
  if (!isSuccess(answer)) return { reply: refusalReply(call, answer) };
  const document = showList(call, deps, { ...route, needsOwnerCheck: true }, answer.document);
  return { document, token: text(metadataOf(document), 'continue') };
}

export function exactly(revision: string): Pairs {
  return [
    ['resourceVersion', revision],
    ['resourceVersionMatch', 'Exact'],
  ];
}

/** All of what is in these namespaces, several asked at once. @param queryOf what is asked of one */
export async function listInEach(
  call: Call,
  deps: VerbDeps,
  namespaces: readonly TenantName[],
  queryOf: (namespace: TenantName) => Pairs,
): Promise<Refused | Walked> {
  let refused: Refused | undefined;
  const parts = await fewAtOnce(namespaces, PARALLEL, async (namespace) => {
    if (refused !== undefined) return [];
    const part = await listPart(call, deps, namespace, queryOf(namespace));
    if (!('reply' in part)) return [part.document];
    refused = part;
    return [];
  });
  return refused ?? { parts: parts.flat() };
}

/** As many namespaces, one after the other, as fill the page. */
async function listPage(
  call: Call,
  deps: VerbDeps,
  namespaces: readonly TenantName[],
  revision: string,
  limit: number,
  position: Position | undefined,
): Promise<Refused | Walked> {
  const parts: JsonObject[] = [];
  let room = limit;
  for (const [at, namespace] of namespaces.entries()) {
    const query: Pairs = [...placeIn(namespace, revision, position), ['limit', String(room)]];
    const part = await listPart(call, deps, namespace, query);
    if ('reply' in part) return part;
    parts.push(part.document);
    if (part.token !== '') return { parts, next: { namespace, token: part.token } };
    room -= contentOf(part.document).length;
    const following = namespaces[at + 1];
    if (room <= 0 && following !== undefined) return { parts, next: { namespace: following, token: '' } };
  }
  return { parts };
}

/** Where to go on in a namespace that is begun already; all of it otherwise. */
function placeIn(namespace: TenantName, revision: string, position: Position | undefined): Pairs {
  const isBegun = position?.namespace === namespace && position.token !== '';
  return isBegun ? [['continue', position.token]] : exactly(revision);
}

function contentOf(document: JsonObject): JsonValue[] {
  const content = isTable(document) ? document['rows'] : document['items'];
  return Array.isArray(content) ? content : [];
}

/** One list or Table of several; what else the first one says holds for all. */
export function joinParts(parts: readonly JsonObject[], metadata: JsonObject): JsonObject {
  const [base] = parts;
  if (base === undefined)
    throw new ApiError('ERR_EXPIRED', 'the list can no longer be continued: start again without continue');
  const key = isTable(base) ? 'rows' : 'items';
  return { ...base, metadata, [key]: parts.flatMap(contentOf) };
}
