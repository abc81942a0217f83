/**
 * Where a watch's events come from: today one upstream watch a client. A shared cache will serve the same interface, so
 * nothing above this file will know the difference.
 */
import { parseJson } from '../codec/json.ts';
import { lines } from '../codec/lines.ts';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { isObject, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import { parseAnswer, refusal, upstreamAccept } from './answer.ts';
import type { Call, Host } from './call.ts';
import type { Place } from './place.ts';
import type { Pairs } from './query.ts';

/** Events in upstream terms; or upstream's refusal, in the tenant's. */
export type Opened = { events: AsyncIterable<WatchEvent> } | { reply: Reply };

export async function openWatch(call: Call, host: Host, place: Place, path: string, query: Pairs): Promise<Opened> {
  const answer = await host.upstream.stream({
    identity: place.identity,
    method: 'GET',
    path,
    query: [...query.filter(([name]) => name !== BOOKMARKS), [BOOKMARKS, 'true'], ['watch', 'true']],
    accept: upstreamAccept(call),
    signal: call.head.signal,
  });
  if (answer.status !== 200) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.chunks) chunks.push(chunk);
    const body = parseAnswer({ ...answer, body: Buffer.concat(chunks) });
    return { reply: refusal(call, answer, body) };
  }
  const wanted = ['true', '1'].includes(call.info.query.get(BOOKMARKS) ?? '');
  return { events: parsed(answer.chunks, wanted) };
}

/** Always asked for: without them a quiet watch looks like a dead connection. */
const BOOKMARKS = 'allowWatchBookmarks';

async function* parsed(chunks: AsyncIterable<Uint8Array>, bookmarks: boolean): AsyncIterable<WatchEvent> {
  for await (const line of lines(chunks)) {
    const event = parseJson(line);
    if (!isObject(event) || typeof event['type'] !== 'string' || !isObject(event['object'])) {
      throw new ApiError('ERR_BAD_GATEWAY', 'the cluster sent an unreadable watch event; watch again');
    }
    if (event['type'] === 'BOOKMARK' && !bookmarks) continue;
    yield event as unknown as WatchEvent & { object: JsonObject };
  }
}
