/** Columns that most kinds print alike. */
import { metadataOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { humanDuration } from '../lib/human-duration.ts';

export const NAME: JsonObject = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
};
export const CREATED =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

export function column(name: string, description: string, priority = 0, type = 'string'): JsonObject {
  return { name, type, format: '', description, priority };
}

/** The column of {@link age}. */
export const AGE: JsonObject = column('Age', CREATED);

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
