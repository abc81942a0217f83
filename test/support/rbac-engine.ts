/** Our RBAC with given roles and bindings, as if upstream had them of one tenant; its reviews with it. */

import type { RbacResource } from '../../src/authz/rbac-index.ts';
import { createTenantRbac, type TenantRbac } from '../../src/authz/tenant-rbac.ts';
import type { Identity } from '../../src/exchange.ts';
import type { Informer } from '../../src/k8s/informer.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { Authorizer } from '../../src/ports.ts';
import { createReviewHandler } from '../../src/reviews/handlers.ts';
import type { TenantId, TenantName } from '../../src/tenancy/names.ts';
import type { Tenant } from '../../src/tenancy/tenant.ts';
import type { defaultRoles } from '../../src/virtual/standing.ts';
import { GROUP, PREFIX } from './rbac-worlds.ts';

export type RbacObjects = Readonly<Record<RbacResource, readonly JsonObject[]>>;

export const acme: Tenant = {
  id: 'acme' as TenantId,
  uid: 'u',
  createdAt: '',
  phase: 'Active',
  clientCaPem: '',
  policy: 'default',
};

/** An object in the tenant's terms. @param at its number among those of its kind */
export function made(kind: string, at: number, rest: object, namespace?: string): JsonObject {
  const metadata = { name: `${PREFIX}-${at}`, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: `${GROUP}/v1`, kind, metadata, ...rest } as JsonObject;
}

export function rbacOf(
  objects: RbacObjects,
  defaults: ReturnType<typeof defaultRoles> = { clusterroles: [], clusterrolebindings: [] },
): TenantRbac {
  const informer = (resource: RbacResource) => fixed(resource, objects[resource]);
  return createTenantRbac({
    informers: {
      roles: informer('roles'),
      rolebindings: informer('rolebindings'),
      clusterroles: informer('clusterroles'),
      clusterrolebindings: informer('clusterrolebindings'),
    },
    view: (_tenant, _resource, object) => JSON.parse(JSON.stringify(object).replaceAll('acme--', '')) as JsonObject,
    defaults,
  });
}

/** As upstream has them: with the tenant's prefix where the tenant shows; the view takes it off again. */
function fixed(resource: RbacResource, objects: readonly JsonObject[]): Informer {
  const field = resource.startsWith('cluster') ? 'name' : 'namespace';
  const stored = objects.map((object) => {
    const metadata = object['metadata'] as JsonObject;
    return { ...object, metadata: { ...metadata, [field]: `acme--${metadata[field]}` } };
  });
  return {
    synced: true,
    whenSynced: () => Promise.resolve(),
    get: () => undefined,
    list: () => stored,
    note() {},
    forget() {},
    subscribe(listener) {
      for (const object of stored) listener({ type: 'added', object });
      return () => {};
    },
  };
}

/** Asks a review of `authorization.k8s.io`, as whoever it is. */
export function reviewsBy(authorizer: Authorizer) {
  const handler = createReviewHandler({ authorizer, checkToken: async () => undefined, nowMs: () => 0 });
  return async (resource: string, document: JsonObject, identity: Identity): Promise<JsonObject> => {
    const reply = await handler({
      info: {
        isResource: true,
        verb: 'create',
        group: 'authorization.k8s.io',
        version: 'v1',
        resource,
        subresource: '',
        rest: [],
        namespace: '' as TenantName | '',
        name: '',
        query: new Map(),
        claimed: undefined,
      },
      tenant: acme,
      identity,
      body: { contentType: 'application/json', document },
    });
    if (reply.kind !== 'object') throw new Error('no object');
    return reply.object;
  };
}
