/**
 * Watches that many clients share. What the view of a collection (`kept.ts`) can tell by itself is told from there:
 *
 *   resourceVersion unset   from a view that was read for this very request, or (a large one) that is known to have
 *                           been told everything up to it
 *   resourceVersion 0       from whatever the view holds
 *   resourceVersion N       when the view holds all that happened since N, or (with initial events) is at least as new
 *
 * What it cannot tell goes upstream as a watch of its own, and comes over to the view at the first bookmark from which
 * the view can go on: upstream then no longer pays for it.
 *
 * @see k8s.io/apiserver pkg/storage/cacher/cacher.go at v0.36, getWatchCacheResourceVersion
 */
import type { CursorOptions } from '../cache/cursor.ts';
import type { View } from '../cache/view.ts';
import type { SharedEvent } from '../exchange.ts';
import { compareVersions, versionOf } from '../k8s/meta.ts';
import type { WatchEvent } from '../k8s/types.ts';
import type { Call, VerbDeps } from './call.ts';
import { type Kept, keptView } from './kept.ts';
import { ready, selectionOf } from './kept-selection.ts';
import { isOn } from './query.ts';
import type { Route } from './route.ts';
import { showEvent } from './watch-event.ts';

export type Events = AsyncIterable<WatchEvent | SharedEvent>;

/** A watch that may be shared. */
export interface SharedWatch {
  /** The events from the view alone; undefined when upstream has to be asked. */
  begin(): Promise<Events | undefined>;
  /** What follows a revision; undefined when the view does not hold it all. */
  since(version: string): Events | undefined;
}

/** Undefined when this request cannot be served from a view. */
export function sharedWatch(call: Call, deps: VerbDeps): SharedWatch | undefined {
  const common = optionsOf(call);
  const kept = common === undefined ? undefined : keptView(call, deps);
  if (common === undefined || kept === undefined) return undefined;
  return {
    begin: () => begin(call, kept, common),
    since: (from) => kept.view.watch({ ...common, from }),
  };
}

/** Events of an upstream watch in tenant terms, until the view takes over. */
export async function* showUntilShared(
  call: Call,
  deps: VerbDeps,
  route: Route,
  events: AsyncIterable<WatchEvent>,
  shared: SharedWatch | undefined,
): AsyncGenerator<WatchEvent | SharedEvent> {
  const wantsBookmarks = isOn(call.info.query, 'allowWatchBookmarks');
  let following: Events | undefined;
  for await (const event of events) {
    const isBookmark = event.type === 'BOOKMARK';
    if (isBookmark) following = shared?.since(versionOf(event.object));
    const shown = isBookmark && !wantsBookmarks ? undefined : showEvent(call, deps, route, event);
    if (shown !== undefined) yield shown;
    if (following !== undefined) break;
  }
  if (following !== undefined) yield* following;
}

type Common = Omit<CursorOptions, 'from' | 'initial' | 'endsInitial'>;

const SWITCHES = ['sendInitialEvents', 'allowWatchBookmarks'] as const;
const LARGE_BYTES = 1024 * 1024;
/** As kube-apiserver with its default `--min-request-timeout`: this long, and up to twice as long. */
const DEFAULT_SECONDS = 1_800;

/** Undefined for what upstream may refuse, or answers in another shape. */
function optionsOf(call: Call): Common | undefined {
  const { query } = call.info;
  if (call.accept.as !== undefined) return undefined;
  if (!/^\d{0,19}$/.test(query.get('resourceVersion') ?? '')) return undefined;
  if (!/^\d{0,9}$/.test(query.get('timeoutSeconds') ?? '')) return undefined;
  if (SWITCHES.some((name) => !['true', 'false', '1', '0'].includes(query.get(name) ?? 'false'))) return undefined;
  const match = query.get('resourceVersionMatch');
  if (query.has('sendInitialEvents') !== (match !== undefined)) return undefined;
  if (match !== undefined && match !== 'NotOlderThan') return undefined;
  // One namespace is confined by the host, and small: it stays a watch of its own.
  if (call.at.kind.namespaced && call.info.namespace !== '') return undefined;
  const selection = selectionOf(call);
  if (selection === undefined) return undefined;
  const seconds = Number(query.get('timeoutSeconds') ?? '0') || DEFAULT_SECONDS * (1 + Math.random());
  return {
    selection,
    bookmarks: isOn(query, 'allowWatchBookmarks'),
    untilMs: Date.now() + seconds * 1_000,
    signal: call.head.signal,
  };
}

async function begin(call: Call, { view, isNew }: Kept, common: Common): Promise<Events | undefined> {
  const { query } = call.info;
  const version = query.get('resourceVersion') ?? '';
  const asked = query.get('sendInitialEvents');
  const isAny = version === '' || version === '0';
  const initial = asked === undefined ? isAny : isOn(query, 'sendInitialEvents');
  if (!initial) {
    if (!isAny) return view.watch({ ...common, from: version });
    return version === '0' ? fromNow(view, common) : undefined;
  }
  if (isNew) await ready(() => view.whenReady(), call.head.signal);
  else if (version === '') {
    // A small state is read again for less than it costs to know that it is the newest.
    const isNewest = view.bytes >= LARGE_BYTES && (await ready(() => view.fresh(), call.head.signal));
    if (!isNewest) return undefined;
  }
  const state = view.snapshot();
  if (state === undefined || (!isAny && compareVersions(state.version, version) < 0)) return undefined;
  return view.watch({ ...common, from: state.version, initial: state.chunks, endsInitial: common.bookmarks });
}

function fromNow(view: View, common: Common): Events | undefined {
  const state = view.snapshot();
  return state && view.watch({ ...common, from: state.version });
}
