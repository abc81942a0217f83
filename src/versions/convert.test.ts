import { expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { convertedTo, groupsServing } from './convert.ts';

const V1: JsonObject = {
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web' },
  spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web' }, targetCPUUtilizationPercentage: 50 },
  status: { currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 44 },
};

it('what an old controller has measured is told without its annotation', () => {
  const { status } = convertedTo(V1, 'autoscaling/v2') ?? {};
  expect(status).toEqual({
    currentReplicas: 1,
    desiredReplicas: 2,
    currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 44 } } }],
  });
});

it('annotations that say nothing change nothing', () => {
  const annotations = (behavior: string, metrics: string) => ({
    'autoscaling.alpha.kubernetes.io/behavior': behavior,
    'autoscaling.alpha.kubernetes.io/metrics': metrics,
  });
  const plain = convertedTo(V1, 'autoscaling/v2');
  for (const [behavior, metrics] of [
    ['{}', '[]'],
    ['null', '{}'],
    ['[1', '[1]'],
    ['"x"', 'null'],
  ] as const) {
    const object = { ...V1, metadata: { name: 'web', annotations: annotations(behavior, metrics) } };
    expect(convertedTo(object, 'autoscaling/v2')).toEqual(plain);
  }
});

it('what is of that version already, and what nobody can convert, is told apart', () => {
  expect(convertedTo(V1, 'autoscaling/v1')).toBe(V1);
  expect(convertedTo(V1, 'autoscaling/v3')).toBeUndefined();
  expect(convertedTo({ apiVersion: 'v1', kind: 'Pod' }, 'v2')).toBeUndefined();
});

it('Events are in two groups, and nothing else is', () => {
  expect(groupsServing('', 'events')).toEqual(['', 'events.k8s.io']);
  expect(groupsServing('events.k8s.io', 'events')).toEqual(['', 'events.k8s.io']);
  expect(groupsServing('example.com', 'events')).toEqual(['example.com']);
  expect(groupsServing('', 'pods')).toEqual(['']);
});
