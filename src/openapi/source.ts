/**
 * The host's OpenAPI documents, asked for each time and sent only when they have changed: they are megabytes, and change
 * with the host's kinds alone.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readObject } from '../codec/json.ts';
import { ApiError, noSuchPath } from '../errors.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Upstream } from '../ports.ts';

export interface HostDocument {
  /** Another one for other contents. */
  readonly tag: string;
  /** Freshly parsed: whoever has it may change it. */
  read(): JsonObject;
}

/** @throws {ApiError} ERR_NOT_FOUND for a document that the host does not have, ERR_UNAVAILABLE when it does not tell */
export type OpenApiSource = (path: string) => Promise<HostDocument>;

const KEPT_BYTES = 64 * 1024 * 1024;

export function createOpenApiSource(upstream: Upstream): OpenApiSource {
  const kept = new LRUCache<string, { readonly tag: string; readonly body: Uint8Array }>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ body }) => body.byteLength + 1,
  });

  return async (path) => {
    const known = kept.get(path);
    const { status, headers, body } = await upstream.request({
      identity: { as: 'reader' },
      method: 'GET',
      path,
      accept: 'application/json',
      ...(known !== undefined && { ifNoneMatch: known.tag }),
    });
    if (status === 304 && known !== undefined) return documentOf(known);
    if (status === 404) throw noSuchPath('no-such-group');
    if (status !== 200) {
      throw new ApiError('ERR_UNAVAILABLE', 'the OpenAPI document cannot be read at the moment; try again');
    }
    const { etag } = headers;
    const fresh = { tag: typeof etag === 'string' ? etag : hashOf(body), body };
    kept.set(path, fresh);
    return documentOf(fresh);
  };
}

/** As kube-apiserver makes its tags, without the quotes. */
export function hashOf(...parts: ReadonlyArray<string | Uint8Array>): string {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').toUpperCase();
}

function documentOf({ tag, body }: { readonly tag: string; readonly body: Uint8Array }): HostDocument {
  return { tag, read: () => readObject(body) };
}
