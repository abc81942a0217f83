/**
 * What pods and nodes use, as the host's aggregated metrics API tells it, where it has one; and what its adapter tells of
 * objects by metrics that it names itself. Measured anew for each question and stored nowhere: no revisions, no watches.
 *
 * `external.metrics.k8s.io` has no row: its values are of no object, so nothing says whose they are.
 *
 * @see https://kubernetes.io/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/
 * @see k8s.io/metrics pkg/apis/metrics/v1beta1/types.go and pkg/apis/custom_metrics/v1beta2/types.go at v0.36
 */
import { ANY_RESOURCE, type Kind, type Verb } from '../kind.ts';
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
  native({
    group: 'custom.metrics.k8s.io',
    resource: ANY_RESOURCE,
    kind: 'MetricValueList',
    reason: 'what the host’s adapter measures of the tenant’s own objects and namespaces, one metric at a time',
    verbs: ['get'],
    measured: true,
    byMetric: ['v1beta1', 'v1beta2'],
  }),
];
