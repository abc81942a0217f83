/**
 * Rights on the kinds that tenants define themselves, from their CustomResourceDefinitions. Only what a definition says
 * is there: its plural, and its subresources.
 */
import { labelsOf } from '../../k8s/meta.ts';
import { child, objects, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { TENANT_LABEL, type TenantId, tenantOf, type UpstreamName } from '../../tenancy/names.ts';
import type { HostKind } from '../host/host-kinds.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

export interface CustomDefinition {
  readonly tenant: TenantId;
  /** With the tenant's prefix. */
  readonly group: string;
  readonly plural: string;
  readonly clusterScoped: boolean;
}

/** Reads a definition; undefined when the label and the prefix of the group do not name the same tenant. */
export function readDefinition(object: JsonObject): CustomDefinition | undefined {
  const spec = child(object, 'spec');
  const group = text(spec, 'group');
  const plural = text(child(spec, 'names'), 'plural');
  if (plural === '') return undefined;
  const tenant = tenantOf(group as UpstreamName);
  if (tenant === undefined || labelsOf(object)[TENANT_LABEL] !== tenant) return undefined;
  return { tenant, group, plural, clusterScoped: spec['scope'] === 'Cluster' };
}

export function definitionsOf(definitions: Iterable<JsonObject>, tenant: TenantId): CustomDefinition[] {
  return readAll(definitions).filter((definition) => definition.tenant === tenant);
}

/** All API groups of tenants, sorted. */
export function customGroups(definitions: Iterable<JsonObject>): string[] {
  return [...new Set(readAll(definitions).map(({ group }) => group))].sort();
}

/** Rules of ClusterRole `kubeveil:custom:<tenant>`: two a group, in a stable order. */
export function customRules(definitions: readonly CustomDefinition[]): JsonObject[] {
  const plurals = new Map<string, string[]>();
  for (const { group, plural } of definitions) plurals.set(group, [...(plurals.get(group) ?? []), plural]);
  return [...plurals]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([group, names]) => {
      const resources = names.sort();
      return [
        { apiGroups: [group], resources, verbs: [...VERBS] },
        {
          apiGroups: [group],
          resources: resources.flatMap((name) => [`${name}/finalizers`, `${name}/scale`, `${name}/status`]),
          verbs: [...SUBRESOURCE_VERBS],
        },
      ];
    });
}

/** Where objects of this definition are found; undefined when it is not this tenant's. Any version that is served will do. */
export function customKind(object: JsonObject, tenant: TenantId): HostKind | undefined {
  const definition = readDefinition(object);
  if (definition?.tenant !== tenant) return undefined;
  const versions = objects(child(object, 'spec'), 'versions');
  const version = text(versions.find((one) => one['served'] === true) ?? versions[0], 'name');
  return { root: `/apis/${definition.group}/${version}`, resource: definition.plural };
}

function readAll(definitions: Iterable<JsonObject>): CustomDefinition[] {
  return [...definitions].map(readDefinition).filter((definition) => definition !== undefined);
}
