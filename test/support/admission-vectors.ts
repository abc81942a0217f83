/** Policies, and requests that meet them, for the comparison of a tenant with the plain API server. */
import type { JsonObject } from '../../src/k8s/types.ts';

/** In which all of it happens, so that nothing else on the host is touched. */
export const NAMESPACE = 'admitted';

export const deployment = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, ...metadata },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...spec,
  },
});

export const match = (resource: string, operations = ['CREATE', 'UPDATE'], group = 'apps'): JsonObject => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } },
  resourceRules: [{ apiGroups: [group], apiVersions: ['v1'], operations, resources: [resource] }],
});

export const policy = (kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}AdmissionPolicy`,
  metadata: { name },
  spec: { failurePolicy: 'Fail', ...spec },
});

export const binding = (kind: string, name: string, policyName: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}AdmissionPolicyBinding`,
  metadata: { name },
  spec: { policyName, ...spec },
});

export const OBJECTS: readonly JsonObject[] = [
  policy('Validating', 'limits', {
    matchConstraints: match('deployments'),
    matchConditions: [
      { name: 'not-free', expression: "!has(object.metadata.labels) || !('free' in object.metadata.labels)" },
    ],
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    variables: [
      { name: 'replicas', expression: 'object.spec.replicas' },
      { name: 'most', expression: 'int(params.data.most)' },
      { name: 'fails', expression: 'object.spec.nope' },
    ],
    validations: [
      {
        expression: 'variables.replicas <= variables.most',
        messageExpression: "'at most ' + string(variables.most) + ' in ' + namespaceObject.metadata.name",
        reason: 'Forbidden',
      },
      { expression: "object.metadata.name != 'plain'" },
      { expression: "object.metadata.name != 'worded'", message: 'not this name' },
      { expression: "object.metadata.name != 'broken' || variables.fails == 1" },
      {
        expression: "object.metadata.name != 'unmessaged'",
        messageExpression: 'string(object.spec.nope)',
        message: 'as written',
      },
      {
        expression:
          "oldObject == null || oldObject.spec.replicas <= object.spec.replicas || object.metadata.name != 'grows'",
      },
      { expression: "authorizer.group('apps').resource('deployments').namespace('x').check('get').allowed()" },
      {
        expression: "object.spec.template.spec.containers.all(c, c.imagePullPolicy != '')",
        message: 'has no defaults',
      },
    ],
  }),
  binding('Validating', 'limits', 'limits', {
    validationActions: ['Deny'],
    paramRef: { name: 'limits', namespace: NAMESPACE, parameterNotFoundAction: 'Deny' },
  }),
  binding('Validating', 'limits-warn', 'limits', {
    validationActions: ['Warn', 'Audit'],
    paramRef: { selector: { matchLabels: { params: 'soft' } }, namespace: NAMESPACE, parameterNotFoundAction: 'Allow' },
  }),
  policy('Mutating', 'marks', {
    reinvocationPolicy: 'Never',
    matchConstraints: match('deployments'),
    matchConditions: [{ name: 'wanted', expression: "object.metadata.name.startsWith('marked')" }],
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression:
            "Object{metadata: Object.metadata{annotations: {'by': request.operation}}, spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'side', image: 'car'}]}}}}",
        },
      },
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression:
            "[JSONPatch{op: 'test', path: '/spec/paused', value: true}, JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('a/b'), value: 'never'}]",
        },
      },
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression:
            "[JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('c/d'), value: string(size(object.spec.template.spec.containers))}]",
        },
      },
    ],
  }),
  binding('Mutating', 'marks', 'marks'),
  policy('Mutating', 'faulty', {
    reinvocationPolicy: 'Never',
    matchConstraints: match('deployments'),
    matchConditions: [
      { name: 'wanted', expression: "has(object.metadata.name) && object.metadata.name.startsWith('faulty')" },
    ],
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression:
            "object.metadata.name == 'faulty-type' ? Object{spec: Object.wrong{replicas: 1}} : Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'x': 'y'}}}}",
        },
      },
    ],
  }),
  binding('Mutating', 'faulty', 'faulty'),
  policy('Validating', 'no-deletes', {
    matchConstraints: match('deployments', ['DELETE']),
    validations: [{ expression: "oldObject.metadata.name != 'kept'", message: 'is kept' }],
  }),
  binding('Validating', 'no-deletes', 'no-deletes', { validationActions: ['Deny'] }),
];

