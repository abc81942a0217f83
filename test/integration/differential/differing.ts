/**
 * Where two answers differ, after what cannot be the same is taken out of both: uids, times, revisions, addresses, tokens
 * and what the server draws by lot.
 */
import type { RawAnswer } from '../../support/http.ts';
import { documentsIn } from './documents.ts';
import type { Compared } from './scenario.ts';

/** One place in which the two differ. */
export interface Differing {
  /** `status`, `header warning`, `body.metadata.labels.app` */
  readonly at: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** What clients go by. Those of the host's own making (flow schemas and the like) are none of a tenant's. */
const HEADERS = [
  'allow',
  'cache-control',
  'content-encoding',
  'content-type',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'vary',
  'warning',
  'www-authenticate',
  'x-content-type-options',
];
/** Of these only whether they are there. */
const PRESENT = ['audit-id', 'etag'];

export function differing({ theirs, ours }: Pick<Compared, 'theirs' | 'ours'>): Differing[] {
  const found: Differing[] = [];
  compare(seen(theirs), seen(ours), '', found);
  return found;
}

function seen(answer: RawAnswer): Record<string, unknown> {
  const headers: Record<string, unknown> = {};
  for (const name of HEADERS) headers[name] = volatile(answer.headers[name]);
  for (const name of PRESENT) headers[name] = answer.headers[name] === undefined ? 'absent' : 'present';
  const documents = documentsIn(answer)
    .filter((document) => !isPassingBookmark(document))
    .map((document) => volatile(document));
  return { status: answer.status, header: headers, body: documents.length === 1 ? documents[0] : documents };
}

/** Sent now and then, as the server sees fit. Not the one that ends initial events. */
function isPassingBookmark(document: unknown): boolean {
  const { type, object } = (document ?? {}) as { type?: unknown; object?: { metadata?: { annotations?: unknown } } };
  return type === 'BOOKMARK' && object?.metadata?.annotations === undefined;
}

const NEVER_SAME: ReadonlyMap<string, RegExp> = new Map([
  ['uid', /./],
  ['resourceVersion', /^[1-9]\d*$/],
  ['continue', /./],
  ['clusterIP', /^\d/],
  ['clusterIPs', /./],
  ['token', /./],
]);

const IN_TEXT: ReadonlyArray<readonly [RegExp, string]> = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/\bside-[pt]\b/g, '<side>'],
  [/(\bBad_|x{40,})[a-z0-9]{5}\b/g, '$1<lot>'],
  [/\bdrawn-[a-z0-9]{5}\b/g, 'drawn-<lot>'],
  [/resource version: \d+ \(\d+\)/g, 'resource version: <rv> (<rv>)'],
  [/resource version: (\d+), current: \d+/g, 'resource version: $1, current: <rv>'],
  [/^\d+[smh](?:\d+[smh])?$/g, '<age>'],
];

function volatile(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (NEVER_SAME.get(key)?.test(value) === true) return `<${key}>`;
    return IN_TEXT.reduce((text, [pattern, by]) => text.replace(pattern, by), value);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => volatile(item, key));
    // In the order of their times, which are not the same on both sides.
    return key === 'managedFields' ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, volatile(entry, name)]));
}

function compare(theirs: unknown, ours: unknown, at: string, found: Differing[]): void {
  if (Object.is(theirs, ours)) return;
  if (isRecord(theirs) && isRecord(ours) && Array.isArray(theirs) === Array.isArray(ours)) {
    for (const key of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      compare(theirs[key], ours[key], at === '' ? key : `${at}.${key}`, found);
    }
    return;
  }
  found.push({ at, theirs, ours });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
