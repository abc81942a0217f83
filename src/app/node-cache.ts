/**
 * Puts the node cache together: the proxy that runs on each node, for the kubelet and others that are no tenants. What it
 * keeps it answers from memory, once the API server has said that the caller may read it; the rest it passes on.
 */
import { join } from 'node:path';
import { loadSchema } from '../codec/protobuf/schema.ts';
import { ApiError } from '../errors.ts';
import { pause } from '../lib/backoff.ts';
import { startListener } from '../listen/server.ts';
import { createFromMemory } from '../nodecache/answer.ts';
import { createCallers } from '../nodecache/callers.ts';
import { followCluster } from '../nodecache/cluster.ts';
import type { Scope } from '../nodecache/collections.ts';
import { createKeep } from '../nodecache/keep.ts';
import { CACHE_BYTES, HUB_BYTES, RESUME_MS, SNAPSHOT_MS } from '../nodecache/limits.ts';
import { createRights } from '../nodecache/rights.ts';
import { type Serving, servingIdentity } from '../nodecache/serving.ts';
import { createSnapshots } from '../nodecache/snapshots.ts';
import { logger } from '../observe/log.ts';
import { renderError } from '../respond/status.ts';
import type { HostConnection } from '../upstream/host-connection.ts';
import { createNodeCacheHandler } from './node-cache-handler.ts';
import { type HubAddress, waysOf } from './node-cache-ways.ts';

export interface NodeCacheOptions {
  /** The API server, with the program's own credential. Read again now and then. */
  readonly own: () => HostConnection;
  /** The same with the node's. */
  readonly node?: (() => HostConnection) | undefined;
  readonly scope: Scope;
  /** What is kept is asked of it first. */
  readonly hub?: HubAddress | undefined;
  readonly listen: { readonly host: string; readonly port: number };
  /** What it shows to whoever connects; undefined makes one, of a CA of its own. */
  readonly serving?: Serving | undefined;
  /** Folder for its CA and for what it goes on from after a restart. */
  readonly stateFolder: string;
  /** Client CA bundle; undefined asks the cluster. */
  readonly clientCaPem?: string | undefined;
  readonly graceMs?: number;
}

export interface RunningNodeCache extends AsyncDisposable {
  /** `https://127.0.0.1:6445` */
  readonly server: string;
  /** Of whoever connects. */
  readonly caPem: string;
  readonly counts: { readonly views: number; readonly bytes: number };
  close(): Promise<void>;
}

/** Resolves when it listens. @throws {Error} when the port is taken, or the folder cannot be used */
export async function startNodeCache(options: NodeCacheOptions): Promise<RunningNodeCache> {
  const log = logger('node-cache');
  loadSchema();
  await using starting = new AsyncDisposableStack();
  const ending = new AbortController();
  const onError = (error: unknown): void => {
    if (!ending.signal.aborted) log.warn({ cause: error }, 'the cluster cannot be used at the moment');
  };
  const { clientCaPem, scope, stateFolder, hub } = options;
  const serving = options.serving ?? (await servingIdentity(stateFolder, options.listen.host));

  const own = waysOf({ read: options.own, hub, isOwn: true, onError }, starting);
  const node = options.node && waysOf({ read: options.node, hub, isOwn: false, onError }, starting);
  const { signal } = ending;
  const cluster = followCluster({ own: own.apiServer, node: node?.apiServer, clientCaPem, signal, onError });
  const folder = join(stateFolder, 'snapshots');
  const snapshots = createSnapshots({ folder, cluster: () => cluster.facts()?.uid, onError });
  const keep = createKeep({
    own: own.kept,
    node: node?.kept,
    named: { upstream: (node ?? own).apiServer },
    scope,
    bytes: scope === 'hub' ? HUB_BYTES : CACHE_BYTES,
    snapshots,
    onError,
  });
  starting.defer(() => keep.close());
  starting.defer(() => ending.abort());
  // Before anybody is served: what is then asked for would be read anew.
  await Promise.race([cluster.whenKnown().then(() => keep.resume()), pause(RESUME_MS, signal)]);
  const saving = setInterval(() => void keep.save(), SNAPSHOT_MS);
  starting.defer(() => clearInterval(saving));

  const nowMs = Date.now;
  const identify = createCallers({
    upstream: own.apiServer,
    authorities: () => {
      const facts = cluster.facts();
      if (facts === undefined) throw notKnown();
      return facts.authorities;
    },
    nowMs,
  });
  const mayRead = createRights({ upstream: own.apiServer, nowMs });
  const handler = createNodeCacheHandler({
    isReady: scope === 'hub' ? () => cluster.facts() !== undefined && keep.isLive : undefined,
    fromMemory: createFromMemory({ keep, identify, mayRead, scope, nowMs, onUnknown: onError }),
    identify,
    passing: () => own.forwarder(),
    passingAsNode: () => node?.forwarder(),
    nodeUser: () => cluster.facts()?.node,
  });
  const listener = await startListener({
    ...options.listen,
    tls: { cert: serving.certPem, key: serving.keyPem },
    handler,
    renderError,
    log: logger('listen'),
    graceMs: options.graceMs ?? GRACE_MS,
  });
  starting.defer(() => listener.close());
  // First of all: what is known now is what there is to go on from. Then watches end, each with a last bookmark.
  starting.defer(async () => {
    await keep.save();
    await keep.close();
  });
  const running = starting.move();
  const close = (): Promise<void> => running.disposeAsync();
  return {
    server: `https://${listener.host.includes(':') ? `[${listener.host}]` : listener.host}:${listener.port}`,
    caPem: serving.caPem,
    get counts() {
      return keep.counts;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const GRACE_MS = 5_000;

function notKnown(): ApiError {
  return new ApiError('ERR_UNAVAILABLE', 'the node cache has not reached the cluster yet; try again', {
    why: 'cluster-not-known',
    details: { retryAfterSeconds: 1 },
  });
}
