/**
 * What marks a class of the tenant's own as the default. On the host it would be everybody's default, so it is kept there
 * in a form that the host does not read: an annotation under a name of the proxy's, or beside a field that says no.
 *
 *   storageclass.kubernetes.io/is-default-class   <->  storageclass.kubeveil.dev/is-default-class
 *   globalDefault: true                           <->  globalDefault: false, and a hidden annotation
 */
import { isPartial } from '../../k8s/shapes.ts';
import type { JsonValue } from '../../k8s/types.ts';
import { OWN_PREFIX } from '../../tenancy/names.ts';
import type { Walk } from '../walk.ts';

const HOSTS = '.kubernetes.io/';
const KEPT = `.${OWN_PREFIX}`;

/** The key of an annotation. */
export function defaultAnnotationUp(key: JsonValue, walk: Walk): JsonValue {
  return typeof key === 'string' && isMark(key, walk) ? keptMark(key) : key;
}

/** The annotation that stands upstream for one that makes a class the default. */
export function keptMark(annotation: string): string {
  return annotation.replace(HOSTS, KEPT);
}

export function defaultAnnotationDown(key: JsonValue, walk: Walk): JsonValue {
  const mark = typeof key === 'string' ? key.replace(KEPT, HOSTS) : '';
  return isMark(mark, walk) ? mark : key;
}

function isMark(key: string, { at }: Walk): boolean {
  const mark = at.kind.defaultMark;
  return mark !== undefined && 'annotations' in mark && mark.annotations.includes(key);
}

/** Hidden annotation of a PriorityClass that is the tenant's global default. */
export const GLOBAL_DEFAULT = `${OWN_PREFIX}global-default`;

export function globalDefaultUp(value: JsonValue, walk: Walk): JsonValue {
  // An operation of a JSON patch has no object around it.
  if (walk.shape !== 'whole' || Object.keys(walk.root).length === 0) walk.needsLive('a mark that is kept elsewhere');
  if (value !== true) return value;
  walk.marks.set(GLOBAL_DEFAULT, 'true');
  return false;
}

/** Absent on the host where it is false: the mark is put back with the metadata, see below. */
export function globalDefaultDown(value: JsonValue): JsonValue {
  return value;
}

export function globalDefaultMarkUp(metadata: JsonValue): JsonValue {
  return metadata;
}

export function globalDefaultMarkDown(metadata: JsonValue, walk: Walk): JsonValue {
  if (!walk.marks.has(GLOBAL_DEFAULT)) return metadata;
  if (!isPartial(walk.root)) walk.root['globalDefault'] = true;
  // For the cell of a Table that prints it.
  walk.seen.set(GLOBAL_DEFAULT, 'true');
  return metadata;
}
