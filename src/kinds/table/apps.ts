/**
 * apps: controllers of pods.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/
 */
import type { Kind } from '../kind.ts';
import { claimTemplateRefs, conditionRefs, podTemplateRefs } from '../refs.ts';
import { native, OPEN, SCALE } from '../row.ts';

const REASON = 'the host’s controller makes its pods in the same namespace';
const TEMPLATE = podTemplateRefs('spec.template');

export const APPS: readonly Kind[] = [
  native({
    group: 'apps',
    resource: 'deployments',
    kind: 'Deployment',
    reason: REASON,
    refs: [...TEMPLATE, ...conditionRefs()],
    subresources: { status: OPEN, scale: SCALE },
  }),
  native({
    group: 'apps',
    resource: 'replicasets',
    kind: 'ReplicaSet',
    reason: REASON,
    refs: [...TEMPLATE, ...conditionRefs()],
    subresources: { status: OPEN, scale: SCALE },
  }),
  native({
    group: 'apps',
    resource: 'statefulsets',
    kind: 'StatefulSet',
    reason: REASON,
    refs: [...TEMPLATE, ...claimTemplateRefs('spec.volumeClaimTemplates'), ...conditionRefs()],
    subresources: { status: OPEN, scale: SCALE },
  }),
  native({
    group: 'apps',
    resource: 'daemonsets',
    kind: 'DaemonSet',
    reason: REASON,
    refs: [...TEMPLATE, ...conditionRefs()],
    subresources: { status: OPEN },
  }),
  native({
    group: 'apps',
    resource: 'controllerrevisions',
    kind: 'ControllerRevision',
    reason: 'old templates of StatefulSets and DaemonSets, kept by the host’s controllers',
    // `data` is a patch of the owner, in upstream terms because the host's controller wrote it.
    refs: [...podTemplateRefs('data.spec.template'), ...claimTemplateRefs('data.spec.volumeClaimTemplates')],
  }),
];
