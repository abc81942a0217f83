/**
 * One tenant's view of one collection: its objects as the tenant sees them, in the order of the API server's keys, and
 * their last changes. It is read once, at a revision, and follows the shared upstream watch from there; events that come
 * while it is read wait, so none is lost between the two.
 *
 * Where upstream lost events, everything is read again and the difference told as changes: watches of the view go on.
 *
 * @invariant the objects are those of upstream at revision `progress`
 */
import { compareVersions, versionOf } from '../k8s/meta.ts';
import type { JsonObject, WatchEvent } from '../k8s/types.ts';
import { backoffMs, pause } from '../lib/backoff.ts';
import { coalesce } from '../lib/coalesce.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Change } from './changes.ts';
import type { Chunk } from './chunk.ts';
import { Cursor, type CursorOptions } from './cursor.ts';
import type { Item, ItemType } from './item.ts';
import { Objects } from './objects.ts';
import { Ring, type RingLimits } from './ring.ts';
import type { Source, Subscriber } from './source.ts';

/** Everything that is there at a revision, in tenant terms. */
export interface Reading {
  readonly version: string;
  /** Items where the reader made them, part by part: of what is large, that takes long. */
  readonly objects: ReadonlyArray<JsonObject | Item>;
  /** What a list of them says it is. */
  readonly list: { readonly apiVersion: string; readonly kind: string };
}

/** How a view comes by its objects; whose they are and how a tenant sees them is decided there. */
export interface Reader {
  readonly tenant: TenantId;
  readonly type: ItemType;
  /** A consistent read. @throws when upstream refuses */
  read(signal: AbortSignal): Promise<Reading>;
  /** The event in tenant terms; undefined when it is not the tenant's, or cannot be shown. */
  show(event: WatchEvent): WatchEvent | undefined;
  /** False when an object was left out that a list upstream might show: what is there is then asked of upstream. */
  readonly whole: boolean;
}

export interface ViewOptions {
  readonly nowMs: () => number;
  readonly limits: RingLimits;
  /** Told how much memory is taken, or given back when negative. */
  readonly onBytes: (bytes: number) => void;
  readonly onError: (error: unknown) => void;
  /** Told when what happened in between is not known, and only what came of it was told. */
  readonly onGap?: ((gap: { readonly from: string; readonly to: string }) => void) | undefined;
}

export interface Snapshot {
  readonly version: string;
  /** In the order of keys. */
  readonly chunks: readonly Chunk[];
  /** False while upstream does not answer: there may be more that is not known. */
  readonly isLive: boolean;
  get(key: string): Item | undefined;
}

export class View implements Subscriber {
  readonly tenant: TenantId;
  readonly #reader: Reader;
  readonly #source: Source;
  readonly #options: ViewOptions;
  readonly #objects: Objects;
  readonly #cursors = new Set<Cursor>();
  readonly #ending = new AbortController();
  readonly #ready: Promise<void>;
  readonly #unsubscribe: () => void;
  readonly #reread = coalesce(() => this.#readAgain());
  #ring: Ring<Change> | undefined;
  /** Events that came while everything is read; undefined when nothing is. */
  #held: WatchEvent[] | undefined;
  /** Counts how often everything had to be read: what was read for an earlier count is worth nothing. */
  #reading = 0;
  #version = '';
  #bytes = 0;
  /** That were read over, and that the ring still holds. */
  #gaps: Gap[] = [];
  #isOutdated = false;
  #list: Reading['list'] = { apiVersion: '', kind: '' };

  constructor(reader: Reader, source: Source, options: ViewOptions) {
    this.tenant = reader.tenant;
    this.#reader = reader;
    this.#source = source;
    this.#options = options;
    this.#objects = new Objects(reader.type);
    // Before anything is read, so that nothing is missed in between.
    this.#held = [];
    this.#unsubscribe = source.subscribe(this);
    this.#ready = source.whenStarted().then(() => this.#read(1));
    this.#ready.catch((error) => this.#endBy(error));
  }

