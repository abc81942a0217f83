/** CREATE of an object, or of a subresource that is made by POST (eviction, token). */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { nameOf } from '../k8s/meta.ts';
import { refuseChosenVolume } from '../translate/chosen-volume.ts';
import { checkNames } from '../translate/names-check.ts';
import { toUpstream } from '../translate/object.ts';
import { objectReply } from './answer.ts';
import { objectOf } from './body.ts';
import type { Call, VerbDeps } from './call.ts';
import { confirmGrant } from './confirm-grant.ts';
import { fillDefaultClass, refuseSecondDefault } from './default-class.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { refuseBeyondQuota } from './namespaces.ts';
import { verbParameters } from './query.ts';
import { routeOf } from './route.ts';
import { sendWrite } from './send.ts';
import { refuseHostsName } from './sides.ts';
import { refuseStanding } from './standing.ts';
import { upstreamNameOf } from './upstream-name.ts';
import { completeVirtual } from './virtual-kinds.ts';

export async function create(call: Call, deps: VerbDeps): Promise<Reply> {
  const { namespace, subresource, resource, query } = call.info;
  if (namespace === '' && call.at.kind.namespaced) {
    throw new ApiError('ERR_BAD_REQUEST', 'an empty namespace may not be set during creation', {
      details: { kind: resource },
    });
  }
  const given = objectOf(call);
  await confirmGrant(call, deps, given);
  const object = await completeVirtual(call, deps, given, false);
  if (subresource === '') {
    checkNames(object, call.at, call.scope);
    refuseChosenVolume(object, call.at, call.scope);
    refuseStanding(call, deps, nameOf(object));
    refuseBeyondQuota(call, deps, nameOf(object));
    refuseHostsName(call, deps, nameOf(object));
    refuseSecondDefault(object, call, deps);
    fillDefaultClass(object, call, deps);
  }
  await ensureNamespace(call, deps);
  const route = routeOf(call, deps, 'write');
  const answer = await sendWrite(call, deps, route, {
    method: 'POST',
    ...(subresource === '' ? {} : { name: upstreamNameOf(call), subresource }),
    query: verbParameters(query, 'create'),
    document: toUpstream(object, call.at, call.scope, subresource),
  });
  return objectReply(call, deps, route, answer);
}
