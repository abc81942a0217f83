/**
 * A host with one pod in `acme--default`, at a revision that the test moves, and verbs that share watches of it. The
 * cache's own watch is fed by the test, and so is each that a client has for itself.
 */

import { type Cache, createCache } from '../../src/cache/cache.ts';
import { ApiError } from '../../src/errors.ts';
import { HostHistory } from '../../src/k8s/host-history.ts';
import type { JsonObject, WatchEvent } from '../../src/k8s/types.ts';
import type { Upstream, UpstreamRequest } from '../../src/ports.ts';
import { Feed, type Scripted, textOf } from './scripted-upstream.ts';
import { type LabOptions, listOf, VerbLab } from './verb-lab.ts';

export const INFORMER = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
/** The cache's own watches are asked for with a random time. */
const SHARED = /timeoutSeconds=\d{3}$/;

export class SharingHost {
  revision = 50;
  /** What a client makes. */
  written: JsonObject = {};
  /** Nothing is answered. */
  isDown = false;
  readonly shared = new Feed();
  /** Of the watches that clients have for themselves. */
  readonly own: Feed[] = [];
  readonly watches: UpstreamRequest[] = [];
  readonly cache: Cache;
  readonly lab: VerbLab;

  readonly #padding: string;

  /** @param padding how large the pod is */
  constructor({
    padding = 0,
    ...options
  }: Pick<LabOptions, 'readsSecretsAcross' | 'isSession'> & { padding?: number } = {}) {
    this.#padding = 'x'.repeat(padding);
    const upstream: Upstream = {
      request: (request) => this.lab.upstream.request(request),
      stream: (request) => this.lab.upstream.stream(request),
    };
    this.cache = createCache({ upstream, history: new HostHistory(), onError: () => {} });
    const onRestored = (): void => this.cache.doubt();
    this.lab = new VerbLab((request) => this.#answer(request), { cache: this.cache, onRestored, ...options });
  }

  /** Upstream watches that clients have for themselves. */
  get forwarded(): string[] {
    return this.watches.map(textOf).filter((text) => !SHARED.test(text));
  }

  /** Opens an informer; resolves when it has everything. */
  async inform(path: string): Promise<void> {
    const events = await this.lab.watch(`${path}?${INFORMER}`);
    for (;;) {
      const { value, done } = await events.next();
      if (done === true) throw new Error(`the informer on ${path} ended`);
      if (value.type === 'BOOKMARK') return;
    }
  }

  /** Resolves when what memory holds is at this revision: something happened to somebody else. */
  async reached(version: number): Promise<void> {
    this.shared.send({ type: 'ADDED', object: this.pod('globex--web', 'foreign', version) });
    await this.shared.idle();
  }

  pod(namespace: string, name: string, version: number, labels: JsonObject = {}): JsonObject {
    const metadata = { namespace, name, uid: name, resourceVersion: String(version), labels };
    return { kind: 'Pod', apiVersion: 'v1', metadata };
  }

  #bookmark(): WatchEvent {
    return { type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: String(this.revision + 1) } } };
  }

  async close(): Promise<void> {
    await this.cache.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #answer(request: UpstreamRequest): Scripted {
    const { path, query = [] } = request;
    if (this.isDown) throw new ApiError('ERR_UNAVAILABLE', 'down');
    if (query.some(([name]) => name === 'watch')) {
      this.watches.push(request);
      if (SHARED.test(textOf(request))) return { status: 200, body: this.shared };
      const feed = new Feed();
      if (/timeoutSeconds=3$/.test(textOf(request))) return { status: 200, body: feed.send(this.#bookmark()) };
      this.own.push(feed);
      return { status: 200, body: feed };
    }
    if (path === '/api/v1/namespaces') {
      const kind = request.accept === 'application/json' ? 'NamespaceList' : 'PartialObjectMetadataList';
      return listOf(kind, this.revision, [{ metadata: { name: 'acme--default' } }]);
    }
    if (request.method === 'POST') return { status: 201, body: this.written };
    if (request.method === 'DELETE') return { status: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {} } };
    if (path.endsWith('/services')) return listOf('ServiceList', this.revision, []);
    const old = this.pod('acme--default', 'old', 30, { color: 'red' });
    const pod: JsonObject = this.#padding === '' ? old : { ...old, padding: this.#padding };
    if (!path.endsWith('/pods')) return { status: 200, body: pod };
    const { kind: _kind, apiVersion: _apiVersion, ...item } = pod;
    return listOf('PodList', this.revision, [item]);
  }
}
