/**
 * Tables that are printed here: rows of virtual kinds, whose CRD cannot say what the native kind prints, and rows of
 * objects that stand without being stored.
 */
import { objects } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { Printer } from '../ports.ts';
import type { Call, VerbDeps } from './call.ts';

/** A Table in tenant terms, its rows with their whole objects, printed anew where the kind is virtual. In place. */
export function printTable(call: Call, deps: VerbDeps, table: JsonObject): JsonObject {
  if (call.at.class !== 'virtual') return table;
  const printer = printerOf(call, deps);
  // Only the first event of a watch has columns.
  const { columnDefinitions } = table;
  if (Array.isArray(columnDefinitions) && columnDefinitions.length > 0)
    table['columnDefinitions'] = [...printer.columns];
  for (const row of objects(table, 'rows')) {
    if (isObject(row['object'])) row['cells'] = printer.cells(row['object'], Date.now());
  }
  return table;
}

/** A Table of these objects alone, with whole objects in its rows. */
export function makeTable(call: Call, deps: VerbDeps, content: readonly JsonObject[]): JsonObject {
  const { as } = call.accept;
  return {
    kind: 'Table',
    apiVersion: `${as?.group ?? 'meta.k8s.io'}/${as?.version ?? 'v1'}`,
    metadata: { resourceVersion: '1' },
    columnDefinitions: [...printerOf(call, deps).columns],
    rows: makeRows(call, deps, content),
  };
}

/** Rows with whole objects. */
export function makeRows(call: Call, deps: VerbDeps, content: readonly JsonObject[]): JsonObject[] {
  const printer = printerOf(call, deps);
  return content.map((object) => ({ cells: printer.cells(object, Date.now()), object }));
}

/** @throws {Error} for a kind whose Tables are upstream's to print */
function printerOf({ info }: Call, { printers }: VerbDeps): Printer {
  const printer = printers(info.group, info.resource);
  if (printer === undefined) throw new Error(`nothing prints ${info.resource}.${info.group}`);
  return printer;
}
