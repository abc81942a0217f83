/**
 * What the host serves: its discovery documents, read once or followed. Only the aggregated form is asked for; a host
 * that does not have it is refused by whoever reads the documents.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
 */
import { readObject } from '../codec/json.ts';
import { nameOf } from '../k8s/meta.ts';
import { objects } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { type HostVersions, readHostVersions } from '../kinds/host-versions.ts';
import { pause, untilDone } from '../lib/backoff.ts';
import type { Upstream } from '../ports.ts';
import { HostError } from './host-client.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const AGAIN_MS = 60_000;

/**
 * The documents of `/api` and `/apis`.
 * @throws {HostError} when the host refuses; @throws {ApiError} when it does not answer
 */
export async function readHostDiscovery(upstream: Upstream): Promise<readonly JsonObject[]> {
  return await Promise.all(['/api', '/apis'].map((path) => read(upstream, path)));
}

export interface HostDiscovery {
  /** As last read; none before {@link whenRead}. */
  documents(): readonly JsonObject[];
  /** What they say, in the same order of groups and versions. */
  versions(): HostVersions;
  /** Rejects only when the process is ending. */
  whenRead(): Promise<void>;
}

export interface HostDiscoveryOptions {
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  /** Hears every fault. The first reading is tried until it succeeds; later ones leave what is known. */
  readonly onError: (what: string, error: unknown) => void;
  /** How long after a reading the next begins: the documents change when the host is upgraded. */
  readonly againMs?: number;
}

export function followHostDiscovery(options: HostDiscoveryOptions): HostDiscovery {
  const { upstream, signal, onError, againMs = AGAIN_MS } = options;
  let documents: readonly JsonObject[] = [];
  let versions: HostVersions = new Map();

  async function readAll(): Promise<void> {
    const answered = (await readHostDiscovery(upstream)).map((document, at) => withRemembered(document, documents[at]));
    versions = readHostVersions(...answered);
    documents = answered;
  }

  async function follow(): Promise<void> {
    while (await pause(againMs, signal)) {
      await readAll().catch((error: unknown) => onError('reading the discovery of the host again', error));
    }
  }

  const first = untilDone(signal, (error) => onError('reading the discovery of the host', error), readAll);
  first.then(follow, () => {});
  return { documents: () => documents, versions: () => versions, whenRead: () => first };
}

/**
 * An aggregated API that does not answer is listed as stale, without resources. What it had is kept: a request for it is
 * then told that it is not available, as the host tells it, and not that there is no such thing.
 */
function withRemembered(document: JsonObject, before: JsonObject | undefined): JsonObject {
  const items = objects(document, 'items').map((group) => {
    const known = objects(before ?? {}, 'items').find((one) => nameOf(one) === nameOf(group));
    const versions = objects(group, 'versions').map((version) => {
      if (version['freshness'] !== 'Stale' || objects(version, 'resources').length > 0) return version;
      const last = objects(known ?? {}, 'versions').find((one) => one['version'] === version['version']);
      return { ...version, resources: objects(last ?? {}, 'resources') };
    });
    return { ...group, versions };
  });
  return { ...document, items };
}

async function read(upstream: Upstream, path: string): Promise<JsonObject> {
  const answer = await upstream.request({ identity: { as: 'reader' }, method: 'GET', path, accept: AGGREGATED });
  if (answer.status !== 200) throw new HostError(`GET ${path}`, answer.status, answer.body);
  return readObject(answer.body);
}
