/** DELETE of one object. The body may hold DeleteOptions: preconditions, propagation, grace. */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { isStatus } from '../k8s/shapes.ts';
import { objectReply } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { bodyOptions } from './delete-options.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { get } from './get.ts';
import { refuseImmortal } from './namespaces.ts';
import { verbParameters } from './query.ts';
import { routeOf } from './route.ts';
import { isSuccess, sendWrite } from './send.ts';
import { storeStanding } from './store-standing.ts';
import { upstreamNameOf } from './upstream-name.ts';

export async function remove(call: Call, deps: VerbDeps): Promise<Reply> {
  refuseImmortal(call);
  await ensureNamespace(call, deps);
  await storeStanding(call, deps);
  const gone = call.at.kind.returned === true ? await goneReply(call, deps) : undefined;
  const route = routeOf(call, deps, 'write');
  const answer = await sendWrite(call, deps, route, {
    method: 'DELETE',
    name: upstreamNameOf(call),
    query: verbParameters(call.info.query, 'delete'),
    document: bodyOptions(call),
  });
  // One with finalizers is answered with as it is now.
  if (gone !== undefined && isSuccess(answer) && isStatus(answer.document)) return gone;
  return objectReply(call, deps, route, answer);
}

/** The object as it is before it goes; undefined when it cannot be shown, for the deletion itself to say why. */
async function goneReply(call: Call, deps: VerbDeps): Promise<Reply | undefined> {
  const asked: Call = { ...call, info: { ...call.info, verb: 'get', query: new Map() } };
  const reply = await get(asked, deps).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'ERR_NOT_FOUND') return undefined;
    throw error;
  });
  return reply?.kind === 'object' && reply.status === 200 ? reply : undefined;
}
