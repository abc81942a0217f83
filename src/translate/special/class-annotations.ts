/**
 * Annotations that choose a class as a field does: the ones before the field came, which the host still reads.
 *
 * @see k8s.io/api core/v1/annotation_key_constants.go (BetaStorageClassAnnotation), networking/v1 at v0.36
 */
import { isObject, type JsonValue } from '../../k8s/types.ts';
import { INGRESS_CLASSES } from '../../kinds/refs.ts';
import { nameTargetDown, nameUp } from '../targets/name.ts';
import type { Walk } from '../walk.ts';
import { claimClassUp, storageClassDown, volumeClassUp } from './storage-class.ts';
import { templateMetadataDown, templateMetadataUp } from './template-metadata.ts';

const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const INGRESS_CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

type Map = (value: JsonValue, walk: Walk) => JsonValue;

/** Maps the value of one annotation. */
function mapping(annotation: string, map: Map): Map {
  return (annotations, walk) => {
    if (isObject(annotations) && typeof annotations[annotation] === 'string')
      annotations[annotation] = map(annotations[annotation], walk);
    return annotations;
  };
}

export const claimAnnotationsUp: Map = mapping(STORAGE_CLASS_ANNOTATION, claimClassUp);
export const volumeAnnotationsUp: Map = mapping(STORAGE_CLASS_ANNOTATION, volumeClassUp);
export const storageAnnotationsDown: Map = mapping(STORAGE_CLASS_ANNOTATION, storageClassDown);
export const ingressAnnotationsUp: Map = mapping(INGRESS_CLASS_ANNOTATION, (value, walk) =>
  nameUp(value, INGRESS_CLASSES, walk),
);
export const ingressAnnotationsDown: Map = mapping(INGRESS_CLASS_ANNOTATION, (value, { scope }) =>
  nameTargetDown(value, INGRESS_CLASSES, scope),
);

/** Metadata of a template of claims. */
export function claimTemplateMetadataUp(value: JsonValue, walk: Walk): JsonValue {
  if (isObject(value)) claimAnnotationsUp(value['annotations'] ?? null, walk);
  return templateMetadataUp(value, walk);
}

export function claimTemplateMetadataDown(value: JsonValue, walk: Walk): JsonValue {
  if (isObject(value)) storageAnnotationsDown(value['annotations'] ?? null, walk);
  return templateMetadataDown(value, walk);
}
