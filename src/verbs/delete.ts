/** DELETE of one object. The body may hold DeleteOptions: preconditions, propagation, grace. */
import type { Reply } from '../exchange.ts';
import { objectReply } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { bodyOptions } from './delete-options.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { refuseImmortal } from './namespaces.ts';
import { verbParameters } from './query.ts';
import { routeOf } from './route.ts';
import { sendWrite } from './send.ts';
import { storeStanding } from './store-standing.ts';
import { upstreamNameOf } from './upstream-name.ts';

export async function remove(call: Call, deps: VerbDeps): Promise<Reply> {
  refuseImmortal(call);
  await ensureNamespace(call, deps);
  await storeStanding(call, deps);
  const route = routeOf(call, deps, 'write');
  const answer = await sendWrite(call, deps, route, {
    method: 'DELETE',
    name: upstreamNameOf(call),
    query: verbParameters(call.info.query, 'delete'),
    document: bodyOptions(call),
  });
  return objectReply(call, deps, route, answer);
}
