/**
 * What a read asks of a view, by its parameters. What is undefined here is for upstream to answer, or to refuse.
 *
 * @see k8s.io/apiserver pkg/storage/cacher/delegator.go at v0.36, shouldDelegateList
 */
import type { Query } from '../exchange.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { isOn } from '../k8s/query.ts';
import { isSelectable } from '../k8s/selectable-fields.ts';
import { parseFieldSelector, SelectorSyntaxError } from '../k8s/selector.ts';
import type { Selection } from './changes.ts';
import type { CursorOptions } from './cursor.ts';

/** What decides which fields can be selected. */
export interface Selectable {
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

/** The client's selectors; undefined when only upstream can tell what they pick, or has to refuse them. */
export function selectionOf(query: Query, { group, resource, namespaced }: Selectable): Selection | undefined {
  try {
    const label = parseLabelSelector(query.get('labelSelector') ?? '');
    const field = parseFieldSelector(query.get('fieldSelector') ?? '');
    const isKnown = field.requirements.every((one) => isSelectable(one.field, group, resource, namespaced));
    return isKnown ? { label, field } : undefined;
  } catch (error) {
    if (error instanceof SelectorSyntaxError) return undefined;
    throw error;
  }
}

/** How new an object that is read has to be. */
export function versionOfGet(query: Query): string | undefined {
  const version = query.get('resourceVersion') ?? '';
  return /^\d{1,19}$/.test(version) ? version : undefined;
}

/** How new a list has to be: not of one revision, nor a page. */
export function versionOfList(query: Query): string | undefined {
  const version = versionOfGet(query);
  if (version === undefined || !isInOrder(query) || query.has('sendInitialEvents')) return undefined;
  // As for the API server, a limit then counts for nothing.
  return version === '0' || Number(query.get('limit') ?? '0') === 0 ? version : undefined;
}

/** True for a read that asks for the newest, of everything that is picked. */
export function asksForNewest(query: Query): boolean {
  return ['resourceVersion', 'resourceVersionMatch', 'continue', 'sendInitialEvents'].every(
    (name) => (query.get(name) ?? '') === '',
  );
}

/** True for a whole list that has to be the newest. */
export function isNewestList(query: Query): boolean {
  const isWhole = Number(query.get('limit') ?? '0') === 0 && !query.has('sendInitialEvents');
  return asksForNewest(query) && isWhole && !query.has('resourceVersionMatch') && isInOrder(query);
}

/** False for what the API server refuses, and for where a walk goes on: that is not the view's to tell. */
function isInOrder(query: Query): boolean {
  const match = query.get('resourceVersionMatch') ?? 'NotOlderThan';
  const areNumbers = ['limit', 'timeoutSeconds'].every((name) => /^\d{0,9}$/.test(query.get(name) ?? ''));
  return areNumbers && match === 'NotOlderThan' && (query.get('continue') ?? '') === '';
}

/** What of a watch does not depend on where it begins. */
export type WatchOptions = Omit<CursorOptions, 'from' | 'initial' | 'endsInitial'>;

const SWITCHES = ['sendInitialEvents', 'allowWatchBookmarks'] as const;
/** As kube-apiserver with its default `--min-request-timeout`: this long, and up to twice as long. */
const DEFAULT_SECONDS = 1_800;

export function watchOptions(query: Query, selection: Selection, signal: AbortSignal): WatchOptions | undefined {
  if (!/^\d{0,19}$/.test(query.get('resourceVersion') ?? '') || !isInOrder(query)) return undefined;
  if (SWITCHES.some((name) => !['true', 'false', '1', '0'].includes(query.get(name) ?? 'false'))) return undefined;
  if (query.has('sendInitialEvents') !== query.has('resourceVersionMatch')) return undefined;
  const seconds = Number(query.get('timeoutSeconds') ?? '0') || DEFAULT_SECONDS * (1 + Math.random());
  return { selection, bookmarks: isOn(query, 'allowWatchBookmarks'), untilMs: Date.now() + seconds * 1_000, signal };
}
