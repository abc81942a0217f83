/**
 * What is kept of the host's collections: for each that somebody watches one upstream watch, and of it a view for each
 * tenant who does. Both are made when they are first asked for and end some time after nobody uses them any more. What
 * they hold together is bounded: over it, nothing new is kept, and requests go upstream as they would without a cache.
 *
 * A view that could not be made is not tried again at once. One that ended because upstream went back to a backup is: all
 * its clients come back at once.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { HostHistory } from '../k8s/host-history.ts';
import type { Probe } from '../k8s/revision-probe.ts';
import { every as everyPeriod } from '../lib/every.ts';
import type { Upstream } from '../ports.ts';
import type { Collection } from './collection.ts';
import { Source } from './source.ts';
import { type Reader, View } from './view.ts';

export interface CacheOptions {
  readonly upstream: Upstream;
  readonly probe?: Probe | undefined;
  /** Shared by all that follow this host. */
  readonly history: HostHistory;
  /** Whether upstream is there. `ask` lets one of the sources find out, which it does when this is left out. */
  readonly pulse?: ((withinMs: number, ask: () => Promise<boolean>) => Promise<boolean>) | undefined;
  readonly onError: (error: unknown) => void;
  /** Told when a view was read again, and what happened in between is not known. */
  readonly onGap?: (what: { readonly path: string; readonly from: string; readonly to: string }) => void;
  readonly nowMs?: () => number;
  /** Calls again and again until the function that is returned is called. */
  readonly every?: (periodMs: number, call: () => void) => () => void;
  /** What all views may hold. */
  readonly bytes?: number;
  /** What is kept of the past, for each view. */
  readonly pastBytes?: number;
  readonly pastMs?: number;
  /** How long a view is kept that nobody uses. */
  readonly idleMs?: number;
  /** How long upstream may take to answer a small question before it counts as silent. */
  readonly silenceMs?: number;
}

export interface Wanted {
  readonly collection: Collection;
  /** Tells the collection from others: whoever may read it with the same identity shares it. */
  readonly collectionKey: string;
  /** Tells the view: of one tenant, by its uid, and of how it sees the collection. */
  readonly viewKey: string;
  /** Called when the view has to be made. */
  makeReader(): Reader;
}

export interface Cache {
  /**
   * The view, perhaps a new one that is not ready yet; undefined when it cannot be kept, or is not there and is not to
   * be made. `isNew`: everything in it was read after this call.
   */
  view(wanted: Wanted, make?: 'make' | 'only if there'): { view: View; isNew: boolean } | undefined;
  /**
   * Upstream is not there, or not what it was, whatever its watches say: each begins again where it was, and finds out.
   * Until then what is kept is told as of a host that does not answer.
   */
  doubt(): void;
  /** For metrics and tests. */
  readonly counts: { readonly sources: number; readonly views: number; readonly bytes: number };
  /** Ends every watch in good order, and then everything. Resolves when what was to be sent last is on its way. */
  close(): Promise<void>;
}

export const TICK_MS = 1_000;
const BYTES = 512 * 1024 * 1024;
const PAST_BYTES = 16 * 1024 * 1024;
const PAST_MS = 5 * 60_000;
const IDLE_MS = 60_000;
/**
 * How often upstream is asked whether it is there: a watch that is silent looks the same whether nothing happens or nobody
 * is there, for bookmarks come once a minute.
 */
export const PULSE_MS = 10_000;
const SILENCE_MS = 10_000;
/** How long nothing is tried again after a failure. */
const PAUSE_MS = 10_000;

interface Kept {
  readonly view: View;
  readonly source: Source;
  usedMs: number;
}

