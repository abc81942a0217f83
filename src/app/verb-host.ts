/** What the verbs are served from, in its production form. */
import type { Sealer } from '../codec/seal.ts';
import type { Controllers } from '../controllers/controllers.ts';
import { VIRTUAL_GROUP } from '../kinds/kind.ts';
import { logger } from '../observe/log.ts';
import type { Policies } from '../policy/policy.ts';
import type { Upstream } from '../ports.ts';
import type { Host } from '../verbs/call.ts';
import { virtualBehaviour } from '../virtual/behaviours.ts';
import type { HostView } from './host-view.ts';
import { createStanding } from './standing.ts';

export interface VerbHostOptions {
  upstream: Upstream;
  controllers: Controllers;
  view: HostView;
  policies: Policies;
  sealer: Sealer;
}

export function createVerbHost({ upstream, controllers, view, policies, sealer }: VerbHostOptions): Host {
  const log = logger('verbs');
  const host: Host = {
    upstream,
    namespaces: controllers.namespaces,
    provisioner: controllers.provisioner,
    seal: sealer,
    standing: createStanding({
      provisioner: controllers.provisioner,
      host: () => host,
      isStored: (resource, name) => view.has(resource, name),
    }),
    virtual: virtualBehaviour,
    sharedNames(call) {
      if (call.at.class !== 'published') return undefined;
      return policies.of(call.tenant).sharedNames(`${call.at.kind.group}/${call.at.kind.resource}`);
    },
    readsSecretsAcross: (call) => policies.of(call.tenant).readsSecretsAcross,
    onWritten(at, object) {
      const { group, resource } = at.kind;
      if (group === 'rbac.authorization.k8s.io') view.note(resource, object);
      if (group === '' && resource === 'namespaces') controllers.informers.namespaces.note(object);
      if (group === 'apiextensions.k8s.io') controllers.informers.definitions.note(object);
      if (at.upstreamApiVersion.startsWith(`${VIRTUAL_GROUP}/`)) view.note(resource, object);
    },
    onLeftOut(call, error) {
      log.warn(
        { cause: error, tenant: call.tenant.id, resource: call.info.resource, id: call.head.id },
        'an object was left out',
      );
    },
  };
  return host;
}
