/**
 * Objects of Kubernetes' own kinds in another version of their kind, as the API server converts them. Two kinds are served
 * in two shapes: HorizontalPodAutoscalers in `autoscaling/v1` and `v2`, Events in `v1` and `events.k8s.io/v1`.
 */
import type { JsonObject } from '../k8s/types.ts';
import { autoscalerToV1, autoscalerToV2 } from './autoscaler.ts';
import { eventToCore, eventToEvents } from './event.ts';

const CONVERSIONS: ReadonlyMap<string, (object: JsonObject) => JsonObject> = new Map([
  ['autoscaling/v1 HorizontalPodAutoscaler autoscaling/v2', autoscalerToV2],
  ['autoscaling/v2 HorizontalPodAutoscaler autoscaling/v1', autoscalerToV1],
  ['v1 Event events.k8s.io/v1', eventToEvents],
  ['events.k8s.io/v1 Event v1', eventToCore],
]);

/** @returns a new object; the given one where it is of that version; undefined where no conversion is known */
export function convertedTo(object: JsonObject, apiVersion: string): JsonObject | undefined {
  if (object['apiVersion'] === apiVersion) return object;
  return CONVERSIONS.get(`${object['apiVersion']} ${object['kind']} ${apiVersion}`)?.(object);
}

/** Of which the objects are the same in both, in the order in which the API server registers them. */
const GROUPS_OF_EVENTS = ['', 'events.k8s.io'] as const;

/** The groups in which the objects of a resource are served. */
export function groupsServing(group: string, resource: string): readonly string[] {
  return resource === 'events' && GROUPS_OF_EVENTS.some((one) => one === group) ? GROUPS_OF_EVENTS : [group];
}
