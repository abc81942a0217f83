/** DELETE of one object. The body may hold DeleteOptions: preconditions, propagation, grace. */
import { stringifyJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { isObject } from '../k8s/types.ts';
import { objectReply } from './answer.ts';
import type { Call, Host } from './call.ts';
import { ensureNamespace } from './namespace-ready.ts';
import { objectPath, placeOf } from './place.ts';
import { plainParameters } from './query.ts';
import { storeStanding } from './update.ts';
import { upstreamNameOf } from './upstream-name.ts';

export async function remove(call: Call, host: Host): Promise<Reply> {
  await ensureNamespace(call, host);
  await storeStanding(call, host);
  const place = placeOf(call, host, 'write');
  const options = deleteOptions(call);
  const answer = await host.upstream.request({
    identity: place.identity,
    method: 'DELETE',
    path: objectPath(place, upstreamNameOf(call), ''),
    query: plainParameters(call.info.query, 'delete'),
    ...(options === undefined ? {} : { contentType: 'application/json', body: options }),
    signal: call.head.signal,
  });
  return objectReply(call, host, place, answer);
}

const OPTIONS = ['gracePeriodSeconds', 'preconditions', 'orphanDependents', 'propagationPolicy', 'dryRun'] as const;

/** DeleteOptions made anew from the fields that there are, whatever apiVersion the client wrote above them. */
export function deleteOptions(call: Call): string | undefined {
  const document = call.body?.document;
  if (document === undefined) return undefined;
  if (!isObject(document)) throw new ApiError('ERR_BAD_REQUEST', 'the body of a DELETE must be a DeleteOptions object');
  const options: Record<string, unknown> = { apiVersion: 'v1', kind: 'DeleteOptions' };
  for (const name of OPTIONS) if (document[name] !== undefined) options[name] = document[name];
  return stringifyJson(options as never);
}
