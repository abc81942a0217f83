/**
 * Where a watch of a view begins:
 *
 *   resourceVersion unset   from a view that was read for this very request, or that is known to have been told
 *                           everything up to it
 *   resourceVersion 0       from whatever the view holds
 *   resourceVersion N       when the view holds all that happened since N, or (with initial events) is at least as new
 *
 * @see k8s.io/apiserver pkg/storage/cacher/cacher.go at v0.36, getWatchCacheResourceVersion
 */
import type { Query } from '../exchange.ts';
import { compareVersions } from '../k8s/meta.ts';
import { isOn } from '../k8s/query.ts';
import type { WatchOptions } from './asked.ts';
import type { Cursor } from './cursor.ts';
import type { View } from './view.ts';

/** A view, and whether everything in it was read after it was asked for. */
export interface Kept {
  readonly view: View;
  readonly isNew: boolean;
}

export interface Small {
  readonly bytes: number;
  readonly how: 'upstream' | 'reread';
}

/**
 * Undefined when upstream has to be asked.
 * @param small what to do with a view that is small, and read again for less than it costs to know that it is the newest:
 *   upstream is asked with the client's own request, or the view is read again, for all who begin meanwhile
 */
export async function beginWatch(
  { view, isNew }: Kept,
  query: Query,
  options: WatchOptions,
  small: Small,
): Promise<Cursor | undefined> {
  const version = query.get('resourceVersion') ?? '';
  const asked = query.get('sendInitialEvents');
  const isAny = version === '' || version === '0';
  const initial = asked === undefined ? isAny : isOn(query, 'sendInitialEvents');
  if (!initial) {
    if (!isAny) return view.watch({ ...options, from: version });
    return version === '0' ? fromNow(view, options) : undefined;
  }
  if (isNew || version !== '') await ready(() => view.whenReady(), options.signal);
  else {
    if (small.how === 'upstream' && view.bytes < small.bytes) return undefined;
    if (!(await ready(() => view.fresh(small.how === 'reread' ? small.bytes : 0), options.signal))) return undefined;
  }
  const state = view.snapshot();
  if (state === undefined || (!isAny && compareVersions(state.version, version) < 0)) return undefined;
  return view.watch({ ...options, from: state.version, initial: state.chunks, endsInitial: options.bookmarks });
}

function fromNow(view: View, options: WatchOptions): Cursor | undefined {
  const state = view.snapshot();
  return state && view.watch({ ...options, from: state.version });
}

/**
 * Waits for a view, but not for a client that is gone. False where it cannot be had: what cannot be read is left to
 * upstream to answer or to refuse.
 */
export async function ready(wait: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = (): void => resolve(false);
  signal.addEventListener('abort', stop);
  wait().then(() => resolve(true), stop);
  const isReady = await promise;
  signal.removeEventListener('abort', stop);
  return isReady;
}
