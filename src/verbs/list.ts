/**
 * LIST of one collection: a namespace's objects, or cluster-scoped ones. "All namespaces" is `list-across.ts`.
 *
 * Pages: upstream's own token travels inside a sealed one of ours, bound to this tenant and collection, so that it can
 * be neither read nor forged nor used elsewhere. Objects that stand without being stored come with the last page; a
 * list that is whole is in the order of names.
 */
import type { Reply } from '../exchange.ts';
import { metadataOf } from '../k8s/meta.ts';
import { text } from '../k8s/read.ts';
import { isTable } from '../k8s/shapes.ts';
import type { JsonObject } from '../k8s/types.ts';
import { listToTenant } from '../translate/list.ts';
import { tableToTenant } from '../translate/table.ts';
import { refusalReply, replyHeaders } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { openContinue, pageOf, sealContinue } from './continue-token.ts';
import { needsConversion, serveConverted } from './conversion.ts';
import { dropForeign } from './egress-check.ts';
import { type Pairs, selectorParameters, verbParameters } from './query.ts';
import { cutList, cutRows } from './representation.ts';
import { type Route, routeOf } from './route.ts';
import { type Answer, isSuccess, sendRead } from './send.ts';
import { appendStanding, missingStanding, namesIn, sortByName } from './standing.ts';
import { printTable } from './table-printer.ts';

export async function list(call: Call, deps: VerbDeps): Promise<Reply> {
  if (needsConversion(call)) return await serveConverted(call, deps, list);
  const route = routeOf(call, deps, 'read');
  const position = await openContinue(call, deps, 'one');
  const answer = await sendList(call, deps, route, [...verbParameters(call.info.query, 'list'), ...pageOf(position)]);
  if (!isSuccess(answer)) return await refusedPage(call, deps, answer);

  const headers = replyHeaders(call, answer);
  const shown = showList(call, deps, route, answer.document);
  const metadata = metadataOf(shown);
  const token = text(metadata, 'continue');
  // What upstream counts is everybody's.
  if (call.at.class === 'published' || call.at.class === 'mixed') delete metadata['remainingItemCount'];
  if (token !== '') {
    metadata['continue'] = await sealContinue(call, deps, 'one', { token });
    return { kind: 'object', status: 200, object: cutRows(call, shown), headers };
  }
  const { query } = call.info;
  const isPartial = position !== undefined || query.has('labelSelector') || query.has('fieldSelector');
  const missing = missingStanding(call, deps, namesIn(shown), isPartial);
  const all = appendStanding(call, deps, shown, missing);
  // Upstream's order is that of its own names: of encoded ones, and of those with a prefix among others, it is another.
  const isSorted =
    position === undefined && (missing.length > 0 || call.at.class === 'virtual' || call.at.class === 'mixed');
  return { kind: 'object', status: 200, object: cutRows(call, isSorted ? sortByName(all) : all), headers };
}

/** One LIST upstream, with the client's selectors. */
export async function sendList(call: Call, deps: VerbDeps, route: Route, query: Pairs): Promise<Answer> {
  return await sendRead(call, deps, route, { query: [...query, ...selectorParameters(call, route)] });
}

/** A list or Table, in tenant terms; what is not the tenant's is left out. */
export function showList(call: Call, deps: VerbDeps, route: Route, document: JsonObject): JsonObject {
  const leftOut = (error: unknown) => deps.onLeftOut(call, error);
  dropForeign(call, deps, route, document);
  if (!isTable(document)) return cutList(call, listToTenant(document, call.at, call.scope, leftOut));
  return printTable(call, deps, tableToTenant(document, call.at, call.scope, leftOut));
}

/** A page that upstream no longer has: 410, with a token of ours to go on without consistency, as the API server gives. */
async function refusedPage(call: Call, deps: VerbDeps, answer: Answer): Promise<Reply> {
  const token = text(metadataOf(answer.document), 'continue');
  const reply = refusalReply(call, answer);
  if (reply.kind === 'object' && token !== '') {
    reply.object['metadata'] = { continue: await sealContinue(call, deps, 'one', { token }) };
  }
  return reply;
}
