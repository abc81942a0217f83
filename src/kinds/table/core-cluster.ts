/**
 * Core group: namespaces, nodes, volumes and services.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/
 */
import type { Kind } from '../kind.ts';
import { conditionRefs, NODES, nameRef, objectRef, specialRef } from '../refs.ts';
import { native, SERVICE_PROXY, TRUSTED_STATUS } from '../row.ts';

export const CORE_CLUSTER: readonly Kind[] = [
  native({
    group: '',
    resource: 'namespaces',
    kind: 'Namespace',
    namespaced: false,
    naming: { is: 'namespace' },
    reason: 'the unit of isolation on the host; written by the provisioner, never by the tenant’s own identity',
    // As upstream: there is no deletecollection.
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    refs: [
      specialRef('metadata.labels', 'namespaceLabels'),
      specialRef('metadata.annotations{key}', 'hostAnnotation'),
      specialRef('status.conditions[]', 'deletionCondition'),
      ...conditionRefs(),
    ],
    subresources: { status: TRUSTED_STATUS, finalize: { verbs: [], trusted: ['update'] } },
    withheld: {
      'status:update': 'conditions of the host’s own controller stand there',
      'status:patch': 'conditions of the host’s own controller stand there',
      'finalize:update':
        'steers how a namespace ends; trusted tenants never drop `kubernetes`, which would leave objects behind',
    },
  }),
  native({
    group: '',
    resource: 'services',
    kind: 'Service',
    reason: 'the host’s network serves it from the tenant’s namespace',
    refs: conditionRefs(),
    subresources: { status: TRUSTED_STATUS, proxy: SERVICE_PROXY },
    withheld: {
      'status:update': 'a forged load-balancer address takes traffic of others (CVE-2020-8554)',
      'status:patch': 'a forged load-balancer address takes traffic of others (CVE-2020-8554)',
    },
  }),
  native({
    group: '',
    resource: 'endpoints',
    kind: 'Endpoints',
    reason: 'belongs to a service of the same namespace',
    refs: ['addresses', 'notReadyAddresses'].flatMap((list) => [
      objectRef(`subsets[].${list}[].targetRef`),
      nameRef(`subsets[].${list}[].nodeName`, NODES),
    ]),
  }),
];