export interface Sent {
  readonly title: string;
  readonly method: string;
  readonly path?: string;
  readonly body?: unknown;
  readonly type?: string;
}

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const DRY = '?dryRun=All';
const manager = '?fieldManager=test';

export const REQUESTS: readonly Sent[] = [
  { title: 'one that is fine', method: 'POST', path: DRY, body: deployment('fine') },
  { title: 'one that only warns', method: 'POST', path: DRY, body: deployment('soft', { replicas: 3 }) },
  { title: 'one with too many', method: 'POST', path: DRY, body: deployment('many', { replicas: 4 }) },
  {
    title: 'one that the conditions leave out',
    method: 'POST',
    path: DRY,
    body: deployment('free', { replicas: 9 }, { labels: { free: '' } }),
  },
  { title: 'one without a message', method: 'POST', path: DRY, body: deployment('plain') },
  { title: 'one with a message', method: 'POST', path: DRY, body: deployment('worded') },
  { title: 'one whose variable fails', method: 'POST', path: DRY, body: deployment('broken') },
  { title: 'one whose message fails', method: 'POST', path: DRY, body: deployment('unmessaged') },
  {
    title: 'one whose name is to be made',
    method: 'POST',
    path: DRY,
    body: { ...deployment('x', { replicas: 4 }), metadata: { generateName: 'gen-' } },
  },
  {
    title: 'one that is invalid itself',
    method: 'POST',
    path: DRY,
    body: deployment('odd', { selector: { matchLabels: { other: 'x' } } }),
  },
  { title: 'one that is marked', method: 'POST', path: DRY, body: deployment('marked-new') },
  { title: 'one whose mutation has the wrong type', method: 'POST', path: DRY, body: deployment('faulty-type') },
  { title: 'one whose mutation is of a whole', method: 'POST', path: DRY, body: deployment('faulty-atomic') },
  { title: 'an update', method: 'PUT', path: `/marked-old${DRY}`, body: deployment('marked-old', { replicas: 2 }) },
  { title: 'an update to too many', method: 'PUT', path: `/kept${DRY}`, body: deployment('kept', { replicas: 4 }) },
  {
    title: 'an update beside the old object',
    method: 'PUT',
    path: `/grows${DRY}`,
    body: deployment('grows', { replicas: 0 }),
  },
  { title: 'an update of none', method: 'PUT', path: `/none${DRY}`, body: deployment('none', { replicas: 4 }) },
  { title: 'a merge patch', method: 'PATCH', path: `/kept${DRY}`, body: { spec: { replicas: 4 } }, type: MERGE },
  {
    title: 'a merge patch that is marked',
    method: 'PATCH',
    path: `/marked-old${DRY}`,
    body: { spec: { replicas: 2 } },
    type: MERGE,
  },
  {
    title: 'a strategic patch',
    method: 'PATCH',
    path: `/kept${DRY}`,
    body: { spec: { replicas: 4 } },
    type: STRATEGIC,
  },
  {
    title: 'a JSON patch',
    method: 'PATCH',
    path: `/kept${DRY}`,
    body: [{ op: 'replace', path: '/spec/replicas', value: 4 }],
    type: JSON_PATCH,
  },
  {
    title: 'a JSON patch that is fine',
    method: 'PATCH',
    path: `/kept${DRY}`,
    body: [{ op: 'replace', path: '/spec/replicas', value: 2 }],
    type: JSON_PATCH,
  },
  {
    title: 'an apply of too many',
    method: 'PATCH',
    path: `/applied${manager}`,
    body: deployment('applied', { replicas: 4 }),
    type: APPLY,
  },
  {
    title: 'an apply that is marked',
    method: 'PATCH',
    path: `/marked-applied${manager}`,
    body: deployment('marked-applied'),
    type: APPLY,
  },
  {
    title: 'the same apply again',
    method: 'PATCH',
    path: `/marked-applied${manager}`,
    body: deployment('marked-applied'),
    type: APPLY,
  },
  {
    title: 'a scale, which is another resource',
    method: 'PATCH',
    path: `/kept/scale${DRY}`,
    body: { spec: { replicas: 9 } },
    type: MERGE,
  },
  { title: 'a deletion that is refused', method: 'DELETE', path: '/kept' },
  { title: 'a deletion that is not', method: 'DELETE', path: '/grows' },
];
