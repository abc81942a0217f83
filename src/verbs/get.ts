/** GET of one object or of one of its subresources. */
import type { Reply } from '../exchange.ts';
import { NotOurs } from '../translate/object.ts';
import { notTheirs, objectReply } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { needsConversion, serveConverted } from './conversion.ts';
import { verbParameters } from './query.ts';
import { routeOf } from './route.ts';
import { sendRead } from './send.ts';
import { getKept } from './shared-read.ts';
import { standingReply } from './standing.ts';
import { upstreamNameOf } from './upstream-name.ts';

/** @throws {ApiError} ERR_NOT_FOUND when there is none that is the tenant's. */
export async function get(call: Call, deps: VerbDeps): Promise<Reply> {
  if (needsConversion(call)) return await serveConverted(call, deps, get);
  if (call.at.class === 'published' && !deps.isPublished(call, call.info.name)) throw notTheirs(call);
  const kept = getKept(call, deps);
  if (kept !== undefined) return kept;
  const route = routeOf(call, deps, 'read');
  const answer = await sendRead(call, deps, route, {
    name: upstreamNameOf(call),
    subresource: call.info.subresource,
    query: verbParameters(call.info.query, 'get'),
  });
  if (answer.status === 404) {
    const standing = standingReply(call, deps);
    if (standing !== undefined) return standing;
  }
  try {
    return objectReply(call, deps, route, answer);
  } catch (error) {
    if (error instanceof NotOurs) throw notTheirs(call);
    throw error;
  }
}
