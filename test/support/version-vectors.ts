/** Objects of the kinds that Kubernetes serves in two shapes, in either shape, with every field that differs. */
import type { JsonObject } from '../../src/k8s/types.ts';

export interface Versioned {
  readonly title: string;
  /** Where objects of its apiVersion are, below the namespace, and of the other one. */
  readonly at: string;
  readonly other: string;
  readonly object: JsonObject;
  /** Set by an update of the subresource. */
  readonly status?: JsonObject;
}

const V1 = '/apis/autoscaling/v1/namespaces/NS/horizontalpodautoscalers';
const V2 = '/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers';
const CORE = '/api/v1/namespaces/NS/events';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/NS/events';

const scaled = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const bounds = { scaleTargetRef: scaled, maxReplicas: 5 };
const metric = { name: 'queue', selector: { matchLabels: { a: 'b' } } };
const described = { kind: 'Service', name: 'main', apiVersion: 'v1' };

function autoscaler(version: 'v1' | 'v2', name: string, spec: JsonObject, annotations: JsonObject = {}): JsonObject {
  return {
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, annotations },
    spec: { ...bounds, ...spec },
  };
}

const METRICS = [
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } } },
  {
    type: 'ContainerResource',
    containerResource: { name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 60 } },
  },
  { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '1500m' } } },
  { type: 'Object', object: { metric, describedObject: described, target: { type: 'Value', value: '10k' } } },
  {
    type: 'Object',
    object: { metric: { name: 'x' }, describedObject: described, target: { type: 'AverageValue', averageValue: '3' } },
  },
  { type: 'External', external: { metric, target: { type: 'AverageValue', averageValue: '30' } } },
  { type: 'External', external: { metric: { name: 'y' }, target: { type: 'Value', value: '1' } } },
  // The last: v1 does not say where among the others it was.
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
];

const MEASURED = {
  currentReplicas: 2,
  desiredReplicas: 3,
  observedGeneration: 1,
  lastScaleTime: '2026-01-02T03:04:05Z',
  currentMetrics: [
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 42, averageValue: '10m' } } },
    { type: 'Resource', resource: { name: 'memory', current: { averageValue: '90Mi' } } },
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', container: 'c', current: { averageUtilization: 1, averageValue: '1m' } },
    },
    { type: 'Pods', pods: { metric, current: { averageValue: '7' } } },
    { type: 'Object', object: { metric, describedObject: described, current: { value: '8', averageValue: '9' } } },
    { type: 'External', external: { metric, current: { value: '5' } } },
  ],
  conditions: [
    {
      type: 'AbleToScale',
      status: 'True',
      lastTransitionTime: '2026-01-02T03:04:05Z',
      reason: 'Ready',
      message: 'a < b && c > d',
    },
    { type: 'ScalingActive', status: 'False', lastTransitionTime: null },
  ],
};

const BEHAVIOR = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Min',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 30 },
    ],
    tolerance: '50m',
  },
  scaleDown: { policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }] },
};

const PODS = { Type: 'Pods', Value: 1, PeriodSeconds: 15 };

const about = (involved: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', ...involved });

export const AUTOSCALERS: readonly Versioned[] = [
  { title: 'an autoscaler of v1', at: V1, other: V2, object: autoscaler('v1', 'v1-bare', {}) },
  {
    title: 'an autoscaler of v1 by the CPU',
    at: V1,
    other: V2,
    object: autoscaler('v1', 'v1-cpu', { minReplicas: 2, targetCPUUtilizationPercentage: 55 }, { mine: 'kept' }),
    status: { currentReplicas: 1, desiredReplicas: 2 },
  },
  {
    title: 'an autoscaler of v1 with annotations',
    at: V1,
    other: V2,
    object: autoscaler(
      'v1',
      'v1-kept',
      { targetCPUUtilizationPercentage: 55 },
      {
        'autoscaling.alpha.kubernetes.io/metrics':
          '[{"type":"Pods","pods":{"metricName":"queue","targetAverageValue":"5"}}]',
        // Whole: what is left out of it has defaults in v2 alone.
        'autoscaling.alpha.kubernetes.io/behavior': JSON.stringify({
          ScaleUp: { StabilizationWindowSeconds: 9, SelectPolicy: 'Max', Policies: [PODS] },
          ScaleDown: { StabilizationWindowSeconds: 8, SelectPolicy: 'Disabled', Policies: [PODS] },
        }),
      },
    ),
  },
  {
    title: 'an autoscaler of v1 with annotations that are no JSON',
    at: V1,
    other: V2,
    object: autoscaler('v1', 'v1-odd', {}, { 'autoscaling.alpha.kubernetes.io/metrics': 'x', mine: 'kept' }),
  },
  { title: 'an autoscaler of v2', at: V2, other: V1, object: autoscaler('v2', 'v2-bare', {}) },
  {
    title: 'an autoscaler of v2 with everything',
    at: V2,
    other: V1,
    object: autoscaler('v2', 'v2-all', { minReplicas: 2, metrics: METRICS, behavior: BEHAVIOR }, { mine: 'kept' }),
    status: MEASURED,
  },
  {
    title: 'an autoscaler of v2 that scales in one direction',
    at: V2,
    other: V1,
    object: autoscaler('v2', 'v2-down', { behavior: { scaleDown: { selectPolicy: 'Disabled' } } }),
  },
];

/** @param namespace that the events are in */
export function eventsIn(namespace: string): readonly Versioned[] {
  const involved = about({ namespace });
  const times = { firstTimestamp: '2026-01-02T03:04:05Z', lastTimestamp: '2026-01-02T03:04:06Z' };
  const core = (name: string, fields: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name },
    involvedObject: involved,
    ...fields,
  });
  const series = { count: 3, lastObservedTime: '2026-01-02T03:04:05.000006Z' };
  return [
    { title: 'an event', at: CORE, other: EVENTS, object: core('core-bare', {}) },
    {
      title: 'an event with everything',
      at: CORE,
      other: EVENTS,
      object: core('core-all', {
        ...times,
        reason: 'Started',
        message: 'it started',
        source: { component: 'kubelet', host: 'n1' },
        count: 2,
        type: 'Normal',
        eventTime: '2026-01-02T03:04:05.000006Z',
        series,
        action: 'Start',
        related: about({ name: 'q' }),
        reportingComponent: 'example.com/me',
        reportingInstance: 'me-1',
      }),
    },
    {
      title: 'an event of events.k8s.io',
      at: EVENTS,
      other: CORE,
      object: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'events-all' },
        regarding: involved,
        reason: 'Started',
        note: 'it started',
        type: 'Warning',
        action: 'Start',
        eventTime: '2026-01-02T03:04:05.000006Z',
        series,
        reportingController: 'example.com/me',
        reportingInstance: 'me-1',
      },
    },
  ];
}
