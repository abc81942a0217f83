/**
 * A watch of a view: a place in its ring of changes. It takes the next change when its client has taken the one before,
 * so it holds nothing itself; where the ring has passed its place, it ends, and its client watches again from the last
 * revision that it saw.
 *
 * Bookmarks: every minute, two seconds before the time is up, and when the view ends in good order. Their revision is
 * one up to which every event was sent.
 *
 * @see k8s.io/apiserver pkg/storage/cacher/cacher.go at v0.36, watcherBookmarkTimeBuckets
 */
import type { SharedEvent } from '../exchange.ts';
import { compareVersions } from '../k8s/meta.ts';
import { PARTIAL } from '../k8s/shapes.ts';
import type { JsonObject, WatchEvent } from '../k8s/types.ts';
import { type Change, ItemEvent, type Selection, selects } from './changes.ts';
import type { Chunk } from './chunk.ts';
import type { Item } from './item.ts';
import type { PartialApiVersion } from './partial.ts';
import type { Ring } from './ring.ts';

export interface CursorOptions {
  readonly selection: Selection;
  /** The client has seen everything up to here. */
  readonly from: string;
  /** What is there to begin with, all of it no newer than `from`. */
  readonly initial?: readonly Chunk[];
  /** Ends the initial events with the bookmark that says so. */
  readonly endsInitial?: boolean;
  readonly bookmarks: boolean;
  /** Set for metadata alone. */
  readonly partial?: PartialApiVersion | undefined;
  /** Epoch milliseconds at which the watch ends. */
  readonly untilMs: number;
  /** Fires when the client is gone. */
  readonly signal: AbortSignal;
}

/** What a cursor sees of its view. */
export interface Readable {
  readonly ring: Ring<Change>;
  /** Every change up to this revision is in the ring, or was. */
  readonly progress: string;
  /** An object of the kind that has nothing but a revision. */
  bookmark(version: string, annotations?: JsonObject): WatchEvent;
  leave(cursor: Cursor): void;
}

type Next = IteratorResult<WatchEvent | SharedEvent, undefined>;

const BOOKMARK_MS = 60_000;
const BEFORE_END_MS = 2_000;
const DONE: Next = { done: true, value: undefined };

export class Cursor implements AsyncIterableIterator<WatchEvent | SharedEvent, undefined> {
  readonly #view: Readable;
  readonly #selection: Selection;
  /** The client has seen everything up to here. */
  readonly from: string;
  readonly #bookmarks: boolean;
  readonly #partial: PartialApiVersion | undefined;
  readonly #untilMs: number;
  readonly #signal: AbortSignal;
  readonly #nowMs: () => number;
  readonly #leave: () => void;
  #place: number;
  /** Newest revision that was sent, or that the client came with. */
  #sent: string;
  #initial: readonly Chunk[];
  #chunkAt = 0;
  #itemAt = 0;
  #endsInitial: boolean;
  #bookmarkMs: number;
  #wake: (() => void) | undefined;
  #ending: 'no' | 'soon' | 'now' = 'no';
  #last: WatchEvent | undefined;

