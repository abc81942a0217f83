/**
 * HorizontalPodAutoscalers in `autoscaling/v1` and `v2`. What only v2 has fields for, v1 keeps as JSON in annotations.
 * @see kubernetes pkg/apis/autoscaling/v1/conversion.go, annotations.go at v1.36
 */
import { parseJson, stringifyJson } from '../codec/json.ts';
import { child, objects } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { behaviorFromAnnotation, behaviorToAnnotation } from './autoscaler-behavior.ts';
import { metricSpecToV1, metricSpecToV2, metricStatusToV1, metricStatusToV2 } from './autoscaler-metrics.ts';

const ANNOTATION = 'autoscaling.alpha.kubernetes.io/';
const METRICS = `${ANNOTATION}metrics`;
const CURRENT_METRICS = `${ANNOTATION}current-metrics`;
const CONDITIONS = `${ANNOTATION}conditions`;
const BEHAVIOR = `${ANNOTATION}behavior`;
/** Of versions before, dropped with the others. */
const TOLERANCES = [`${ANNOTATION}scale-down-tolerance`, `${ANNOTATION}scale-up-tolerance`];
const KEPT_IN = new Set([METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR, ...TOLERANCES]);

/** In percent, of an autoscaler that says nothing else. */
const DEFAULT_UTILIZATION = 80;

export function autoscalerToV1(autoscaler: JsonObject): JsonObject {
  const { metrics: _metrics, behavior, ...spec } = child(autoscaler, 'spec');
  const { currentMetrics: _current, conditions: _conditions, ...status } = child(autoscaler, 'status');
  const metrics = objects(child(autoscaler, 'spec'), 'metrics');
  const current = objects(child(autoscaler, 'status'), 'currentMetrics');
  const conditions = objects(child(autoscaler, 'status'), 'conditions');
  const others = metrics.filter((metric) => utilizationOf(metric, 'target') === undefined);
  const target = metrics.map((metric) => utilizationOf(metric, 'target')).find((one) => one !== undefined);
  const used = current.map((metric) => utilizationOf(metric, 'current')).findLast((one) => one !== undefined);
  const annotations = new Map<string, JsonValue>();
  if (others.length > 0) annotations.set(METRICS, others.map(metricSpecToV1));
  if (current.length > 0) annotations.set(CURRENT_METRICS, current.map(metricStatusToV1));
  if (isObject(behavior)) annotations.set(BEHAVIOR, behaviorToAnnotation(behavior));
  if (conditions.length > 0) annotations.set(CONDITIONS, conditions.map(conditionOf));
  const kept = [...annotations].map(([name, value]) => [name, goJson(value)] as const);
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: withAnnotations(autoscaler, Object.fromEntries(kept)),
    spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
    status: {
      currentReplicas: 0,
      desiredReplicas: 0,
      ...status,
      ...(used === undefined ? {} : { currentCPUUtilizationPercentage: used }),
    },
  };
}

export function autoscalerToV2(autoscaler: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = child(autoscaler, 'spec');
  const { currentCPUUtilizationPercentage: used, currentReplicas = 0, ...status } = child(autoscaler, 'status');
  const annotations = child(child(autoscaler, 'metadata'), 'annotations');
  const others = listIn(annotations[METRICS])?.map(metricSpecToV2) ?? [];
  const metrics = [...others, ...(isSet(target) ? [cpuTarget(target)] : [])];
  const measured = isSet(used) ? [cpuMeasured(used)] : null;
  const behavior = behaviorFromAnnotation(parsed(annotations[BEHAVIOR]));
  const conditions = listIn(annotations[CONDITIONS])?.map(conditionOf) ?? [];
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: withAnnotations(autoscaler, {}),
    spec: {
      ...spec,
      metrics: metrics.length === 0 ? [cpuTarget(DEFAULT_UTILIZATION)] : metrics,
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: {
      desiredReplicas: 0,
      ...status,
      ...(currentReplicas === 0 ? {} : { currentReplicas }),
      currentMetrics: listIn(annotations[CURRENT_METRICS])?.map(metricStatusToV2) ?? measured,
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
}

function isSet(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null;
}

/** Of the CPU, in percent; undefined for another metric. */
function utilizationOf(metric: JsonObject, field: 'target' | 'current'): JsonValue | undefined {
  const resource = child(metric, 'resource');
  if (metric['type'] !== 'Resource' || resource['name'] !== 'cpu') return undefined;
  return child(resource, field)['averageUtilization'] ?? undefined;
}

function cpuTarget(averageUtilization: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function cpuMeasured(averageUtilization: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } };
}

/** The fields in Go's order, which is that of the annotation. */
function conditionOf({ type = '', status = '', lastTransitionTime = null, reason, message }: JsonObject): JsonObject {
  return {
    type,
    status,
    lastTransitionTime,
    ...(isSet(reason) && reason !== '' ? { reason } : {}),
    ...(isSet(message) && message !== '' ? { message } : {}),
  };
}

/** The metadata with these annotations in place of all that conversion keeps. */
function withAnnotations(autoscaler: JsonObject, kept: JsonObject): JsonObject {
  const { annotations, ...metadata } = child(autoscaler, 'metadata');
  const others = Object.entries(isObject(annotations) ? annotations : {}).filter(([name]) => !KEPT_IN.has(name));
  const all = { ...Object.fromEntries(others), ...kept };
  return Object.keys(all).length === 0 ? metadata : { ...metadata, annotations: all };
}

/** What is in an annotation; undefined for what is no JSON. */
function parsed(text: JsonValue | undefined): JsonValue | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function listIn(text: JsonValue | undefined): JsonObject[] | undefined {
  const list = parsed(text);
  return Array.isArray(list) && list.every(isObject) ? list : undefined;
}

/** As Go writes it: without the characters that mean something in HTML. */
function goJson(value: JsonValue): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return stringifyJson(value).replaceAll(/[<>&\u2028\u2029]/g, escaped);
}
