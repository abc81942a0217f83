/**
 * Custom resources whose tenant converts them by webhook, asked for in another version than the one that is stored. The
 * host would only write another version on them. The webhook is not asked yet, so such a request fails as it does where a
 * webhook does not answer; what needs no conversion (an empty list, what is not there) is answered.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go at v0.36
 */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { apiVersionOf, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import type { Call } from './call.ts';

/** True for a request that has to be converted. */
export function needsConversion({ at }: Pick<Call, 'at'>): boolean {
  return at.storedAs !== undefined && at.storedAs !== at.version;
}

/**
 * @param serve serves the request as if the versions were one
 * @throws {ApiError} ERR_INTERNAL where an object would have to be converted
 */
export async function serveUnconverted(call: Call, serve: () => Promise<Reply>): Promise<Reply> {
  const { verb } = call.info;
  if (verb !== 'get' && verb !== 'list' && verb !== 'watch') throw failed(call, call.at.version);
  const reply = await serve();
  if (reply.kind === 'watch') return { ...reply, events: untilObject(call, reply.events) };
  const document = reply.kind === 'object' ? reply.object : reply.kind === 'printed' ? reply.object() : {};
  const isAnswered = 'status' in reply && reply.status < 300;
  if (isAnswered && (verb === 'get' || hasEntries(document))) throw failed(call, call.at.storedAs ?? '');
  return reply;
}

function hasEntries({ items, rows }: JsonObject): boolean {
  return [items, rows].some((list) => Array.isArray(list) && list.length > 0);
}

async function* untilObject(call: Call, events: AsyncIterable<WatchEvent>): AsyncIterable<WatchEvent> {
  for await (const event of events) {
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') yield event;
    else {
      const { message, reason, status: code } = failed(call, call.at.storedAs ?? '');
      const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
      yield { type: 'ERROR', object: status };
      return;
    }
  }
}

/** @param version of the objects that would have to be converted */
function failed({ info, at }: Call, version: string): ApiError {
  const what = `${apiVersionOf(info.group, version)}, Kind=${at.kind.kind}`;
  const why = 'conversion webhooks are not called in this cluster';
  return new ApiError('ERR_INTERNAL', `conversion webhook for ${what} failed: ${why}`, { why: 'not-converted' });
}
