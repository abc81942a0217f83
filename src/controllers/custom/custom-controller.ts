/**
 * Rights on tenants' own kinds: for each tenant with CustomResourceDefinitions a ClusterRole `kubeveil:custom:<tenant>`
 * with rules on exactly those, and a ClusterRoleBinding when one of them is cluster-scoped. The namespace controller binds
 * the role in each namespace. With the last definition all of it goes.
 */

import { labelsOf, nameOf, uidOf } from '../../k8s/meta.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { sameJson } from '../../lib/same-json.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import { customRoleName, GUARD } from '../../tenancy/host-names.ts';
import { TENANT_LABEL, type TenantId, tenantIdProblem } from '../../tenancy/names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import type { HostLists } from '../host/host-lists.ts';
import { customClusterBinding, customClusterRole, PATHS } from '../host/host-objects.ts';
import type { HostInformers } from '../host/informers.ts';
import { type CustomDefinition, customRules, definitionsOf, readDefinition } from './custom-rules.ts';

export interface CustomControllerOptions {
  client: HostClient;
  informers: HostInformers;
  lists: HostLists;
  /** Binds the role in the namespaces of this tenant, or unbinds it. */
  onChange: (tenant: TenantId) => void;
  onError: (what: string, error: unknown) => void;
}

export interface CustomController {
  /** Removes the role and its binding whatever definitions there are: the tenant goes. */
  remove(tenant: TenantId): Promise<void>;
  stop(): Promise<void>;
}

export function createCustomController(options: CustomControllerOptions): CustomController {
  const { client, informers, lists } = options;

  async function reconcile(key: string): Promise<undefined> {
    const tenant = key as TenantId;
    if (informers.tenants.get('', tenant) === undefined) return;
    const definitions = definitionsOf(informers.definitions.list(), tenant);
    if (definitions.length === 0) {
      await remove(tenant);
    } else {
      await Promise.all([lists.settle(), keepRole(tenant, definitions), keepBinding(tenant, definitions)]);
    }
    options.onChange(tenant);
  }

  async function keepRole(tenant: TenantId, definitions: readonly CustomDefinition[]): Promise<void> {
    const wanted = customClusterRole(tenant, customRules(definitions));
    const known = informers.clusterRoles.get('', customRoleName(tenant));
    if (known !== undefined && sameJson(known['rules'] ?? [], wanted['rules'])) return;
    informers.clusterRoles.note(await client.apply(`${PATHS.clusterRoles}/${customRoleName(tenant)}`, wanted));
  }

  async function keepBinding(tenant: TenantId, definitions: readonly CustomDefinition[]): Promise<void> {
    const known = informers.clusterBindings.get('', customRoleName(tenant));
    if (!definitions.some(({ clusterScoped }) => clusterScoped)) return removeOne(PATHS.clusterBindings, known);
    const wanted = customClusterBinding(tenant);
    if (
      known !== undefined &&
      sameJson([known['roleRef'], known['subjects']], [wanted['roleRef'], wanted['subjects']])
    ) {
      return;
    }
    // A roleRef cannot be changed; an object that is absent or ours is simply applied.
    if (known !== undefined && !sameJson(known['roleRef'], wanted['roleRef'])) {
      await removeOne(PATHS.clusterBindings, known);
    }
    informers.clusterBindings.note(await client.apply(`${PATHS.clusterBindings}/${customRoleName(tenant)}`, wanted));
  }

  async function remove(tenant: TenantId): Promise<void> {
    await Promise.all([
      lists.settle(),
      removeOne(PATHS.clusterBindings, informers.clusterBindings.get('', customRoleName(tenant))),
      removeOne(PATHS.clusterRoles, informers.clusterRoles.get('', customRoleName(tenant))),
    ]);
  }

  async function removeOne(collection: string, known: JsonObject | undefined): Promise<void> {
    if (known !== undefined) await client.remove(`${collection}/${nameOf(known)}`, uidOf(known));
  }

  const queue = createWorkQueue({
    work: reconcile,
    concurrency: 4,
    onError: (tenant, error) => options.onError(`rights of ${tenant} on its own kinds`, error),
  });
  const add = (tenant: string | undefined) => {
    if (tenant !== undefined && tenantIdProblem(tenant) === undefined) queue.add(tenant);
  };
  const stops = [
    informers.definitions.subscribe(({ object }) =>
      add(readDefinition(object)?.tenant ?? labelsOf(object)[TENANT_LABEL]),
    ),
    informers.clusterRoles.subscribe(({ object }) => add(labelsOf(object)[GUARD])),
    informers.clusterBindings.subscribe(({ object }) => add(labelsOf(object)[GUARD])),
  ];

  return {
    remove,
    async stop() {
      for (const stop of stops) stop();
      await queue.stop();
    },
  };
}
