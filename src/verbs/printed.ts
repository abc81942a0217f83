/**
 * Tables that are printed here: rows of virtual kinds, whose CRD cannot say what the native kind prints, and rows of
 * objects that stand without being stored.
 */
import { metadataOf, nameOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { humanDuration } from '../lib/human-duration.ts';
import type { Call, Host } from './call.ts';

/** How a kind is printed. */
interface Printer {
  readonly columns: readonly JsonObject[];
  cells(object: JsonObject, nowMs: number): JsonValue[];
}

/** A Table in tenant terms, its rows with their whole objects, printed anew where the kind is virtual. In place. */
export function printed(call: Call, host: Host, table: JsonObject): JsonObject {
  const printer = virtualPrinter(call, host);
  if (printer === undefined) return table;
  // Only the first event of a watch has columns.
  const { columnDefinitions, rows } = table;
  if (Array.isArray(columnDefinitions) && columnDefinitions.length > 0)
    table['columnDefinitions'] = [...printer.columns];
  for (const row of Array.isArray(rows) ? rows : []) {
    if (isObject(row) && isObject(row['object'])) row['cells'] = printer.cells(row['object'], Date.now());
  }
  return table;
}

/** A Table of these objects alone, with whole objects in its rows. */
export function tableOf(call: Call, host: Host, objects: readonly JsonObject[]): JsonObject {
  const { as } = call.accept;
  const printer = virtualPrinter(call, host) ?? NAMESPACES;
  return {
    kind: 'Table',
    apiVersion: `${as?.group ?? 'meta.k8s.io'}/${as?.version ?? 'v1'}`,
    metadata: { resourceVersion: '1' },
    columnDefinitions: [...printer.columns],
    rows: rowsOf(call, host, objects),
  };
}

/** Rows with whole objects. */
export function rowsOf(call: Call, host: Host, objects: readonly JsonObject[]): JsonObject[] {
  const printer = virtualPrinter(call, host) ?? NAMESPACES;
  return objects.map((object) => ({ cells: printer.cells(object, Date.now()), object }));
}

function virtualPrinter(call: Call, host: Host): Printer | undefined {
  return call.at.class === 'virtual' ? host.virtual(call.info.group, call.info.resource) : undefined;
}

function column(name: string, format: string): JsonObject {
  return { name, type: 'string', format, description: '', priority: 0 };
}

/** The only native kind of which objects stand without being stored. */
const NAMESPACES: Printer = {
  columns: [column('Name', 'name'), column('Status', ''), column('Age', '')],
  cells(object, nowMs) {
    const created = String(metadataOf(object)['creationTimestamp']);
    return [nameOf(object), 'Active', humanDuration(nowMs - Date.parse(created))];
  },
};
