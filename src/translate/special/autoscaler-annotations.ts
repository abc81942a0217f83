/**
 * Annotations in which autoscaling/v1 keeps what only v2 has fields for, as JSON: references to objects, and conditions
 * with messages. An annotation is written anew only when something in it is mapped; text that is no JSON stays.
 *
 * @see kubernetes pkg/apis/autoscaling/annotations.go at v1.36
 */
import { JsonSyntaxError, parseJson, stringifyJson } from '../../codec/json.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { messageToTenant } from '../targets/message.ts';
import { objectReferenceDown, objectReferenceUp } from '../targets/object-reference.ts';
import type { Walk } from '../walk.ts';

const ANNOTATIONS = ['metrics', 'current-metrics', 'conditions'].map(
  (name) => `autoscaling.alpha.kubernetes.io/${name}`,
);

export function autoscalerAnnotationsUp(value: JsonValue, walk: Walk): JsonValue {
  return mapItems(value, (item) => mapTarget(item, (target) => objectReferenceUp(target, walk)));
}

export function autoscalerAnnotationsDown(value: JsonValue, walk: Walk): JsonValue {
  return mapItems(value, (item) => {
    mapTarget(item, (target) => objectReferenceDown(target, walk));
    const { message } = item;
    if (typeof message === 'string') item['message'] = messageToTenant(message, walk.scope);
  });
}

function mapTarget(item: JsonObject, map: (target: JsonValue) => JsonValue): void {
  const { object } = item;
  if (isObject(object) && Object.hasOwn(object, 'target')) object['target'] = map(object['target'] ?? null);
}

function mapItems(annotations: JsonValue, map: (item: JsonObject) => void): JsonValue {
  if (!isObject(annotations)) return annotations;
  for (const name of ANNOTATIONS) {
    const text = annotations[name];
    if (typeof text !== 'string') continue;
    const items = parsed(text);
    if (!Array.isArray(items)) continue;
    const before = stringifyJson(items);
    for (const item of items) if (isObject(item)) map(item);
    const after = stringifyJson(items);
    if (after !== before) annotations[name] = after;
  }
  return annotations;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
