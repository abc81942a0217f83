/**
 * Which names of classes and volumes stand for objects of the host, for one tenant: from the policy, and from what is
 * followed of the host. Everything that a tenant names otherwise is below its own prefix, and finds its own or nothing.
 */
import type { Informer } from '../k8s/informer.ts';
import { annotationOf, labelsOf, metadataOf, nameOf } from '../k8s/meta.ts';
import { child, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Kind, ResourceKey } from '../kinds/kind.ts';
import { resourceKey } from '../kinds/row.ts';
import { KINDS } from '../kinds/table.ts';
import type { Policies } from '../policy/policy.ts';
import type { HostNames } from '../ports.ts';
import {
  TENANT_LABEL,
  type TenantId,
  type TenantName,
  tenantNames,
  tenantOf,
  type UpstreamName,
} from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { GLOBAL_DEFAULT, keptMark } from '../translate/special/default-mark.ts';

/** The kinds whose objects have to be followed for this. */
export const FOLLOWED_CLASSES: readonly Kind[] = KINDS.filter(
  (kind) => kind.chosen === true || kind.published !== undefined,
);
const BY_KEY: ReadonlyMap<ResourceKey, Kind> = new Map(
  FOLLOWED_CLASSES.map((kind) => [resourceKey(kind.group, kind.resource), kind]),
);

/** @param informers of the kinds of FOLLOWED_CLASSES that the host serves */
export function createHostNames(
  informers: ReadonlyMap<ResourceKey, Pick<Informer, 'get' | 'list'>>,
  policies: Pick<Policies, 'of'>,
  isTenant: (id: TenantId) => boolean,
): HostNames {
  const stored = (of: ResourceKey, name: string) => informers.get(of)?.get('', name);

  /** The tenant's own object of this name. */
  function own(tenant: Tenant, of: ResourceKey, name: string): JsonObject | undefined {
    if (BY_KEY.get(of)?.classes[policies.of(tenant).profile] !== 'mixed') return undefined;
    const object = stored(of, tenantNames(tenant.id).up(name as TenantName));
    return object !== undefined && labelsOf(object)[TENANT_LABEL] === tenant.id ? object : undefined;
  }

  /** False where the tenant has an object of its own of this name, and for names that look like a tenant's. */
  function isFree(tenant: Tenant, of: ResourceKey, name: string): boolean {
    const owner = tenantOf(name as UpstreamName);
    return (owner === undefined || !isTenant(owner)) && own(tenant, of, name) === undefined;
  }

  return {
    isPublished(tenant, of, name) {
      // Nodes are shared all or none.
      if (!BY_KEY.has(of)) return policies.of(tenant).shares(of, '');
      return policies.of(tenant).shares(of, name) && isFree(tenant, of, name);
    },
    namesHost(tenant, of, name) {
      if (!isFree(tenant, of, name)) return false;
      const policy = policies.of(tenant);
      if (policy.lists(of, name)) return true;
      const object = stored(of, name);
      if (object === undefined || labelsOf(object)[TENANT_LABEL] !== undefined) return false;
      const kind = BY_KEY.get(of);
      if (kind?.owned !== undefined) return ownerOf(object, kind.owned.by) === tenant.id;
      return policy.shares(of, name) || isHostDefault(object, kind);
    },
    holds: (tenant, name) => [...BY_KEY.keys()].some((of) => own(tenant, of, name) !== undefined),
    defaultOf(tenant, of) {
      const kind = BY_KEY.get(of);
      if (kind?.classes[policies.of(tenant).profile] !== 'mixed') return 'host';
      const all = [...(informers.get(of)?.list() ?? [])];
      const [newest] = all
        .filter((object) => labelsOf(object)[TENANT_LABEL] === tenant.id && isOwnDefault(object, kind))
        .sort(byAge);
      const name = newest && tenantNames(tenant.id).down(nameOf(newest) as UpstreamName);
      if (name !== undefined) return { own: name };
      const isHosts = (object: JsonObject) => labelsOf(object)[TENANT_LABEL] === undefined;
      return all.some((object) => isHosts(object) && isHostDefault(object, kind)) ? 'host' : undefined;
    },
  };
}

/** What the host itself writes into objects that choose nothing. */
function isHostDefault(object: JsonObject, kind: Kind | undefined): boolean {
  const mark = kind?.defaultMark;
  if (mark === undefined) return false;
  if ('field' in mark) return object[mark.field] === true;
  return mark.annotations.some((key) => annotationOf(object, key) === 'true');
}

/** What a tenant has marked so, in the form that is kept upstream. */
function isOwnDefault(object: JsonObject, { defaultMark: mark }: Kind): boolean {
  if (mark === undefined) return false;
  const keys = 'field' in mark ? [GLOBAL_DEFAULT] : mark.annotations.map(keptMark);
  return keys.some((key) => annotationOf(object, key) === 'true');
}

/** The newest first, and of one second by name: as the admission plugins of the API server choose. */
function byAge(a: JsonObject, b: JsonObject): number {
  const [madeA, madeB] = [a, b].map((object) => text(metadataOf(object), 'creationTimestamp')) as [string, string];
  if (madeA !== madeB) return madeA < madeB ? 1 : -1;
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

/** The tenant whose namespace an object names. */
function ownerOf(object: JsonObject, path: string): string | undefined {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  return tenantOf(text(steps.reduce(child, object), last) as UpstreamName);
}
