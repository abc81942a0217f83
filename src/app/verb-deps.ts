/** What the verbs are served from, in its production form. */

import { authorize } from '../authz/authorize.ts';
import { createGrantGuard } from '../authz/escalation.ts';
import type { Cache } from '../cache/cache.ts';
import type { Sealer } from '../codec/seal.ts';
import type { Controllers } from '../controllers/controllers.ts';
import { ApiError } from '../errors.ts';
import { resourceKey } from '../kinds/row.ts';
import { logger } from '../observe/log.ts';
import { createOpenApiSource } from '../openapi/source.ts';
import type { Policies } from '../policy/policy.ts';
import type { Admission, Upstream, Webhooks } from '../ports.ts';
import type { VerbDeps } from '../verbs/call.ts';
import { createLocalViews } from '../verbs/local-views.ts';
import { Sessions } from '../verbs/sessions.ts';
import { virtualBehaviour } from '../virtual/behaviours.ts';
import { createNativeMerge } from '../virtual/native-merge.ts';
import { createStandingObjects } from '../virtual/standing.ts';
import { printerOf } from '../virtual/tables.ts';
import type { CountLimits } from './count-limits.ts';
import { createGrantTurns } from './grant-turns.ts';
import type { HostView } from './host-view.ts';

export interface VerbDepsOptions {
  upstream: Upstream;
  controllers: Controllers;
  view: HostView;
  policies: Policies;
  sealer: Sealer;
  cache: Cache;
  webhooks: Webhooks;
  counts: CountLimits;
  admission: Admission;
}

export function createVerbDeps(options: VerbDepsOptions): VerbDeps {
  const { upstream, controllers, view, policies, sealer, cache, webhooks, counts, admission } = options;
  const log = logger('verbs');
  const quotaRefusal: VerbDeps['quotaRefusal'] = ({ tenant, at: { kind }, info }) =>
    counts.refusal(tenant.id, policies.of(tenant).limits, resourceKey(kind.group, kind.resource), info.name);
  return {
    upstream,
    namespaces: controllers.namespaces,
    provisioner: controllers.provisioner,
    sealer,
    cache,
    views: createLocalViews(view.followed),
    standing: createStandingObjects(view.serviceRanges),
    virtual: virtualBehaviour,
    nativeMerge: createNativeMerge(createOpenApiSource(upstream)),
    printers: printerOf,
    grants: createGrantGuard(view.authorizer, createGrantTurns()),
    quotaRefusal,
    creationRefusal(call) {
      const { tenant, identity, info } = call;
      try {
        authorize(view.authorizer, tenant, identity, { ...info, verb: 'create' });
        return quotaRefusal(call);
      } catch (error) {
        if (error instanceof ApiError && error.code === 'ERR_FORBIDDEN') return error;
        throw error;
      }
    },
    allows: ({ tenant, identity }, attributes) => view.authorizer.decide(tenant, identity, attributes).allowed,
    admission,
    webhooks,
    isPublished: ({ tenant, at: { kind } }, name) =>
      view.hostNames.isPublished(tenant, resourceKey(kind.group, kind.resource), name),
    defaultOf: ({ tenant }, of) => view.hostNames.defaultOf(tenant, of),
    isTrusted: (call) => policies.of(call.tenant).profile === 'trusted',
    readsSecretsAcross: (call) => policies.of(call.tenant).readsSecretsAcross,
    isSession: (call) => policies.of(call.tenant).readsOwnWritesOnly,
    sessions: new Sessions(cache.doubt),
    onLeftOut(call, error) {
      log.warn(
        { cause: error, tenant: call.tenant.id, resource: call.info.resource, id: call.head.id },
        'an object was left out',
      );
    },
  };
}
