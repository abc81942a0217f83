/**
 * Under which name a write is noted in `metadata.managedFields` when the client gives none: the first word of its
 * User-Agent, as the API server takes it. Upstream would take ours.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/create.go (managerOrUserAgent, prefixFromUserAgent) at v0.36
 */
import type { Pairs } from './query.ts';

const FIELD_MANAGER = 'fieldManager';
/** Bytes; a name that the client gives itself may have as many. */
const MANAGER_BYTES = 128;
/** What the API server writes for a client that says nothing of itself. */
const UNKNOWN = 'unknown';
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** The query of a write, with a field manager. Not for apply, which must name its own. */
export function withFieldManager(query: Pairs, userAgent: string | undefined): Pairs {
  if (query.some(([name, value]) => name === FIELD_MANAGER && value !== '')) return query;
  const others = query.filter(([name]) => name !== FIELD_MANAGER);
  return [...others, [FIELD_MANAGER, managerOf(userAgent ?? '')]];
}

/** `kubectl/v1.36.3 (linux/amd64)` -> `kubectl` */
function managerOf(userAgent: string): string {
  const [first = ''] = userAgent.split('/', 1);
  let manager = '';
  let bytes = 0;
  for (const char of first) {
    if (!PRINTABLE.test(char)) continue;
    bytes += Buffer.byteLength(char);
    if (bytes > MANAGER_BYTES) break;
    manager += char;
  }
  return manager === '' ? UNKNOWN : manager;
}
