/**
 * Which query parameters go upstream, by verb: an allow-list. Selectors are taken apart, mapped and put together anew;
 * nothing of the client's text is appended to ours.
 */
import type { Query } from '../exchange.ts';
import { selectorsToUpstream } from '../translate/selectors.ts';
import type { Call } from './call.ts';
import type { Place } from './place.ts';

export type Pairs = Array<readonly [string, string]>;

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
  ],
} as const satisfies Record<string, readonly string[]>;

/** The parameters of this verb that the client gave, without selectors and continue. */
export function plainParameters(query: Query, verb: keyof typeof BY_VERB): Pairs {
  const pairs: Pairs = [];
  for (const name of BY_VERB[verb]) {
    const value = query.get(name);
    if (value !== undefined) pairs.push([name, value]);
  }
  return pairs;
}

/** Both selectors in upstream terms; `nothing` when the client's can match no object of the tenant's. */
export function selectorParameters(call: Call, place: Place): { pairs: Pairs; nothing: boolean } {
  const mapped = selectorsToUpstream(
    { label: call.info.query.get('labelSelector') ?? '', field: call.info.query.get('fieldSelector') ?? '' },
    call.at,
    call.scope,
    place.labels,
  );
  const pairs: Pairs = [];
  if (mapped.label !== '') pairs.push(['labelSelector', mapped.label]);
  if (mapped.field !== '') pairs.push(['fieldSelector', mapped.field]);
  return { pairs, nothing: mapped.nothing };
}

/** A Table is asked for with metadata at least: without it no row could be told apart. */
export function tableParameters(call: Call): Pairs {
  if (call.accept.as?.kind !== 'Table') return [];
  // Whose a volume is stands in its spec, and a virtual kind is printed here; the answer is cut to what the client asked
  // for afterwards.
  const { at, info } = call;
  const whole = info.query.get('includeObject') === 'Object' || at.kind.owned !== undefined || at.class === 'virtual';
  return [['includeObject', whole ? 'Object' : 'Metadata']];
}
