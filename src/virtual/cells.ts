/**
 * What tables of virtual kinds print of an object. The columns are data (`table-columns.generated.json`); here are the
 * cells below them, in the same order.
 */
import { metadataOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { humanDuration } from '../lib/human-duration.ts';
import type { Printer } from '../ports.ts';

export type Cells = Printer['cells'];

/** By `group/resource`. */
export type CellsByKind = readonly (readonly [string, Cells])[];

/** The time as it is stored. */
export function createdAt(object: JsonObject): string {
  const created = metadataOf(object)['creationTimestamp'];
  return typeof created === 'string' ? created : '<unknown>';
}

/** `5d` */
export function age(object: JsonObject, nowMs: number): string {
  const created = Date.parse(createdAt(object));
  return Number.isNaN(created) ? '<unknown>' : humanDuration(nowMs - created);
}
