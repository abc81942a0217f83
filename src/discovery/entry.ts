/**
 * What discovery says of one resource, in the form of aggregated discovery, cut to what the tenant has.
 *
 * Names (short, singular, categories) of built-in kinds are the host's own; those of a custom kind are its CRD's.
 * Verbs and subresources are those that both the host and the table of kinds know.
 *
 * @see k8s.io/api apidiscovery/v2/types.go at v0.36
 */
import { child, objects, strings, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { type TenantId, toTenantName, type UpstreamName } from '../tenancy/names.ts';

export interface Entry {
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly SubEntry[];
}

export interface SubEntry {
  readonly subresource: string;
  readonly responseKind: { group: string; version: string; kind: string };
  readonly verbs: readonly string[];
}

/** @param host the host's own entry for the resource, from its aggregated discovery */
export function builtInEntry(at: KindAtVersion, host: JsonObject): Entry {
  const verbs = strings(host, 'verbs');
  const readOnly = at.class === 'published' ? ['get', 'list', 'watch'] : at.kind.verbs;
  return {
    resource: at.kind.resource,
    kind: at.kind.kind,
    namespaced: at.kind.namespaced,
    singular: text(host, 'singularResource'),
    verbs: verbs.filter((verb) => (readOnly as readonly string[]).includes(verb)),
    shortNames: strings(host, 'shortNames'),
    categories: strings(host, 'categories'),
    subresources: at.class === 'published' ? [] : objects(host, 'subresources').flatMap((sub) => subEntry(at, sub)),
  };
}

function subEntry(at: KindAtVersion, host: JsonObject): SubEntry[] {
  const subresource = text(host, 'subresource');
  const offered = Object.hasOwn(at.kind.subresources, subresource) ? at.kind.subresources[subresource] : undefined;
  const response = host['responseKind'];
  if (offered === undefined || !isObject(response)) return [];
  const verbs = strings(host, 'verbs').filter((verb) => (offered.verbs as readonly string[]).includes(verb));
  if (verbs.length === 0) return [];
  const responseKind = {
    group: text(response, 'group'),
    version: text(response, 'version'),
    kind: text(response, 'kind'),
  };
  return [{ subresource, responseKind, verbs }];
}

/**
 * @param crd as upstream stores it
 * @param tenant whose it is: its short names, singular and categories carry the prefix upstream
 */
export function customEntry(at: KindAtVersion, crd: JsonObject, tenant: TenantId): Entry {
  const own = (name: string) => toTenantName(tenant, name as UpstreamName) ?? name;
  const names = child(child(crd, 'status'), 'acceptedNames');
  const { group } = at.kind;
  const subresources: SubEntry[] = Object.entries(at.kind.subresources).map(([subresource, { verbs }]) => ({
    subresource,
    responseKind:
      subresource === 'scale'
        ? { group: 'autoscaling', version: 'v1', kind: 'Scale' }
        : { group, version: at.version, kind: at.kind.kind },
    verbs,
  }));
  return {
    resource: at.kind.resource,
    kind: at.kind.kind,
    namespaced: at.kind.namespaced,
    singular: own(text(names, 'singular')),
    // In the order in which kube-apiserver lists them for custom resources.
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    shortNames: strings(names, 'shortNames').map(own),
    categories: strings(names, 'categories').map(own),
    subresources,
  };
}
