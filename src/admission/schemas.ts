/**
 * Schemas of kinds: how their fields merge and of which types they are, read from the host's OpenAPI when first needed and
 * kept for a while, since a tenant may change its own kinds.
 */
import { readObject } from '../codec/json.ts';
import type { JsonObject } from '../k8s/types.ts';
import { splitApiVersion } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import type { Upstream } from '../ports.ts';
import { type KindSchema, schemaOf } from './schema.ts';

const KEPT_MS = 60_000;
const MOST_KEPT = 16;

interface Kept {
  readonly document: Promise<JsonObject | undefined>;
  readonly untilMs: number;
}

/** @returns undefined when the host has no schema of the kind (yet) */
export type KindSchemas = (at: KindAtVersion) => Promise<KindSchema | undefined>;

export function createKindSchemas(upstream: Upstream, nowMs: () => number = Date.now): KindSchemas {
  const kept = new Map<string, Kept>();

  function document(path: string): Promise<JsonObject | undefined> {
    const known = kept.get(path);
    if (known !== undefined && known.untilMs > nowMs()) return known.document;
    kept.delete(path);
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
    const read = readDocument(upstream, path);
    kept.set(path, { document: read, untilMs: nowMs() + KEPT_MS });
    // A fault is not kept.
    read.catch(() => kept.delete(path));
    return read;
  }

  return async (at) => {
    const found = await document(`/openapi/v3${at.upstreamRoot}`);
    const [group, version] = splitApiVersion(at.upstreamApiVersion);
    const schema = found === undefined ? undefined : schemaOf(found, { group, version, kind: at.kind.kind });
    if (schema === undefined) kept.delete(`/openapi/v3${at.upstreamRoot}`);
    return schema;
  };
}

async function readDocument(upstream: Upstream, path: string): Promise<JsonObject | undefined> {
  const answer = await upstream.request({
    identity: { as: 'reader' },
    method: 'GET',
    path,
    accept: 'application/json',
  });
  return answer.status === 200 ? readObject(answer.body) : undefined;
}
