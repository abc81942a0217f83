/**
 * batch, autoscaling, policy: what acts on pods and on their controllers.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/
 */
import type { Kind } from '../kind.ts';
import { conditionRefs, objectRef, podTemplateRefs, specialRef, templateMetadataRef } from '../refs.ts';
import { native, OPEN } from '../row.ts';

const REASON = 'the host’s controller works in the same namespace only';

export const BATCH: readonly Kind[] = [
  native({
    group: 'batch',
    resource: 'jobs',
    kind: 'Job',
    reason: REASON,
    refs: [...podTemplateRefs('spec.template'), ...conditionRefs()],
    subresources: { status: OPEN },
  }),
  native({
    group: 'batch',
    resource: 'cronjobs',
    kind: 'CronJob',
    reason: REASON,
    refs: [
      templateMetadataRef('spec.jobTemplate.metadata'),
      ...podTemplateRefs('spec.jobTemplate.spec.template'),
      objectRef('status.active[]'),
    ],
    subresources: { status: OPEN },
  }),
  native({
    group: 'autoscaling',
    resource: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    reason: REASON,
    refs: [
      objectRef('spec.scaleTargetRef'),
      objectRef('spec.metrics[].object.describedObject'),
      objectRef('status.currentMetrics[].object.describedObject'),
      ...conditionRefs(),
      // autoscaling/v1 keeps metrics and conditions as JSON in annotations.
      specialRef('metadata.annotations', 'autoscalerAnnotations'),
    ],
    subresources: { status: OPEN },
  }),
  native({
    group: 'policy',
    resource: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    reason: REASON,
    refs: conditionRefs(),
    subresources: { status: OPEN },
  }),
];
