/**
 * Watches that many clients share. What the view of a collection (`kept.ts`) can tell by itself is told from there, from
 * where `../cache/begin-watch.ts` says.
 *
 * What it cannot tell goes upstream as a watch of its own, and comes over to the view at the first bookmark from which
 * the view can go on: upstream then no longer pays for it.
 */
import { type WatchOptions, watchOptions } from '../cache/asked.ts';
import { beginWatch } from '../cache/begin-watch.ts';
import type { SharedEvent } from '../exchange.ts';
import { versionOf } from '../k8s/meta.ts';
import { isOn } from '../k8s/query.ts';
import type { WatchEvent } from '../k8s/types.ts';
import type { Call, VerbDeps } from './call.ts';
import { keptView } from './kept.ts';
import { keptSelection, keptShape } from './kept-selection.ts';
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
    begin: () => beginWatch(kept, call.info.query, common, SMALL),
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

const SMALL = { bytes: 1024 * 1024, how: 'upstream' } as const;

/** Undefined for what upstream may refuse, or answers in another shape. */
function optionsOf(call: Call): WatchOptions | undefined {
  const shape = keptShape(call);
  if (shape === undefined) return undefined;
  // One namespace is confined by the host, and small: it stays a watch of its own.
  if (call.at.kind.namespaced && call.info.namespace !== '') return undefined;
  const selection = keptSelection(call);
  const options = selection && watchOptions(call.info.query, selection, call.head.signal);
  return options && { ...options, ...shape };
}
