/**
 * What is the proxy's own in `metadata`: labels, annotations and finalizers below `kubeveil.dev/`. Tenants neither see
 * nor write them.
 */
import { type FieldFault, forbiddenField } from '../k8s/field-problems.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { OWN_PREFIX } from '../tenancy/names.ts';

/** Calls `refuse`, which must throw, for the first key or finalizer of ours in what a tenant writes. */
export function refuseOwnKeys(metadata: JsonObject, refuse: (fault: FieldFault, below: string) => never): void {
  for (const field of ['labels', 'annotations'] as const) {
    const map = metadata[field];
    const own = isObject(map) ? Object.keys(map).find((key) => isOwn(key)) : undefined;
    if (own !== undefined) refuse(reserved(field), `.${field}[${own}]`);
  }
  for (const field of ['finalizers', '$deleteFromPrimitiveList/finalizers', '$setElementOrder/finalizers']) {
    const list = metadata[field];
    if (!Array.isArray(list) || !list.some((finalizer) => isOwn(finalizer))) continue;
    refuse(reserved('finalizers'), '.finalizers');
  }
}

/** Takes out what is ours; a map or list that held nothing else goes too. Returns the annotations that were taken. */
export function dropOwnKeys(metadata: JsonObject): Map<string, string> {
  const annotations = new Map<string, string>();
  for (const field of ['labels', 'annotations'] as const) {
    const map = metadata[field];
    if (!isObject(map)) continue;
    const own = Object.keys(map).filter((key) => isOwn(key));
    if (own.length === 0) continue;
    for (const key of own) {
      const value = map[key];
      if (field === 'annotations' && typeof value === 'string') annotations.set(key, value);
      delete map[key];
    }
    if (Object.keys(map).length === 0) delete metadata[field];
  }
  const { finalizers } = metadata;
  if (Array.isArray(finalizers)) {
    const kept = finalizers.filter((finalizer) => !isOwn(finalizer));
    if (kept.length === 0 && finalizers.length > 0) delete metadata['finalizers'];
    else if (kept.length < finalizers.length) metadata['finalizers'] = kept;
  }
  return annotations;
}

export function isOwn(key: unknown): boolean {
  return typeof key === 'string' && key.startsWith(OWN_PREFIX);
}

function reserved(what: string): FieldFault {
  return (field) => forbiddenField(field, `${what} below ${OWN_PREFIX} are reserved`);
}
