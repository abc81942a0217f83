/**
 * One upstream watch of one collection, shared by every tenant that has a view of it. It holds no objects: each event
 * goes to the views of the tenant whose object it is, and what it remembers is how far it has come.
 *
 * A watch that ends is begun again where it was. Where upstream no longer has the events since then (410), it begins at
 * "now" and says so: views then read everything again. A revision that goes back, here or anywhere else where the host is
 * followed, means that its store was restored from a backup, after which no revision that anybody holds means anything.
 *
 * @see k8s.io/client-go tools/cache/reflector.go at v0.36
 */
import { readObject } from '../codec/json.ts';
import { lines } from '../codec/lines.ts';
import { ApiError, isSilence } from '../errors.ts';
import type { HostHistory } from '../k8s/host-history.ts';
import { compareVersions, versionOf } from '../k8s/meta.ts';
import { ONE_ITEM, type Probe } from '../k8s/revision-probe.ts';
import { isObject, type WatchEvent } from '../k8s/types.ts';
import { backoffMs, pause } from '../lib/backoff.ts';
import { coalesce } from '../lib/coalesce.ts';
import type { Upstream, UpstreamStream } from '../ports.ts';
import type { TenantId } from '../tenancy/names.ts';
import { type Collection, selectors } from './collection.ts';
import { Progress } from './progress.ts';

export interface Subscriber {
  readonly tenant: TenantId;
  /** An event of an object. It is freshly parsed, and the subscriber's to change. */
  event(event: WatchEvent): void;
  /** Events were lost: everything has to be read again. */
  gap(): void;
  /** The end, for a reason that trying again does not mend: revisions that are known mean nothing any more, or do. */
  failed(why: 'restored' | 'refused'): void;
}

export interface SourceOptions {
  readonly upstream: Upstream;
  /** As the API server is asked, unless said otherwise. */
  readonly probe?: Probe | undefined;
  /** Shared by all that follow this host. */
  readonly history: HostHistory;
  /** Told of every fault; the source goes on by itself. */
  readonly onError: (error: unknown) => void;
}

const BACKOFF = { firstMs: 800, capMs: 30_000 };
/** As client-go; random so that streams do not end together. */
const WATCH_SECONDS_MIN = 300;
/** How long an API server that starts may refuse what it has not read the roles for. */
const REFUSED_MS = 60_000;
/** With less, kube-apiserver sends no bookmark; with more, it sends it later. */
const PROBE_SECONDS = 3;
/** A collection in which much happens gets there by itself. */
const BUSY_MS = 50;
const CATCH_UP_MS = 3_000;

/** Upstream refuses, and may go on refusing. */
class Refused extends Error {
  /** True when asking again is for nothing. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Upstream is back at an earlier revision. */
class Restored extends Error {}

export class Source {
  readonly #collection: Collection;
  readonly #options: SourceOptions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #ending = new AbortController();
  readonly #started = Promise.withResolvers<void>();
  readonly #fresh = coalesce(() => this.#catchUp());
  readonly #progress = new Progress();
  /** How many restores of the host there had been when it began; it ends by the next. */
  readonly #restores: number;
  /** Ends the watch that is open, which is then begun again where it was. */
  #watching = new AbortController();
  #connected = false;
  /** How often it has begun at "now". */
  #begun = 0;

