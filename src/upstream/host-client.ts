/**
 * Objects of the host, read and written as one identity: JSON in, JSON out, a refusal is a {@link HostError}.
 * Never retries: the work queue does, from what is there then.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
import { readObject } from '../codec/json.ts';
import { text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { Upstream, UpstreamIdentity, UpstreamRequest } from '../ports.ts';

/** The field manager of everything that controllers apply. */
const FIELD_MANAGER = 'kubeveil';

/** The host refused. The message is for logs and for conditions on Tenants, never for a tenant: it has upstream names. */
export class HostError extends Error {
  readonly status: number;
  /** `Status.reason`, such as `AlreadyExists`. */
  readonly reason: string;

  /** @param body a Status, or whatever else came: a path that the host does not know is answered with plain text */
  constructor(what: string, status: number, body: Uint8Array) {
    const refusal = statusIn(body);
    super(`${what} was answered with ${status}: ${text(refusal, 'message') || 'no message'}`);
    this.name = 'HostError';
    this.status = status;
    this.reason = text(refusal, 'reason');
  }
}

/**
 * True for the answer of a host that has just started and cannot list yet: nothing is wrong, it is only early.
 * @see k8s.io/apiserver pkg/storage/cacher/ready.go at v0.36
 */
export function isHostStarting(error: unknown): boolean {
  return error instanceof HostError && error.status === 429 && error.message.includes('storage is (re)initializing');
}

type Query = ReadonlyArray<readonly [string, string]>;

export interface HostClient {
  /** Undefined when there is none. */
  get(path: string): Promise<JsonObject | undefined>;
  /** The items of a collection, with their kind and apiVersion left out, as the server sends them. */
  list(path: string, query?: Query): Promise<JsonObject[]>;
  /** POST to the collection. @throws {HostError} 409 when it is there already */
  create(collection: string, object: JsonObject, query?: Query): Promise<JsonObject>;
  /** Server-side apply: makes the fields of `object` so, whoever wrote them last. */
  apply(path: string, object: JsonObject, fieldManager?: string): Promise<JsonObject>;
  /** JSON merge patch. @throws {HostError} 404 or 409 */
  merge(path: string, patch: JsonObject): Promise<JsonObject>;
  /** JSON patch. @throws {HostError} 404, 409, or 422 where a test of it fails */
  patch(path: string, operations: JsonObject[]): Promise<JsonObject>;
  /** Deletes exactly this object: one of the same name made since is left alone. What is gone already is fine. */
  remove(path: string, uid: string, options?: JsonObject): Promise<void>;
}

export function createHostClient(upstream: Upstream, identity: UpstreamIdentity, signal?: AbortSignal): HostClient {
  async function send(request: Omit<UpstreamRequest, 'identity'>): Promise<JsonObject> {
    const response = await upstream.request({ identity, signal, ...request });
    if (response.status < 200 || response.status > 299) {
      throw new HostError(`${request.method} ${request.path}`, response.status, response.body);
    }
    return readObject(response.body);
  }

  function write(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    contentType: string,
    body: JsonObject | JsonObject[],
    query?: Query,
  ) {
    return send({ method, path, contentType, body: JSON.stringify(body), ...(query === undefined ? {} : { query }) });
  }

  return {
    get: (path) => send({ method: 'GET', path }).catch(unless(404)),
    async list(path, query) {
      const { items } = await send({ method: 'GET', path, ...(query === undefined ? {} : { query }) });
      if (!Array.isArray(items)) throw new TypeError(`GET ${path} was answered without items`);
      return items.filter(isObject);
    },
    create: (collection, object, query = []) =>
      write('POST', collection, 'application/json', object, [['fieldManager', FIELD_MANAGER], ...query]),
    apply: (path, object, fieldManager = FIELD_MANAGER) =>
      write('PATCH', path, 'application/apply-patch+yaml', object, [
        ['fieldManager', fieldManager],
        ['force', 'true'],
      ]),
    merge: (path, patch) =>
      write('PATCH', path, 'application/merge-patch+json', patch, [['fieldManager', FIELD_MANAGER]]),
    patch: (path, operations) =>
      write('PATCH', path, 'application/json-patch+json', operations, [['fieldManager', FIELD_MANAGER]]),
    async remove(path, uid, options = {}) {
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid }, ...options };
      // 409: another object has the name by now, so ours is gone.
      await write('DELETE', path, 'application/json', body).catch(unless(404, 409));
    },
  };
}

/** For `catch`: these statuses are an answer, not a fault. */
export function unless(...statuses: number[]): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof HostError && statuses.includes(error.status)) return undefined;
    throw error;
  };
}

function statusIn(body: Uint8Array): JsonObject {
  try {
    return readObject(body);
  } catch {
    return { message: Buffer.from(body).toString('utf8').trim().slice(0, 200) };
  }
}
