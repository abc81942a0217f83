/**
 * Core group: configuration, accounts, limits, events.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/
 */
import { COUNTS_WITH_HIDDEN } from '../hidden-counts.ts';
import type { Kind } from '../kind.ts';
import { amountRefs, messageRef, objectRef, specialRef } from '../refs.ts';
import { native, OPEN } from '../row.ts';

const OWN = 'lives in the tenant’s namespace and means nothing outside it';

export const CORE_CONFIG: readonly Kind[] = [
  native({ group: '', resource: 'configmaps', kind: 'ConfigMap', reason: OWN, naming: { is: 'rootCa' } }),
  native({ group: '', resource: 'secrets', kind: 'Secret', reason: OWN }),
  native({
    group: '',
    resource: 'serviceaccounts',
    kind: 'ServiceAccount',
    reason: 'an account in the tenant’s namespace, without any right on the host',
    refs: [objectRef('secrets[]')],
    subresources: {
      token: {
        verbs: ['create'],
        group: 'authentication.k8s.io',
        kind: 'TokenRequest',
        // The bound object is always in the account's own namespace; it has no namespace of its own to map.
        refs: [specialRef('spec.audiences', 'tokenAudiences'), specialRef('status.audiences', 'tokenAudiences')],
      },
    },
  }),
  native({
    group: '',
    resource: 'limitranges',
    kind: 'LimitRange',
    reason: OWN,
    refs: amountRefs(
      ...['default', 'defaultRequest', 'max', 'maxLimitRequestRatio', 'min'].map((field) => `spec.limits[].${field}`),
    ),
  }),
  native({
    group: '',
    resource: 'resourcequotas',
    kind: 'ResourceQuota',
    reason: 'the host’s controller counts the tenant’s namespace',
    // `count/foos.stable.example.com`: the group stands in a map key.
    refs: [
      ...['spec.hard', 'status.hard', 'status.used'].flatMap((amounts) => [
        specialRef(`${amounts}{key}`, 'quotaKey'),
        ...COUNTS_WITH_HIDDEN.map((name) => specialRef(`${amounts}.${name}`, 'quotaCount')),
      ]),
      specialRef('spec.scopeSelector.matchExpressions[]', 'quotaScope'),
    ],
    subresources: { status: OPEN },
    columns: { request: { cell: 'quota' }, limit: { cell: 'quota' } },
  }),
  native({
    group: '',
    resource: 'events',
    kind: 'Event',
    reason: 'written by the host’s controllers into the namespace of what they speak of',
    // An event must lie in the namespace it names, so one about a cluster-scoped object needs a namespace upstream.
    refs: [specialRef('involvedObject', 'eventObject'), objectRef('related'), messageRef('message')],
    fieldSelectors: {
      'involvedObject.namespace': { is: 'namespace' },
      'involvedObject.name': { is: 'special', name: 'eventObjectName' },
      'involvedObject.apiVersion': { is: 'apiVersion' },
    },
    columns: { object: { cell: 'kindName' }, message: { cell: 'message' } },
  }),
  native({
    group: 'events.k8s.io',
    resource: 'events',
    kind: 'Event',
    reason: 'the same objects as core events, in the newer shape',
    refs: [specialRef('regarding', 'eventObject'), objectRef('related'), messageRef('note')],
    fieldSelectors: {
      'regarding.namespace': { is: 'namespace' },
      'regarding.name': { is: 'special', name: 'eventObjectName' },
      'regarding.apiVersion': { is: 'apiVersion' },
      'involvedObject.namespace': { is: 'namespace' },
      'involvedObject.name': { is: 'special', name: 'eventObjectName' },
      'involvedObject.apiVersion': { is: 'apiVersion' },
    },
    columns: { object: { cell: 'kindName' }, message: { cell: 'message' } },
  }),
];
