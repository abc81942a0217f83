/**
 * A live, local copy of one upstream collection: a consistent LIST, then WATCH from its revision, resumed for ever.
 *
 * After a 410 it lists again and tells its subscribers the difference, so that they never see a gap. Writes and deletions
 * of our own are told to it as they are answered; what the watch says of an object from before its deletion then counts no
 * more.
 *
 * A list that asks for the newest is never older than what was known, whichever API server answers, but where the host's
 * store was restored from a backup. Then nothing counts but what it says: a watch from a revision that is still to come
 * would be silent until it has come, and roles of before the restore would go on giving rights. Whoever finds it tells all
 * others, for whom the host may have come as far again meanwhile.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 * @see k8s.io/client-go tools/cache/reflector.go at v0.36
 */
import { readObject } from '../codec/json.ts';
import { lines } from '../codec/lines.ts';
import { ApiError, isSilence } from '../errors.ts';
import type { HostHistory } from '../k8s/host-history.ts';
import type { DeletedObject, Informer, InformerEvent } from '../k8s/informer.ts';
import { compareVersions, keyOf, uidOf, versionOf } from '../k8s/meta.ts';
import { ONE_ITEM } from '../k8s/revision-probe.ts';
import { isObject, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import { backoffMs, pause } from '../lib/backoff.ts';
import type { Upstream, UpstreamIdentity, UpstreamRequest } from '../ports.ts';
import { HostError } from './host-client.ts';

export interface InformerOptions {
  upstream: Upstream;
  identity: UpstreamIdentity;
  /** `/api/v1/namespaces` */
  path: string;
  /** Selectors, the same for LIST and WATCH. */
  query?: ReadonlyArray<readonly [string, string]>;
  /** Shared by all that follow this host. */
  history: HostHistory;
  /** Ends it. */
  signal: AbortSignal;
  /** Told of every fault; the informer goes on by itself. */
  onError?: (error: unknown) => void;
}

const BACKOFF = { firstMs: 200, capMs: 10_000 };
/** Within what kube-apiserver allows; random so that streams do not end together. */
const WATCH_SECONDS_MIN = 300;
/** How many deletions of ours are remembered that the watch has not confirmed: more are never under way. */
const FORGOTTEN_MAX = 1_000;

export function createInformer(options: InformerOptions): Informer {
  const { history } = options;
  const objects = new Map<string, JsonObject>();
  /** Uids of what was deleted by us and may still come by: an event from before the deletion would bring it back. */
  const forgotten = new Set<string>();
  const listeners = new Set<(event: InformerEvent) => void>();
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  let synced = false;
  let revision = '';
  /** How many restores of the host there had been when it was listed. */
  let restores = history.restores;
  /** Ends the watch that is open, so that everything is listed again. */
  let watching = new AbortController();
  const unsubscribe = history.subscribe(() => watching.abort(new Error("the host's store was restored")));

  function tell(event: InformerEvent): void {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        options.onError?.(error);
      }
    }
  }

  /** @param isRestored revisions are given out anew: neither an older nor the same one says that it is known */
  function put(object: JsonObject, isRestored = false): void {
    if (forgotten.has(uidOf(object))) return;
    const key = keyOf(object);
    const previous = objects.get(key);
    const isKnown = previous !== undefined && compareVersions(versionOf(object), versionOf(previous)) <= 0;
    if (isKnown && !isRestored) return;
    objects.set(key, object);
    tell(previous === undefined ? { type: 'added', object } : { type: 'modified', object, previous });
  }

  /** `object` as it was last, at the revision of its deletion. */
  function remove(object: JsonObject): void {
    forgotten.delete(uidOf(object));
    const key = keyOf(object);
    const previous = objects.get(key);
    // A newer one is the next object of that name, noted before the watch came to the end of this one.
    if (previous === undefined || compareVersions(versionOf(previous), versionOf(object)) > 0) return;
    objects.delete(key);
    tell({ type: 'deleted', object, previous });
  }

  function forget({ namespace, name, uid }: DeletedObject): void {
    if (uid === '') return;
    forgotten.delete(uid);
    forgotten.add(uid);
    const [oldest] = forgotten;
    if (forgotten.size > FORGOTTEN_MAX && oldest !== undefined) forgotten.delete(oldest);
    const key = namespace === '' ? name : `${namespace}/${name}`;
    const previous = objects.get(key);
    if (previous === undefined || uidOf(previous) !== uid) return;
    objects.delete(key);
    tell({ type: 'deleted', object: previous, previous });
  }

  async function ask(more: Pick<UpstreamRequest, 'accept' | 'query'> = {}): Promise<JsonObject> {
    const { identity, path, query = [], signal } = options;
    const asked = [...query, ...(more.query ?? [])];
    const answer = await options.upstream.request({
      identity,
      method: 'GET',
      path,
      signal,
      ...more,
      ...(asked.length === 0 ? {} : { query: asked }),
    });
    if (answer.status !== 200) throw new HostError(`LIST ${path}`, answer.status, answer.body);
    return readObject(answer.body);
  }

  /** Whether upstream is at an earlier revision than what is known, for a price that does not grow with the collection. */
  async function hasGoneBack(): Promise<boolean> {
    return isBefore(versionOf(await ask(ONE_ITEM)));
  }

  function isBefore(version: string): boolean {
    return revision !== '' && compareVersions(version, revision) < 0;
  }

  async function list(): Promise<void> {
    const deletedBefore = [...forgotten];
    const known = history.restores;
    const body = await ask();
    const { items } = body;
    if (!Array.isArray(items)) throw new Error(`LIST ${options.path} was answered without items`);
    const at = versionOf(body);
    const wentBack = isBefore(at);
    if (wentBack) {
      options.onError?.(
        new Error(`LIST ${options.path} went back from ${revision} to ${at}: the host's store was restored`),
      );
      history.foundRestored(restores);
    }
    const isRestored = wentBack || known !== restores;
    if (isRestored) forgotten.clear();
    const seen = new Set<string>();
    const uids = new Set<string>();
    for (const item of items) {
      if (!isObject(item)) continue;
      seen.add(keyOf(item));
      uids.add(uidOf(item));
      put(item, isRestored);
    }
    // What is not in a list that was asked for after its deletion is in nothing that follows it.
    for (const uid of deletedBefore) if (!uids.has(uid)) forgotten.delete(uid);
    for (const [key, object] of objects) {
      // A note of our own write may be newer than the list; the watch will speak of it.
      if (!seen.has(key) && (isRestored || compareVersions(versionOf(object), at) <= 0)) remove(object);
    }
    revision = at;
    restores = wentBack && known === restores ? known + 1 : known;
    if (!synced) {
      synced = true;
      ready.resolve();
    }
  }

  /** Runs one watch to its end. Returns true when the next must begin with a LIST. */
  async function watch(): Promise<boolean> {
    watching = new AbortController();
    const seconds = WATCH_SECONDS_MIN + Math.floor(Math.random() * WATCH_SECONDS_MIN);
    const answer = await options.upstream.stream({
      identity: options.identity,
      method: 'GET',
      path: options.path,
      query: [
        ...(options.query ?? []),
        ['watch', 'true'],
        ['allowWatchBookmarks', 'true'],
        ['resourceVersion', revision],
        ['timeoutSeconds', String(seconds)],
      ],
      signal: AbortSignal.any([options.signal, watching.signal]),
    });
    let events = 0;
    for await (const line of lines(answer.chunks)) {
      events += 1;
      const event = readObject(line) as unknown as WatchEvent;
      if (answer.status !== 200 || event.type === 'ERROR') {
        if (answer.status === 410 || event.object?.['code'] === 410) return true;
        throw new Error(`WATCH ${options.path} was ended: ${messageOf(event.object ?? event)}`);
      }
      if (event.type === 'DELETED') remove(event.object);
      else if (event.type !== 'BOOKMARK') put(event.object);
      revision = versionOf(event.object);
    }
    // Bookmarks come every minute, so this one was cut off at once: the next is not begun without a pause.
    if (events === 0) throw new Error(`WATCH ${options.path} was answered with ${answer.status} and nothing`);
    return false;
  }

  async function run(): Promise<void> {
    let failures = 0;
    let listNext = true;
    while (!options.signal.aborted) {
      try {
        if (listNext || restores !== history.restores || (failures > 0 && (await hasGoneBack()))) await list();
        listNext = false;
        listNext = restores !== history.restores || (await watch());
        failures = 0;
      } catch (error) {
        if (options.signal.aborted) break;
        failures += 1;
        if (!isSilence(error)) options.onError?.(error);
        if (!(await pause(backoffMs(failures, BACKOFF), options.signal))) break;
      }
    }
    unsubscribe();
    ready.reject(new ApiError('ERR_UNAVAILABLE', 'the proxy is shutting down'));
  }

  void run();

  return {
    whenSynced: () => ready.promise,
    get synced() {
      return synced;
    },
    get: (namespace, name) => objects.get(namespace === '' ? name : `${namespace}/${name}`),
    list: () => objects.values(),
    subscribe(listener) {
      for (const object of objects.values()) listener({ type: 'added', object });
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    note(object) {
      // What the watch has passed and does not hold has been deleted since: the note comes too late.
      const known = objects.has(keyOf(object));
      if (known || compareVersions(versionOf(object), revision) > 0) put(object);
    },
    forget,
  };
}

function messageOf(body: unknown): string {
  return isObject(body) && typeof body['message'] === 'string' ? body['message'] : 'no message';
}
