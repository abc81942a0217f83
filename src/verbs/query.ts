/**
 * Which query parameters go upstream, by verb: an allow-list. Selectors are taken apart, mapped and put together anew;
 * nothing of the client's text is appended to ours.
 */
import type { Query } from '../exchange.ts';
import { NOTHING_LABEL } from '../tenancy/host-names.ts';
import { selectorsToUpstream } from '../translate/selectors.ts';
import type { Call } from './call.ts';
import type { Route } from './route.ts';

export type Pairs = ReadonlyArray<readonly [name: string, value: string]>;

const WRITE = ['dryRun', 'fieldManager', 'fieldValidation'] as const;
const BY_VERB = {
  get: ['resourceVersion'],
  list: ['resourceVersion', 'resourceVersionMatch', 'limit', 'timeoutSeconds', 'sendInitialEvents'],
  watch: ['resourceVersion', 'resourceVersionMatch', 'timeoutSeconds', 'sendInitialEvents', 'allowWatchBookmarks'],
  create: WRITE,
  update: WRITE,
  patch: [...WRITE, 'force'],
  delete: ['dryRun', 'gracePeriodSeconds', 'propagationPolicy', 'orphanDependents'],
  deletecollection: [
    'dryRun',
    'gracePeriodSeconds',
    'propagationPolicy',
    'orphanDependents',
    'resourceVersion',
    'resourceVersionMatch',
    'limit',
  ],
} as const satisfies Record<string, readonly string[]>;

/** The parameters of this verb that the client gave, without selectors and continue. */
export function verbParameters(query: Query, verb: keyof typeof BY_VERB): Pairs {
  return pick(query, BY_VERB[verb]);
}

/** True when nothing is to be stored. Options of a deletion may say so as well. */
export function isDryRun(query: Query): boolean {
  return (query.get('dryRun') ?? '') !== '';
}

/** Those of these parameters that the client gave. */
export function pick(query: Query, names: readonly string[]): Pairs {
  return names.flatMap((name) => {
    const value = query.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
}

/**
 * A selector that can match nothing of the tenant's still goes upstream, as this: for the revision and the columns, and
 * for a watch that stays open.
 */
const NOTHING: Pairs = [['labelSelector', NOTHING_LABEL]];

/** Both selectors in upstream terms, with the terms of the route. */
export function selectorParameters(call: Call, route: Route): Pairs {
  const mapped = selectorsToUpstream(
    { label: call.info.query.get('labelSelector') ?? '', field: call.info.query.get('fieldSelector') ?? '' },
    call.at,
    call.scope,
    route.labels,
  );
  if (mapped.nothing) return NOTHING;
  const pairs: Array<readonly [string, string]> = [];
  if (mapped.label !== '') pairs.push(['labelSelector', mapped.label]);
  if (mapped.field !== '') pairs.push(['fieldSelector', mapped.field]);
  return pairs;
}
