/**
 * How a row of the table is written: one function per class, so that a row states only what is its own.
 *
 * A row that states nothing gets nothing: no references, no subresources, no columns. `reason` has no default.
 */
import type { Kind, KindClass, Profile, ResourceKey, Subresource, Verb } from './kind.ts';
import { keepOnly } from './scrub.ts';

export const READ: readonly Verb[] = ['get', 'list', 'watch'];
export const ALL: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** A subresource that tenants read and write, with the parent's own kind as its body. */
export const OPEN: Subresource = { verbs: ['get', 'patch', 'update'] };
/** A subresource that tenants only read. Give the reason under `withheld`. */
export const READ_ONLY: Subresource = { verbs: ['get'] };
/** A status that only trusted tenants write: forged, it misleads what runs on the host. Give the reason under `withheld`. */
export const TRUSTED_STATUS: Subresource = { verbs: ['get'], trusted: ['patch', 'update'] };
export const SCALE: Subresource = { verbs: ['get', 'patch', 'update'], group: 'autoscaling', kind: 'Scale' };

/** Into a container, both ways. Named by both verbs, as the server does; a tenant needs `create` for either. */
export const TUNNEL: Subresource = { verbs: ['create', 'get'], connect: 'tunnel' };
/** HTTP of a pod's own, by any method. */
export const PROXY: Subresource = { verbs: ['', 'create', 'delete', 'get', 'patch', 'update'], connect: 'proxy' };
export const SERVICE_PROXY: Subresource = { ...PROXY, connect: 'service' };
export const LOG: Subresource = { verbs: ['get'], connect: 'log' };

type Names = Pick<Kind, 'group' | 'resource' | 'kind'>;
type Optional = Partial<
  Pick<
    Kind,
    | 'namespaced'
    | 'classes'
    | 'verbs'
    | 'refs'
    | 'subresources'
    | 'withheld'
    | 'fieldSelectors'
    | 'columns'
    | 'naming'
    | 'owned'
    | 'chosen'
    | 'classByDefault'
    | 'defaultMark'
    | 'shows'
    | 'answeredBy'
    | 'filled'
    | 'returned'
    | 'generation'
    | 'selectable'
    | 'unowned'
    | 'measured'
    | 'byMetric'
    | 'isPodClient'
  >
>;
/** What a row says; everything else has the default of its class. */
export type Row = Names & Optional & { readonly reason: string };

/** One class under every profile. */
export function everywhere(kindClass: KindClass): Record<Profile, KindClass> {
  return { trusted: kindClass, baseline: kindClass, restricted: kindClass };
}

function complete(row: Row, defaults: Pick<Kind, 'namespaced' | 'classes' | 'verbs'>): Kind {
  return { refs: [], subresources: {}, fieldSelectors: {}, columns: {}, custom: false, ...defaults, ...row };
}

/** Stored upstream as itself. Namespaced unless the row says otherwise. */
export function native(row: Row): Kind {
  return complete(row, { namespaced: true, classes: everywhere('native'), verbs: ALL });
}

/** Of a virtual kind that must exist for those who look for it, and that nobody else misses. */
export const TRUSTED_ONLY: Record<Profile, KindClass> = {
  trusted: 'virtual',
  baseline: 'absent',
  restricted: 'absent',
};

/** Stored upstream as a custom resource without effect. Cluster-scoped unless the row says otherwise. */
export function virtual(row: Row): Kind {
  return complete(row, { namespaced: false, classes: everywhere('virtual'), verbs: ALL });
}

/** The host's own, read-only. */
export function published(row: Row & { readonly shows: readonly string[] }): Kind {
  const kind = complete(row, { namespaced: false, classes: everywhere('published'), verbs: READ });
  return { ...kind, scrub: keepOnly(row.shows) };
}

/**
 * The host's own, read-only; under the profile `trusted` a tenant's own stand beside them.
 * @param hidden columns of a Table that print what is not shown of the host's
 */
export function mixed(row: Row & { readonly shows: readonly string[] }, hidden: readonly string[] = []): Kind {
  const classes = { trusted: 'mixed', baseline: 'published', restricted: 'published' } as const;
  const kind = complete(row, { namespaced: false, classes, verbs: ALL });
  const subresources = Object.keys(kind.subresources).map((name) => [name, READ_ONLY]);
  const cut = {
    verbs: READ,
    subresources: Object.fromEntries(subresources),
    columns: { ...kind.columns, ...Object.fromEntries(hidden.map((column) => [column, { cell: 'hidden' } as const])) },
    scrub: keepOnly(row.shows),
  };
  return { ...kind, published: { ...kind, ...cut } };
}

/** Not offered. Verbs and references may be written down for the day when it is. */
export function absent(row: Row): Kind {
  return complete(row, { namespaced: false, classes: everywhere('absent'), verbs: ALL });
}

/** A review, or another kind that only exists as a question: create alone, and the proxy answers. */
export function answered(row: Row): Kind {
  return complete(
    { ...row, answeredBy: 'proxy' },
    { namespaced: false, classes: everywhere('native'), verbs: ['create'] },
  );
}

/** `apps/deployments`; the core group gives `/pods`. */
export function resourceKey(group: string, resource: string): ResourceKey {
  return `${group}/${resource}`;
}
