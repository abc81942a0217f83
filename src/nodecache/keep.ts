/**
 * The collections that are kept, each by one upstream watch for all who ask on this node (`../cache`). What was written
 * down before a restart is gone on from where it was; everything else is read when it is first asked for.
 */
import type { Kept } from '../cache/begin-watch.ts';
import { type Cache, type CacheOptions, createCache } from '../cache/cache.ts';
import type { Reader, Reading, View } from '../cache/view.ts';
import { readObject } from '../codec/json.ts';
import { decodeObject } from '../codec/protobuf/codec.ts';
import { HostHistory } from '../k8s/host-history.ts';
import { versionOf } from '../k8s/meta.ts';
import { objects, text } from '../k8s/read.ts';
import type { Upstream } from '../ports.ts';
import type { TenantId } from '../tenancy/names.ts';
import { type KeptCollection, type Scope, storedCollections } from './collections.ts';
import { COLLECTIONS } from './limits.ts';
import { together } from './pulse.ts';
import type { Snapshots } from './snapshots.ts';

/** Of whom it is read, and as whom. */
export type Way = Pick<CacheOptions, 'upstream' | 'probe' | 'pulse'>;

export interface KeepOptions {
  /** The program's own account. */
  readonly own: Way;
  /** The node itself: its credential reads what is of this node alone. Undefined: the program's own does. */
  readonly node: Way | undefined;
  /** For single objects, which no hub has. */
  readonly named: Way;
  readonly scope: Scope;
  /** What all collections of one way may hold. */
  readonly bytes: number;
  readonly snapshots: Snapshots;
  readonly onError: (error: unknown) => void;
}

export interface Keep {
  /** Undefined when it is not kept, or not now. */
  find(collection: KeptCollection): Kept | undefined;
  /** Goes on from what was written down. Resolves when it is known from where. */
  resume(): Promise<void>;
  /** Writes down what there is to go on from. */
  save(): Promise<void>;
  readonly counts: { readonly views: number; readonly bytes: number };
  /** False while upstream does not answer for something that is kept. */
  readonly isLive: boolean;
  close(): Promise<void>;
}

type Place = Omit<KeptCollection, 'begins'>;

export function createKeep({ own, node = own, named, scope, bytes, snapshots, onError }: KeepOptions): Keep {
  const ways = { cache: own, node, named };
  const caches = new Map<Way, Cache>();
  // Hubs and API server are of one store.
  const history = new HostHistory();
  const askTogether = together({
    nowMs: Date.now,
    onSilence: () => {
      for (const cache of caches.values()) cache.doubt();
    },
  });
  for (const way of Object.values(ways)) {
    if (caches.has(way)) continue;
    // Without a hub, or past it, all of them ask the same API server.
    const { pulse = (_withinMs, ask) => ask() } = way;
    const shared: Way = { ...way, pulse: (withinMs, ask) => pulse(withinMs, () => askTogether(ask)) };
    caches.set(way, createCache({ ...shared, history, onError, bytes }));
  }
  const stored = storedCollections(scope);

  function cacheOf({ as }: Place): { cache: Cache; upstream: Upstream } {
    const way = ways[as];
    return { cache: caches.get(way) as Cache, upstream: way.upstream };
  }

  function counts(): { views: number; bytes: number } {
    const all = [...caches.values()].map((one) => one.counts);
    return { views: sumOf(all, 'views'), bytes: sumOf(all, 'bytes') };
  }

  function find(place: Place, make: 'make' | 'only if there', saved?: Reading): Kept | undefined {
    const { cache, upstream } = cacheOf(place);
    const key = keyOf(place);
    const first = saved ?? lazily(() => list(place, upstream, NEVER));
    return cache.view(
      {
        collection: {
          identity: { as: 'reader' },
          path: place.path,
          labels: '',
          fields: place.fields,
          ownerOf: () => 'everybody',
          from: typeof first === 'function' ? async () => (await first()).version : first.version,
        },
        collectionKey: key,
        viewKey: key,
        makeReader: () => readerOf(place, upstream, first),
      },
      make,
    );
  }

  function viewOf(place: Place): View | undefined {
    return find(place, 'only if there')?.view;
  }

  return {
    find(collection) {
      const isRoom = counts().views < COLLECTIONS;
      return find(collection, collection.begins && isRoom ? 'make' : 'only if there');
    },
    async resume() {
      for (const place of stored) {
        const saved = await snapshots.load(keyOf(place));
        if (saved === undefined || viewOf(place) !== undefined) continue;
        // Why it cannot be gone on from is logged where it fails; it is then read as if nothing had been kept.
        await find(place, 'make', saved)
          ?.view.whenReady()
          .catch(() => {});
      }
    },
    async save() {
      for (const place of stored) {
        const view = viewOf(place);
        const state = view?.snapshot();
        if (view !== undefined && state?.isLive) await snapshots.save(keyOf(place), view.list, state);
      }
    },
    get counts() {
      return counts();
    },
    get isLive() {
      return stored.every((place) => viewOf(place)?.snapshot()?.isLive !== false);
    },
    async close() {
      await Promise.all([...caches.values()].map((one) => one.close()));
    },
  };
}

function sumOf<K extends string>(all: ReadonlyArray<Record<K, number>>, what: K): number {
  return all.reduce((sum, one) => sum + one[what], 0);
}

function keyOf({ path, fields }: Place): string {
  return `${path}?${fields}`;
}

/** @param first what is read first: what was written down, or what the watch begins with */
function readerOf(place: Place, upstream: Upstream, first: Reading | (() => Promise<Reading>)): Reader {
  let known: typeof first | undefined = first;
  return {
    tenant: NOBODY,
    type: place.type,
    whole: true,
    async read(signal) {
      const begun = known;
      known = undefined;
      if (begun !== undefined) return typeof begun === 'function' ? await begun() : begun;
      return await list(place, upstream, signal);
    },
    show: (event) => event,
  };
}

/** Asked for once, when it is first wanted. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const NEVER = new AbortController().signal;
/** There are no tenants here: everything is as upstream has it. */
const NOBODY = '' as TenantId;

/** As protobuf, which costs the API server half; as JSON where it has fields that are not known here. */
async function list(place: Place, upstream: Upstream, signal: AbortSignal): Promise<Reading> {
  const { object, unknownFields } = decodeObject(await listBytes(place, PROTOBUF, upstream, signal));
  const document = unknownFields === 0 ? object : readObject(await listBytes(place, JSON_TYPE, upstream, signal));
  return {
    version: versionOf(document),
    objects: objects(document, 'items'),
    list: { apiVersion: text(document, 'apiVersion'), kind: text(document, 'kind') },
  };
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = 'application/json';

async function listBytes({ path, fields }: Place, accept: string, upstream: Upstream, signal: AbortSignal) {
  const query = fields === '' ? [] : [['fieldSelector', fields] as const];
  const answer = await upstream.request({ identity: { as: 'reader' }, method: 'GET', path, query, accept, signal });
  if (answer.status !== 200) throw new Error(`LIST ${path} was answered with ${answer.status}`);
  return answer.body;
}
