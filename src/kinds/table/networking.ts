/**
 * networking.k8s.io and discovery.k8s.io: who talks to whom.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/service-resources/
 */
import type { Kind } from '../kind.ts';
import { INGRESS_CLASSES, NODES, nameRef, namespaceSelectorRef, objectRef, specialRef } from '../refs.ts';
import { mixed, native, OPEN, TRUSTED_ONLY, virtual } from '../row.ts';

const GROUP = 'networking.k8s.io';
const ADDRESSES =
  'the host’s address plan, which names every namespace with a service: a tenant’s own is stored and shown only';

export const NETWORKING: readonly Kind[] = [
  native({
    group: GROUP,
    resource: 'networkpolicies',
    kind: 'NetworkPolicy',
    reason: 'guards pods of its own namespace',
    // Upstream `namespaceSelector: {}` means every tenant; the translation narrows it to this one.
    refs: [
      namespaceSelectorRef('spec.ingress[].from[].namespaceSelector'),
      namespaceSelectorRef('spec.egress[].to[].namespaceSelector'),
    ],
  }),
  native({
    group: GROUP,
    resource: 'ingresses',
    kind: 'Ingress',
    reason: 'the host’s ingress controllers serve it; which classes is the policy’s to say',
    refs: [
      specialRef('metadata.annotations', 'ingressAnnotations'),
      nameRef('spec.ingressClassName', INGRESS_CLASSES),
      objectRef('spec.defaultBackend.resource'),
      objectRef('spec.rules[].http.paths[].backend.resource'),
    ],
    classByDefault: {
      field: 'ingressClassName',
      of: INGRESS_CLASSES,
      unlessAnnotated: 'kubernetes.io/ingress.class',
    },
    subresources: { status: OPEN },
    columns: { class: { cell: 'name', of: INGRESS_CLASSES } },
  }),
  mixed(
    {
      group: GROUP,
      resource: 'ingressclasses',
      kind: 'IngressClass',
      chosen: true,
      defaultMark: { annotations: ['ingressclass.kubernetes.io/is-default-class'] },
      reason: 'names a controller of the host; a default mark of a tenant would act on everybody',
      shows: ['spec.controller'],
      refs: [specialRef('metadata.annotations{key}', 'defaultAnnotation'), objectRef('spec.parameters')],
      columns: { parameters: { cell: 'kindGroupName' } },
    },
    ['parameters'],
  ),
  virtual({
    group: GROUP,
    resource: 'ipaddresses',
    kind: 'IPAddress',
    classes: TRUSTED_ONLY,
    reason: ADDRESSES,
    generation: 'none',
  }),
  virtual({
    group: GROUP,
    resource: 'servicecidrs',
    kind: 'ServiceCIDR',
    classes: TRUSTED_ONLY,
    reason: ADDRESSES,
    generation: 'none',
    filled: { status: {} },
    subresources: { status: OPEN },
  }),
  native({
    group: 'discovery.k8s.io',
    resource: 'endpointslices',
    kind: 'EndpointSlice',
    reason: 'belongs to a service of the same namespace; foreign addresses in it are the policy’s to refuse',
    refs: [
      objectRef('endpoints[].targetRef'),
      nameRef('endpoints[].nodeName', NODES),
      nameRef('endpoints[].hints.forNodes[].name', NODES),
    ],
  }),
];