export function createCache(options: CacheOptions): Cache {
  const { upstream, probe, history, onError, onGap, nowMs = Date.now, every = everyPeriod } = options;
  const { pulse = (_withinMs, ask) => ask() } = options;
  const {
    bytes: limit = BYTES,
    pastBytes = PAST_BYTES,
    pastMs = PAST_MS,
    idleMs = IDLE_MS,
    silenceMs = SILENCE_MS,
  } = options;
  const sources = new Map<string, Source>();
  const views = new Map<string, Kept>();
  const failedMs = new Map<string, number>();
  let bytes = 0;
  let closed = false;
  let pulsedMs = nowMs();

  function doubt(): void {
    for (const source of sources.values()) source.interrupt();
  }

  /** One source at a time, in turn; all of them are begun again when it is not answered, or upstream has gone back. */
  async function feelPulse(): Promise<void> {
    const [first] = sources;
    if (first === undefined) return;
    const [key, source] = first;
    sources.delete(key);
    sources.set(key, source);
    if (!source.connected || (await pulse(silenceMs, () => source.answers(silenceMs)))) return;
    doubt();
  }

  function sourceOf({ collection, collectionKey }: Wanted): Source {
    let source = sources.get(collectionKey);
    if (source === undefined || source.ended) {
      source = new Source(collection, { upstream, probe, history, onError });
      sources.set(collectionKey, source);
    }
    return source;
  }

  function begin(wanted: Wanted): Kept {
    const source = sourceOf(wanted);
    const view = new View(wanted.makeReader(), source, {
      nowMs,
      limits: { bytes: pastBytes, ageMs: pastMs },
      onBytes: (more) => {
        bytes += more;
      },
      onError,
      onGap: onGap && ((gap) => onGap({ path: wanted.collection.path, from: gap.from, to: gap.to })),
    });
    const kept = { view, source, usedMs: nowMs() };
    views.set(wanted.viewKey, kept);
    return kept;
  }

  /** Ends what nobody uses, the longest unused first. */
  function makeRoom(): boolean {
    for (const [key, { view }] of views) {
      if (bytes <= limit) return true;
      if (!view.isWatched) end(key);
    }
    return bytes <= limit;
  }

  /** What is watched has grown over the limit: the largest goes, and its clients watch upstream for a while. */
  function shed(): void {
    while (!makeRoom()) {
      const [largest] = [...views].sort(([, a], [, b]) => b.view.bytes - a.view.bytes);
      if (largest === undefined) return;
      end(largest[0]);
      failedMs.set(largest[0], nowMs());
    }
  }

  function end(key: string): void {
    const kept = views.get(key);
    if (kept === undefined) return;
    views.delete(key);
    kept.view.stop();
    if (!kept.source.isUsed) stopSource(kept.source);
  }

  function stopSource(source: Source): void {
    source.stop();
    for (const [key, one] of sources) if (one === source) sources.delete(key);
  }

  function tick(): void {
    const now = nowMs();
    for (const [key, kept] of views) {
      const { view } = kept;
      if (view.ended) {
        end(key);
        if (!view.isOutdated) failedMs.set(key, now);
      } else {
        view.tick(now);
        if (view.isWatched) kept.usedMs = now;
        else if (now - kept.usedMs > idleMs) end(key);
      }
    }
    if (now - pulsedMs >= PULSE_MS) {
      pulsedMs = now;
      void feelPulse();
    }
    for (const [key, atMs] of failedMs) if (now - atMs > PAUSE_MS) failedMs.delete(key);
    shed();
  }

  const stopTicking = every(TICK_MS, tick);
  return {
    view(wanted, make = 'make') {
      const { viewKey } = wanted;
      if (closed || failedMs.has(viewKey)) return undefined;
      const kept = views.get(viewKey);
      if (kept !== undefined && !kept.view.ended) {
        kept.usedMs = nowMs();
        // Behind those that were used before it.
        views.delete(viewKey);
        views.set(viewKey, kept);
        return { view: kept.view, isNew: false };
      }
      if (kept !== undefined) {
        end(viewKey);
        if (!kept.view.isOutdated) {
          failedMs.set(viewKey, nowMs());
          return undefined;
        }
      }
      if (make !== 'make' || !makeRoom()) return undefined;
      return { view: begin(wanted).view, isNew: true };
    },
    doubt,
    get counts() {
      return { sources: sources.size, views: views.size, bytes };
    },
    async close() {
      closed = true;
      stopTicking();
      for (const key of [...views.keys()]) end(key);
      for (const source of sources.values()) source.stop();
      // Last bookmarks are taken and written in turns of the event loop.
      for (let turns = 0; turns < LAST_TURNS; turns += 1) await turn();
    },
  };
}

const LAST_TURNS = 4;