  /** Resolves when it can be read, with a state that is as new as the moment it was made. */
  whenReady(): Promise<void> {
    return this.#ready;
  }

  get ended(): boolean {
    return this.#ending.signal.aborted;
  }

  /** True when it has ended because upstream went back to a backup, which keeps nobody from beginning anew. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  get isWatched(): boolean {
    return this.#cursors.size > 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get type(): ItemType {
    return this.#reader.type;
  }

  /** What a list of its objects says it is. */
  get list(): Reading['list'] {
    return this.#list;
  }

  /** Every event up to this revision has been told. */
  get progress(): string {
    const { progress } = this.#source;
    return this.#held === undefined && compareVersions(progress, this.#version) > 0 ? progress : this.#version;
  }

  get ring(): Ring<Change> {
    if (this.#ring === undefined) throw new Error('the view is not ready');
    return this.#ring;
  }

  /**
   * Resolves when the state is as new as the call.
   * @param rereadBelowBytes a view that is smaller is read again: upstream pays less for that than for the proof
   * @throws when that cannot be known within seconds
   */
  async fresh(rereadBelowBytes = 0): Promise<void> {
    await this.#ready;
    await (this.bytes < rereadBelowBytes ? this.#reread() : this.#source.fresh());
  }

  /** The whole state; undefined while it is not known. */
  snapshot(): Snapshot | undefined {
    if (this.#held !== undefined || this.ended || !this.#reader.whole) return undefined;
    const { chunks } = this.#objects;
    const isLive = this.#source.connected;
    return { version: this.progress, chunks, isLive, get: (key) => this.#objects.get(key) };
  }

  /** Undefined when the changes since then are not all here. */
  watch(options: CursorOptions): Cursor | undefined {
    if (this.#ring === undefined || this.ended || compareVersions(options.from, this.#ring.floor) < 0) return undefined;
    if (this.#gaps.some((gap) => isWithin(options.from, gap))) return undefined;
    const cursor = new Cursor(this, options, this.#options.nowMs);
    this.#cursors.add(cursor);
    return cursor;
  }

  leave(cursor: Cursor): void {
    this.#cursors.delete(cursor);
  }

  bookmark(version: string, annotations?: JsonObject): WatchEvent {
    const { kind, apiVersion } = this.#reader.type;
    const metadata = { resourceVersion: version, ...(annotations === undefined ? {} : { annotations }) };
    return { type: 'BOOKMARK', object: { kind, apiVersion, metadata } };
  }

  /** Called about every second. */
  tick(nowMs: number): void {
    const { floor = '' } = this.#ring ?? {};
    this.#ring?.trim();
    this.#gaps = this.#gaps.filter(({ to }) => compareVersions(to, floor) > 0);
    this.#count();
    for (const cursor of this.#cursors) if (!cursor.isQuiet(nowMs)) cursor.wake();
  }

  event(event: WatchEvent): void {
    const shown = this.#reader.show(event);
    if (shown === undefined) return;
    if (this.#held !== undefined) this.#held.push(shown);
    else this.#apply(shown);
  }

  gap(): void {
    this.#version = this.progress;
    this.#reading += 1;
    const isReading = this.#held !== undefined;
    this.#held = [];
    // One that is under way sees that it was overtaken, and begins anew.
    if (!isReading) void this.#read(ATTEMPTS).catch((error) => this.#endBy(error));
  }

  failed(why: 'restored' | 'refused'): void {
    this.#isOutdated = why === 'restored';
    this.#end(this.#isOutdated ? EXPIRED : undefined);
  }

  /** Ends every watch of it, each with a last bookmark. */
  stop(): void {
    this.#end(undefined);
  }

  #endBy(error: unknown): void {
    if (this.ended) return;
    this.#options.onError(error);
    this.#end(undefined);
  }

  #end(last: WatchEvent | undefined): void {
    if (this.ended) return;
    this.#ending.abort();
    this.#unsubscribe();
    for (const cursor of [...this.#cursors]) cursor.finish(last);
    this.#options.onBytes(-this.#bytes);
    this.#bytes = 0;
  }

  /** What was told by the watch meanwhile is newer or the same; what it has not told yet is told as changes. */
  async #readAgain(): Promise<void> {
    const reading = this.#reading;
    const read = await this.#reader.read(this.#ending.signal);
    if (this.ended || reading !== this.#reading || this.#held !== undefined)
      throw new Error('events were lost meanwhile');
    if (compareVersions(read.version, this.progress) > 0) this.#take(read);
  }

  /** Reads everything, and again where events were lost meanwhile. */
  async #read(attempts: number): Promise<void> {
    const { signal } = this.#ending;
    for (let failures = 0; ; ) {
      const reading = this.#reading;
      const begunAt = this.#source.progress;
      try {
        const read = await this.#reader.read(signal);
        signal.throwIfAborted();
        if (compareVersions(read.version, begunAt) < 0)
          throw new Error(`a consistent read went back from ${begunAt} to ${read.version}`);
        if (reading !== this.#reading) continue;
        this.#take(read);
        return;
      } catch (error) {
        failures += 1;
        if (signal.aborted || failures >= attempts) throw error;
        this.#options.onError(error);
        await pause(backoffMs(failures, BACKOFF), signal);
      }
    }
  }

  #take({ version, objects, list }: Reading): void {
    this.#list = list;
    const known = this.progress;
    const changes = this.#objects.replace(objects, known);
    if (this.#ring === undefined) this.#ring = new Ring(version, this.#options.limits, this.#options.nowMs);
    else {
      const hasFound = changes.some(({ isFound }) => isFound);
      if (changes.length > 0) this.#passOver({ from: known, to: version, hasFound });
      for (const change of changes) this.#ring.append(change, change.version, change.bytes);
    }
    this.#version = version;
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of held) this.#apply(event);
    this.#count();
    this.#wakeAll();
  }

  /**
   * What was in between is not known: an object may have come to look as selected and not any more. So who has been told a part
   * of it by others has to ask upstream.
   */
  #passOver(gap: Gap): void {
    this.#gaps.push(gap);
    this.#options.onGap?.(gap);
    for (const cursor of [...this.#cursors]) {
      if (cursor.from !== gap.from && isWithin(cursor.from, gap)) void cursor.return();
    }
  }

  #apply({ type, object }: WatchEvent): void {
    const version = versionOf(object);
    // What was read is newer; or the event came twice, for a watch that was begun again.
    if (compareVersions(version, this.#version) <= 0) return;
    this.#version = version;
    const change = this.#objects.put(object, type === 'DELETED');
    this.ring.append(change, version, change.bytes);
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const cursor of this.#cursors) cursor.wake();
  }

  #count(): void {
    if (this.ended) return;
    const bytes = this.#objects.bytes + (this.#ring?.bytes ?? 0);
    this.#options.onBytes(bytes - this.#bytes);
    this.#bytes = bytes;
  }
}

interface Gap {
  readonly from: string;
  readonly to: string;
  /** Deletions were found, which are told as of `from`: who comes with that has perhaps not been told of them. */
  readonly hasFound: boolean;
}

function isWithin(version: string, { from, to, hasFound }: Gap): boolean {
  const begins = compareVersions(version, from);
  return (hasFound ? begins >= 0 : begins > 0) && compareVersions(version, to) < 0;
}

const BACKOFF = { firstMs: 800, capMs: 30_000 };
/** How often a view that is watched is read again before its watches are ended. */
const ATTEMPTS = 10;

const EXPIRED: WatchEvent = {
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version',
    reason: 'Expired',
    code: 410,
  },
};
