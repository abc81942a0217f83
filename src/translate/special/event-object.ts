/**
 * What an Event is about. The server wants it in the event's own namespace, or, for a cluster-scoped object that has
 * none, the event in `default`; upstream that is `acme--default`, for which there is no exception. So the namespace is
 * put in on the way up and marked; the mark takes it out again.
 *
 * @see kubernetes pkg/apis/core/validation/events.go (legacyValidateEvent) at v1.36
 */

import { isObject, type JsonValue } from '../../k8s/types.ts';
import type { TenantName } from '../../tenancy/names.ts';
import { OWN_PREFIX } from '../../tenancy/names.ts';
import { objectReferenceDown, objectReferenceUp } from '../targets/object-reference.ts';
import type { Walk } from '../walk.ts';

/** Hidden annotation of an Event about an object without a namespace. */
const EVENT_MARK = `${OWN_PREFIX}event-about-cluster-object`;
const DEFAULT = 'default' as TenantName;

export function eventObjectUp(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  objectReferenceUp(value, walk);
  const metadata = walk.root['metadata'];
  const namespace = value['namespace'];
  if (walk.shape !== 'whole' || !isObject(metadata) || (namespace !== undefined && namespace !== '')) return value;
  if (metadata['namespace'] === DEFAULT) {
    value['namespace'] = walk.scope.names.up(DEFAULT);
    walk.marks.set(EVENT_MARK, namespace === undefined ? 'absent' : 'empty');
  }
  return value;
}

export function eventObjectDown(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  const mark = walk.marks.get(EVENT_MARK);
  if (mark === 'absent') delete value['namespace'];
  else if (mark === 'empty') value['namespace'] = '';
  return objectReferenceDown(value, walk);
}
