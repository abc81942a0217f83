/**
 * Merging objects that stand without being stored (system namespaces, default roles) into what upstream answers.
 * They come last, so that pages before the last are upstream's own.
 */
import type { Reply } from '../exchange.ts';
import { labelsOf, nameOf } from '../k8s/meta.ts';
import { parseFieldSelector, parseLabelSelector } from '../k8s/selector.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { Call, Host } from './call.ts';

/** The standing object that a GET names, as the client asked to see it. */
export function standingReply(call: Call, host: Host): Reply | undefined {
  const object = standingObject(call, host);
  if (object === undefined || call.info.subresource !== '') return undefined;
  if (call.accept.as?.kind !== 'Table') return { kind: 'object', status: 200, object };
  const table: JsonObject = {
    kind: 'Table',
    apiVersion: `${call.accept.as.group}/${call.accept.as.version}`,
    metadata: { resourceVersion: '1' },
    columnDefinitions: [
      { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
      { name: 'Age', type: 'string', format: '', description: '', priority: 0 },
    ],
    rows: [],
  };
  return { kind: 'object', status: 200, object: withRows(call, table, [object]) };
}

export function standingObject(call: Call, host: Host): JsonObject | undefined {
  return host.standing.list(call.tenant, call.at).find((object) => nameOf(object) === call.info.name);
}

/** Standing objects that the client's selectors pick and that `stored` does not hold already. */
export function standingMissing(call: Call, host: Host, stored: ReadonlySet<string>): JsonObject[] {
  const all = host.standing.list(call.tenant, call.at);
  if (all.length === 0) return [];
  const label = parseLabelSelector(call.info.query.get('labelSelector') ?? '');
  const field = parseFieldSelector(call.info.query.get('fieldSelector') ?? '');
  return all.filter((object) => {
    if (stored.has(nameOf(object))) return false;
    if (!label.matches(labelsOf(object))) return false;
    return field.matches({ 'metadata.name': nameOf(object), 'status.phase': 'Active' });
  });
}

/** A list or Table, in tenant terms, with these objects at its end. */
export function withStanding(call: Call, document: JsonObject, objects: readonly JsonObject[]): JsonObject {
  if (objects.length === 0) return document;
  if (document['kind'] === 'Table') return withRows(call, document, objects);
  const items = Array.isArray(document['items']) ? document['items'] : [];
  // Items of a list carry neither kind nor apiVersion.
  const bare = objects.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest);
  return { ...document, items: [...items, ...bare] };
}

function withRows(call: Call, table: JsonObject, objects: readonly JsonObject[]): JsonObject {
  const columns = Array.isArray(table['columnDefinitions']) ? table['columnDefinitions'] : [];
  const names = columns.map((column) => (isObject(column) ? String(column['name']).toLowerCase() : ''));
  const rows = objects.map((object) => ({
    cells: names.map((name) => cell(name, object)),
    object: included(call, object),
  }));
  return { ...table, rows: [...(Array.isArray(table['rows']) ? table['rows'] : []), ...rows] };
}

function cell(column: string, object: JsonObject): JsonValue {
  const created = String((object['metadata'] as JsonObject)['creationTimestamp']);
  const roleRef = object['roleRef'];
  if (column === 'name') return nameOf(object);
  if (column === 'status') return 'Active';
  if (column === 'created at') return created;
  if (column === 'age') return age(Date.now() - Date.parse(created));
  if (column === 'role' && isObject(roleRef)) return `${roleRef['kind']}/${roleRef['name']}`;
  return '';
}

/** As kubectl prints short ages: the largest unit that is not zero. */
function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

function included(call: Call, object: JsonObject): JsonValue {
  const wanted = call.info.query.get('includeObject') ?? 'Metadata';
  if (wanted === 'None') return null;
  if (wanted === 'Object') return object;
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object['metadata'] ?? {} };
}
