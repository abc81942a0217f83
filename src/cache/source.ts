/**
 * One upstream watch of one collection, shared by every tenant that has a view of it. It holds no objects: each event
 * goes to the views of the tenant whose object it is, and what it remembers is how far it has come.
 *
 * A watch that ends is begun again where it was. Where upstream no longer has the events since then (410), it begins at
 * "now" and says so: views then read everything again. A revision that goes back means that the host's store was
 * restored from a backup, after which no revision that anybody holds means anything.
 *
 * @see k8s.io/client-go tools/cache/reflector.go at v0.36
 */
import { readObject } from '../codec/json.ts';
import { lines } from '../codec/lines.ts';
import { compareVersions, versionOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import { backoffMs, pause } from '../lib/backoff.ts';
import type { Upstream, UpstreamIdentity } from '../ports.ts';
import type { TenantId } from '../tenancy/names.ts';

/** What is watched, in upstream terms. */
export interface Collection {
  readonly identity: UpstreamIdentity;
  /** `/api/v1/pods` */
  readonly path: string;
  /** Label selector of the proxy's own; `''` for none. */
  readonly labels: string;
  /** Whose an object is: `undefined` is nobody's, `everybody` each view's own to decide. */
  ownerOf(object: JsonObject): TenantId | 'everybody' | undefined;
}

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
  /** Told of every fault; the source goes on by itself. */
  readonly onError: (error: unknown) => void;
}

const BACKOFF = { firstMs: 800, capMs: 30_000 };
/** As client-go; random so that streams do not end together. */
const WATCH_SECONDS_MIN = 300;

/** Upstream refuses, and will go on refusing. */
class Refused extends Error {}

/** Upstream is back at an earlier revision. */
class Restored extends Error {}

export class Source {
  readonly #collection: Collection;
  readonly #options: SourceOptions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #ending = new AbortController();
  readonly #started = Promise.withResolvers<void>();
  #progress = '';
  #connected = false;

  constructor(collection: Collection, options: SourceOptions) {
    this.#collection = collection;
    this.#options = options;
    this.#started.promise.catch(() => {});
    void this.#run();
  }

  /** Every event up to this revision has been told; `''` before it has begun. */
  get progress(): string {
    return this.#progress;
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

  /** @returns ends it */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  stop(): void {
    this.#ending.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    let failures = 0;
    let beginNext = true;
    let why: 'restored' | 'refused' = 'refused';
    while (!signal.aborted) {
      try {
        if (beginNext) await this.#begin();
        else if (failures > 0) await this.#checkNotRestored();
        beginNext = false;
        const events = await this.#watch();
        if (events === 'expired') beginNext = true;
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        this.#connected = false;
        this.#options.onError(error);
        if (error instanceof Restored) why = 'restored';
        // One that has not begun has nothing to keep; who asked for it is answered by upstream, or is refused.
        if (error instanceof Refused || error instanceof Restored || this.#progress === '') break;
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
    const again = this.#progress !== '';
    const now = await this.#probe();
    if (again && compareVersions(now, this.#progress) < 0) throw restored();
    // Told before it is known how far upstream is: views stand where they were until they have read everything again.
    if (again) for (const subscriber of [...this.#subscribers]) this.#tell(() => subscriber.gap());
    this.#progress = now;
    this.#connected = true;
    this.#started.resolve();
  }

  async #checkNotRestored(): Promise<void> {
    if (compareVersions(await this.#probe(), this.#progress) < 0) throw restored();
  }

  /** The revision that upstream is at, for a price that does not grow with the collection. */
  async #probe(): Promise<string> {
    const { identity, path, labels } = this.#collection;
    const answer = await this.#options.upstream.request({
      identity,
      method: 'GET',
      path,
      query: [...selector(labels), ['limit', '1']],
      accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
      signal: this.#ending.signal,
    });
    if (answer.status !== 200) throw refusal(path, answer.status);
    const version = versionOf(readObject(answer.body));
    if (version === '') throw new Error(`LIST ${path} was answered without a revision`);
    return version;
  }

  /** Runs one watch to its end. */
  async #watch(): Promise<'ended' | 'expired'> {
    const { identity, path, labels } = this.#collection;
    const seconds = WATCH_SECONDS_MIN + Math.floor(Math.random() * WATCH_SECONDS_MIN);
    const answer = await this.#options.upstream.stream({
      identity,
      method: 'GET',
      path,
      query: [
        ...selector(labels),
        ['watch', 'true'],
        ['allowWatchBookmarks', 'true'],
        ['resourceVersion', this.#progress],
        ['timeoutSeconds', String(seconds)],
      ],
      signal: this.#ending.signal,
    });
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
    if (compareVersions(version, this.#progress) > 0) this.#progress = version;
  }

  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

function selector(labels: string): Array<readonly [string, string]> {
  return labels === '' ? [] : [['labelSelector', labels]];
}

/** 401 comes while the proxy's own token is renewed; 429 and 5xx pass. */
function refusal(path: string, status: number): Error {
  const message = `${path} was answered with ${status}`;
  return status >= 400 && status < 500 && status !== 401 && status !== 429 ? new Refused(message) : new Error(message);
}

function restored(): Error {
  return new Restored('the revision of the host went back: its store was restored');
}