  constructor(collection: Collection, options: SourceOptions) {
    this.#collection = collection;
    this.#options = options;
    this.#restores = options.history.restores;
    this.#started.promise.catch(() => {});
    const unsubscribe = options.history.subscribe(() => this.#beginAgain());
    this.#ending.signal.addEventListener('abort', unsubscribe, { once: true });
    void this.#run();
  }

  /** Every event up to this revision has been told; `''` before it has begun. */
  get progress(): string {
    return this.#progress.version;
  }

  /** False while upstream does not answer. */
  get connected(): boolean {
    return this.#connected;
  }

  get isUsed(): boolean {
    return this.#subscribers.size > 0;
  }

  get ended(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Resolves when `progress` is known. Rejects when the source ends before. */
  whenStarted(): Promise<void> {
    return this.#started.promise;
  }

  /**
   * Resolves when every event up to the moment of the call has been told, which costs upstream two small requests for all
   * who ask at once. @throws when that cannot be known within seconds
   */
  fresh(): Promise<void> {
    return this.#fresh();
  }

  /** @returns ends it */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** Whether upstream answers at all, whatever it says, and has not gone back. */
  async answers(withinMs: number): Promise<boolean> {
    const waiting = AbortSignal.timeout(withinMs);
    const late = new Promise<boolean>((resolve) => {
      waiting.addEventListener('abort', () => resolve(false), { once: true });
    });
    const asked = this.#probe(AbortSignal.any([this.#ending.signal, waiting])).then(
      () => true,
      // A refusal is an answer. That there was none, or no connection, is told by the way to it.
      (error) => !(error instanceof ApiError || error instanceof Restored) && !waiting.aborted,
    );
    return await Promise.race([asked, late]);
  }

  /** Upstream does not answer: what its watch says by its silence is not believed any more. */
  interrupt(): void {
    if (this.#connected) this.#beginAgain();
  }

  #beginAgain(): void {
    this.#connected = false;
    this.#watching.abort(new Error(`the watch of ${this.#collection.path} is begun again`));
  }

  stop(): void {
    this.#ending.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    let failures = 0;
    let beginNext = true;
    let why: 'restored' | 'refused' = 'refused';
    let refusedMs: number | undefined;
    while (!signal.aborted) {
      try {
        if (beginNext) await this.#begin();
        // Whether it went back: a watch from a revision that is still to come would be silent.
        else if (failures > 0) await this.#probe();
        if (this.#restores !== this.#options.history.restores) throw restored();
        beginNext = false;
        const events = await this.#watch();
        if (events === 'expired') beginNext = true;
        failures = 0;
        refusedMs = undefined;
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        if (!isSilence(error)) {
          this.#connected = false;
          this.#options.onError(error);
        }
        if (error instanceof Restored) {
          why = 'restored';
          this.#options.history.foundRestored(this.#restores);
        }
        // One that has not begun has nothing to keep; who asked for it is answered by upstream, or is refused.
        refusedMs = error instanceof Refused ? (refusedMs ?? Date.now()) : undefined;
        const isFinal = error instanceof Refused && (error.isFinal || Date.now() - (refusedMs ?? 0) > REFUSED_MS);
        if (isFinal || error instanceof Restored || this.progress === '') break;
        if (!(await pause(backoffMs(failures, BACKOFF), signal))) break;
      }
    }
    this.#connected = false;
    this.#ending.abort();
    this.#started.reject(new Error(`the watch of ${this.#collection.path} has ended`));
    for (const subscriber of [...this.#subscribers]) this.#tell(() => subscriber.failed(why));
  }

  /** Begins at "now". What was before is for the views to read, which they do after this. */
  async #begin(): Promise<void> {
    const again = this.progress !== '';
    const { from: known = '' } = this.#collection;
    const now = !again && typeof known === 'function' ? await known() : await this.#probe();
    const from = again ? this.progress : typeof known === 'string' ? known : now;
    if (compareVersions(now, from) < 0) throw restored();
    // Told before it is known how far upstream is: views stand where they were until they have read everything again.
    if (again) for (const subscriber of [...this.#subscribers]) this.#tell(() => subscriber.gap());
    this.#begun += 1;
    this.#progress.advance(again || from === '' ? now : from);
    this.#connected = true;
    this.#started.resolve();
  }

  /**
   * The revision that upstream is at, for a price that does not grow with the collection.
   * @throws {Restored} when that is less than what it was before; a watch that is open then ends
   */
  async #probe(signal: AbortSignal = this.#ending.signal): Promise<string> {
    const { identity, path } = this.#collection;
    const before = this.progress;
    const { upstream, probe = ONE_ITEM } = this.#options;
    const query = [...selectors(this.#collection), ...probe.query];
    const answer = await upstream.request({ identity, method: 'GET', path, query, accept: probe.accept, signal });
    if (answer.status !== 200) throw refusal(path, answer.status);
    const version = versionOf(readObject(answer.body));
    if (version === '') throw new Error(`LIST ${path} was answered without a revision`);
    if (before !== '' && compareVersions(version, before) < 0) {
      this.#options.history.foundRestored(this.#restores);
      throw restored();
    }
    return version;
  }

  /** Runs one watch to its end. */
  async #watch(): Promise<'ended' | 'expired'> {
    const { path } = this.#collection;
    this.#watching = new AbortController();
    const signal = AbortSignal.any([this.#ending.signal, this.#watching.signal]);
    const answer = await this.#openWatch(WATCH_SECONDS_MIN + Math.floor(Math.random() * WATCH_SECONDS_MIN), signal);
    if (answer.status === 200) this.#connected = true;
    let events = 0;
    for await (const line of lines(answer.chunks)) {
      events += 1;
      if (answer.status === 410) return 'expired';
      if (answer.status !== 200) throw refusal(path, answer.status);
      const event = readObject(line) as unknown as WatchEvent;
      if (event.type === 'ERROR') {
        const code = isObject(event.object) ? event.object['code'] : undefined;
        if (code === 410) return 'expired';
        throw refusal(path, typeof code === 'number' ? code : 500);
      }
      this.#dispatch(event, line);
    }
    // Bookmarks come every minute, so this one was cut off at once: the next is not begun without a pause.
    if (events === 0) throw new Error(`WATCH ${path} was answered with ${answer.status} and nothing`);
    return 'ended';
  }

  #openWatch(seconds: number, signal: AbortSignal): Promise<UpstreamStream> {
    const { identity, path } = this.#collection;
    return this.#options.upstream.stream({
      identity,
      method: 'GET',
      path,
      query: [
        ...selectors(this.#collection),
        ['watch', 'true'],
        ['allowWatchBookmarks', 'true'],
        ['resourceVersion', this.progress],
        ['timeoutSeconds', String(seconds)],
      ],
      signal,
    });
  }

  #dispatch(event: WatchEvent, line: Uint8Array): void {
    const version = versionOf(event.object);
    if (event.type !== 'BOOKMARK') {
      const owner = this.#collection.ownerOf(event.object);
      let fresh: WatchEvent | undefined = event;
      for (const subscriber of owner === undefined ? [] : [...this.#subscribers]) {
        if (owner !== 'everybody' && subscriber.tenant !== owner) continue;
        const own = fresh ?? (readObject(line) as unknown as WatchEvent);
        fresh = undefined;
        this.#tell(() => subscriber.event(own));
      }
    }
    // Only now: what is told of progress must have come before.
    this.#progress.advance(version);
  }

  /**
   * What upstream is at now is cheap to ask; that the watch has told everything up to there is not, for upstream has no
   * question for it and sends a bookmark once a minute. A second watch from the same place that is to last three seconds
   * gets its bookmark after one: no event before it, or the events before it, are then all that the first can have to tell.
   */
  async #catchUp(): Promise<void> {
    const begun = this.#begun;
    const now = await this.#probe();
    if (await this.#progress.reaches(now, BUSY_MS)) return;
    const { lastEvent, bookmark } = await this.#probeWatch(now);
    const isTold = lastEvent === '' || (await this.#progress.reaches(lastEvent, CATCH_UP_MS));
    if (!isTold || begun !== this.#begun || this.ended) throw new Error(`${this.#collection.path} lags behind`);
    this.#progress.advance(bookmark);
  }

  async #probeWatch(now: string): Promise<{ lastEvent: string; bookmark: string }> {
    const answer = await this.#openWatch(PROBE_SECONDS, this.#ending.signal);
    let lastEvent = '';
    for await (const line of lines(answer.chunks)) {
      const event = readObject(line) as unknown as WatchEvent;
      if (answer.status !== 200 || event.type === 'ERROR') break;
      const version = versionOf(event.object);
      if (event.type !== 'BOOKMARK') lastEvent = version;
      else if (compareVersions(version, now) >= 0) return { lastEvent, bookmark: version };
    }
    throw new Error(`${this.#collection.path} gave no bookmark in ${PROBE_SECONDS} seconds`);
  }

  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

/** 401 comes while the proxy's own token is renewed, 403 also from an API server that has just started; 429 and 5xx pass. */
function refusal(path: string, status: number): Error {
  const message = `${path} was answered with ${status}`;
  const isRefused = status >= 400 && status < 500 && status !== 401 && status !== 429;
  return isRefused ? new Refused(message, status !== 403) : new Error(message);
}

function restored(): Error {
  return new Restored('the revision of the host went back: its store was restored');
}