  constructor(view: Readable, options: CursorOptions, nowMs: () => number) {
    this.#view = view;
    this.#selection = options.selection;
    this.from = options.from;
    this.#bookmarks = options.bookmarks;
    this.#partial = options.partial;
    this.#untilMs = options.untilMs;
    this.#signal = options.signal;
    this.#nowMs = nowMs;
    this.#place = view.ring.after(options.from, compareVersions);
    this.#sent = options.from;
    this.#initial = options.initial ?? [];
    this.#endsInitial = options.endsInitial === true;
    this.#bookmarkMs = this.#nextBookmark();
    this.#leave = () => void this.return();
    options.signal.addEventListener('abort', this.#leave);
    if (options.signal.aborted) this.#leave();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Next> {
    for (;;) {
      if (this.#ending === 'now') return DONE;
      const event = this.#take();
      if (event !== undefined) return { done: false, value: event };
      if (this.#ending !== 'no' || this.#isPassed() || this.#nowMs() >= this.#untilMs) return this.#end();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  async return(): Promise<Next> {
    return this.#end();
  }

  /** There may be something new, or time has passed. */
  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Ends it after what is there to send, and `last`. */
  finish(last?: WatchEvent): void {
    if (this.#ending !== 'no') return;
    this.#ending = 'soon';
    this.#last = last;
    this.wake();
  }

  /** True when waking it would be for nothing. */
  isQuiet(nowMs: number): boolean {
    return nowMs < this.#bookmarkMs && nowMs < this.#untilMs && !this.#isPassed();
  }

  #isPassed(): boolean {
    return this.#place < this.#view.ring.first;
  }

  #take(): WatchEvent | SharedEvent | undefined {
    const initial = this.#takeInitial();
    if (initial !== undefined) return initial;
    const { ring } = this.#view;
    while (!this.#isPassed() && this.#place < ring.end) {
      const change = ring.get(this.#place) as Change;
      this.#place += 1;
      // A client may be ahead: what it was told by another way than the view.
      const ahead = compareVersions(this.from, change.version);
      if (change.isFound ? ahead > 0 : ahead >= 0) continue;
      const event = change.for(this.#selection);
      if (event === undefined) continue;
      this.#sent = change.version;
      return this.#shaped(event);
    }
    if (this.#isPassed()) return undefined;
    const last = this.#last;
    this.#last = undefined;
    return last ?? this.#takeBookmark();
  }

  #takeInitial(): WatchEvent | SharedEvent | undefined {
    for (; this.#chunkAt < this.#initial.length; this.#chunkAt += 1) {
      const { items } = this.#initial[this.#chunkAt] as Chunk;
      while (this.#itemAt < items.length) {
        const item = items[this.#itemAt] as Item;
        this.#itemAt += 1;
        if (selects(this.#selection, item)) return this.#shaped(new ItemEvent('ADDED', item));
      }
      this.#itemAt = 0;
    }
    this.#initial = NONE;
    if (!this.#endsInitial) return undefined;
    this.#endsInitial = false;
    return this.#mark(this.from, { 'k8s.io/initial-events-end': 'true' });
  }

  /** Everything up to the view's progress has been sent when this is asked. */
  #takeBookmark(): WatchEvent | undefined {
    const isDue = this.#nowMs() >= this.#bookmarkMs || this.#ending === 'soon';
    if (!isDue) return undefined;
    this.#bookmarkMs = this.#nextBookmark();
    const { progress } = this.#view;
    if (!this.#bookmarks || compareVersions(progress, this.#sent) <= 0) return undefined;
    this.#sent = progress;
    return this.#mark(progress);
  }

  #shaped(event: ItemEvent): SharedEvent {
    return this.#partial === undefined ? event : event.partial(this.#partial);
  }

  /** A bookmark is of the kind of what is told. */
  #mark(version: string, annotations?: JsonObject): WatchEvent {
    const bookmark = this.#view.bookmark(version, annotations);
    if (this.#partial === undefined) return bookmark;
    return { ...bookmark, object: { ...bookmark.object, kind: PARTIAL, apiVersion: this.#partial } };
  }

  #nextBookmark(): number {
    const nowMs = this.#nowMs();
    const beforeEndMs = this.#untilMs - BEFORE_END_MS;
    const nextMs = Math.min(nowMs + BOOKMARK_MS, beforeEndMs);
    return nextMs <= nowMs ? Number.POSITIVE_INFINITY : nextMs;
  }

  #end(): Next {
    this.#ending = 'now';
    this.#initial = NONE;
    this.#signal.removeEventListener('abort', this.#leave);
    this.#view.leave(this);
    this.wake();
    return DONE;
  }
}

const NONE: readonly Chunk[] = [];
