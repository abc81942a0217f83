/** GET of one object or of one of its subresources. */
import type { Reply } from '../exchange.ts';
import { NotOurs } from '../translate/object.ts';
import { notFound, objectReply, upstreamAccept } from './answer.ts';
import type { Call, Host } from './call.ts';
import { objectPath, placeOf } from './place.ts';
import { plainParameters, tableParameters } from './query.ts';
import { standingReply } from './standing.ts';
import { upstreamNameOf } from './upstream-name.ts';

/** @throws {ApiError} ERR_NOT_FOUND when there is none that is the tenant's. */
export async function get(call: Call, host: Host): Promise<Reply> {
  const shared = host.sharedNames(call);
  if (shared !== undefined && !shared.has(call.info.name)) throw notFound(call);
  const place = placeOf(call, host, 'read');
  const answer = await host.upstream.request({
    identity: place.identity,
    method: 'GET',
    path: objectPath(place, upstreamNameOf(call), call.info.subresource),
    query: [...plainParameters(call.info.query, 'get'), ...tableParameters(call)],
    accept: upstreamAccept(call),
    signal: call.head.signal,
  });
  if (answer.status === 404) {
    const standing = standingReply(call, host);
    if (standing !== undefined) return standing;
  }
  try {
    return objectReply(call, host, place, answer);
  } catch (error) {
    if (error instanceof NotOurs) throw notFound(call);
    throw error;
  }
}
