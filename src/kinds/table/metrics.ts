/**
 * What pods and nodes use, as the host's aggregated metrics API tells it, where it has one. Measured anew for each
 * question and stored nowhere: no revisions, no watches.
 *
 * @see https://kubernetes.io/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/
 * @see k8s.io/metrics pkg/apis/metrics/v1beta1/types.go at v0.36
 */
import type { Kind, Verb } from '../kind.ts';
import { native, published } from '../row.ts';

const METRICS = 'metrics.k8s.io';
const verbs: readonly Verb[] = ['get', 'list'];

export const MEASURED: readonly Kind[] = [
  native({
    group: METRICS,
    resource: 'pods',
    kind: 'PodMetrics',
    reason: 'what the tenant’s own pods use; there where the host measures it',
    verbs,
    measured: true,
  }),
  published({
    group: METRICS,
    resource: 'nodes',
    kind: 'NodeMetrics',
    reason: 'what the host’s machines use, all tenants together; seen by who sees the machines',
    classes: { trusted: 'published', baseline: 'published', restricted: 'absent' },
    verbs,
    measured: true,
    shows: ['timestamp', 'usage', 'window'],
  }),
];
