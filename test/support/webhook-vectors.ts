/** How webhooks answer reviews, well and badly, and the configurations that lead to them. */
import { child, text } from '../../src/k8s/read.ts';
import type { JsonObject, JsonValue } from '../../src/k8s/types.ts';
import type { Behaviour } from './webhook-server.ts';

/** In which all of it happens, so that nothing else on the host is touched. */
export const HOOKED = 'hooked';
export const SERVICE = 'hook';

const requestOf = (body: JsonObject): JsonObject => child(body, 'request');

/** An answer to the very review that was sent. */
function answering(response: (request: JsonObject) => JsonObject, type: JsonObject = {}): Behaviour {
  return (body) => {
    const request = requestOf(body);
    const { apiVersion = '', kind = '' } = body;
    return {
      body: JSON.stringify({
        apiVersion,
        kind,
        ...type,
        response: { uid: request['uid'] ?? '', ...response(request) },
      }),
    };
  };
}

const patch = (operations: JsonValue): JsonObject => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

/** Adds a letter to the annotation `trace`, so that the order of those that were asked can be read. */
function tracing(letter: string): Behaviour {
  return answering((request) => {
    if (request['object'] === null) return { allowed: true };
    const annotations = child(child(child(request, 'object'), 'metadata'), 'annotations');
    const trace = text(annotations, 'trace') + letter;
    const made = { ...annotations, trace };
    return { allowed: true, ...patch([{ op: 'add', path: '/metadata/annotations', value: made }]) };
  });
}

const once = (label: string): Behaviour =>
  answering(() => ({
    allowed: true,
    ...patch([{ op: 'add', path: `/metadata/labels/${label}`, value: 'yes' }]),
  }));

export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  '/allow': answering(() => ({ allowed: true })),
  '/deny': answering(() => ({ allowed: false, status: { message: 'not with me', code: 403, reason: 'Forbidden' } })),
  '/deny-reason': answering(() => ({ allowed: false, status: { reason: 'NoReason', code: 422 } })),
  '/deny-low': answering(() => ({ allowed: false, status: { message: 'low', code: 200, status: 'Success' } })),
  '/deny-bare': answering(() => ({ allowed: false })),
  '/deny-details': answering(() => ({
    allowed: false,
    status: {
      message: 'detailed',
      code: 409,
      details: { name: 'x', kind: 'y', causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'f' }] },
    },
  })),
  '/silent': answering(() => ({})),
  '/warn': answering(() => ({
    allowed: true,
    warnings: ['mind "the" gap', 'twice'],
    auditAnnotations: { key: 'value' },
  })),
  '/warn-deny': answering(() => ({ allowed: false, warnings: ['told you'], status: { message: 'no' } })),
  '/a': tracing('a'),
  '/b': tracing('b'),
  '/c': tracing('c'),
  '/label-one': once('one'),
  '/no-patch-type': answering(() => ({ allowed: true, patch: patch([])['patch'] ?? '' })),
  '/no-patch': answering(() => ({ allowed: true, patchType: 'JSONPatch' })),
  '/merge-patch': answering(() => ({ allowed: true, ...patch([{ op: 'test' }]), patchType: 'MergePatch' })),
  '/unknown-field': answering(() => ({
    allowed: true,
    ...patch([
      { op: 'add', path: '/nope', value: { a: 1 } },
      { op: 'add', path: '/data/added', value: 'x' },
    ]),
  })),
  '/patch-nothing': answering(() => ({ allowed: true, ...patch([]) })),
  '/patch-namespace': answering(() => ({
    allowed: true,
    ...patch([{ op: 'replace', path: '/metadata/namespace', value: 'default' }]),
  })),
  '/patch-name': answering(() => ({
    allowed: true,
    ...patch([{ op: 'replace', path: '/metadata/name', value: 'renamed' }]),
  })),
  '/undefault': answering(() => ({
    allowed: true,
    ...patch([
      { op: 'remove', path: '/spec/template/spec/restartPolicy' },
      { op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'added', image: 'i' } },
    ]),
  })),
  '/patch-kind': answering(() => ({
    allowed: true,
    ...patch([{ op: 'replace', path: '/kind', value: 'Nothing' }]),
  })),
  '/patch-uid': answering(() => ({
    allowed: true,
    ...patch([
      { op: 'add', path: '/metadata/uid', value: 'mine' },
      { op: 'add', path: '/metadata/creationTimestamp', value: '2020-01-01T00:00:00Z' },
    ]),
  })),
  '/other-uid': (body) => ({
    body: JSON.stringify({ apiVersion: body['apiVersion'], kind: body['kind'], response: { uid: 'x', allowed: true } }),
  }),
  '/other-version': answering(() => ({ allowed: true }), { apiVersion: 'admission.k8s.io/v1beta1' }),
  '/no-response': (body) => ({ body: JSON.stringify({ apiVersion: body['apiVersion'], kind: body['kind'] }) }),
  '/500': () => ({ status: 500, body: 'broken', headers: { 'content-type': 'text/plain' } }),
  '/404': () => ({ status: 404, body: 'nothing here', headers: { 'content-type': 'text/plain' } }),
  '/status': () => ({
    status: 403,
    body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'go away', code: 403 }),
  }),
  '/garbage': () => ({ body: '<html>' }),
  '/redirect': () => ({ status: 307, headers: { location: 'https://127.0.0.1:1/' }, body: '' }),
  '/huge': () => ({ body: Buffer.alloc(50 * 1024 * 1024, 'x') }),
  '/hang': () => undefined,
};

export interface HookCase {
  readonly title: string;
  /** Webhooks in their order: the path, and what is special about it. */
  readonly mutating?: ReadonlyArray<readonly [path: string, extra?: JsonObject]>;
  readonly validating?: ReadonlyArray<readonly [path: string, extra?: JsonObject]>;
  readonly query?: string;
  /** What else the client writes. */
  readonly body?: JsonObject;
  /** Where only the beginning of what is said must agree. */
  readonly alike?: number;
}

const IGNORE = { failurePolicy: 'Ignore' };
const AGAIN = { reinvocationPolicy: 'IfNeeded' };

/** Each about a ConfigMap that is made. */
export const CASES: readonly HookCase[] = [
  { title: 'allows', validating: [['/allow']] },
  { title: 'denies', validating: [['/deny']] },
  { title: 'denies with a reason alone', validating: [['/deny-reason']] },
  { title: 'denies with a code of success', validating: [['/deny-low']] },
  { title: 'denies without a word', validating: [['/deny-bare']] },
  { title: 'denies with details', validating: [['/deny-details']] },
  { title: 'says nothing', validating: [['/silent']] },
  { title: 'warns', validating: [['/warn']], mutating: [['/warn']] },
  { title: 'warns and denies', mutating: [['/warn-deny']] },
  { title: 'mutates in order', mutating: [['/a'], ['/b'], ['/c']] },
  { title: 'is asked again after others', mutating: [['/label-one', AGAIN], ['/a'], ['/b', AGAIN], ['/c']] },
  {
    title: 'never ends',
    mutating: [
      ['/a', AGAIN],
      ['/b', AGAIN],
    ],
  },
  { title: 'patches without a type', mutating: [['/no-patch-type']] },
  { title: 'types without a patch', mutating: [['/no-patch']] },
  { title: 'patches by merge', mutating: [['/merge-patch']] },
  { title: 'adds a field that nobody knows', mutating: [['/unknown-field']], query: '?fieldValidation=Strict' },
  {
    title: 'mutates what has a field too much',
    mutating: [['/a']],
    query: '?fieldValidation=Strict',
    body: { odd: 1 },
  },
  { title: 'adds to what has a field that nobody knows', mutating: [['/unknown-field']], body: { odd: 1 } },
  { title: 'patches nothing', mutating: [['/patch-nothing']] },
  { title: 'patches when it validates', validating: [['/label-one']] },
  { title: 'patches the namespace', mutating: [['/patch-namespace']] },
  { title: 'patches the name', mutating: [['/patch-name']] },
  { title: 'patches the kind', mutating: [['/patch-kind']] },
  { title: 'patches what the server sets', mutating: [['/patch-uid']] },
  { title: 'answers another review', validating: [['/other-uid']] },
  { title: 'answers in another version', validating: [['/other-version']] },
  { title: 'does not answer', validating: [['/no-response']] },
  {
    title: 'does not answer and may fail',
    validating: [['/no-response', IGNORE]],
    mutating: [['/no-response', IGNORE]],
  },
  { title: 'speaks v1beta1', mutating: [['/a', { admissionReviewVersions: ['v1beta1'] }]] },
  { title: 'speaks an unknown version first', mutating: [['/a', { admissionReviewVersions: ['v9', 'v1'] }]] },
  { title: 'is broken', validating: [['/500']] },
  { title: 'is not there', validating: [['/404']] },
  { title: 'answers a Status', validating: [['/status']] },
  { title: 'answers garbage', validating: [['/garbage']], alike: 90 },
  { title: 'redirects', validating: [['/redirect']], alike: 90 },
  { title: 'answers 50 MB', validating: [['/huge']], alike: 90 },
  { title: 'is broken and may fail', validating: [['/500', IGNORE], ['/deny']] },
  { title: 'hangs', validating: [['/hang', { timeoutSeconds: 1 }]] },
  { title: 'hangs and may fail', mutating: [['/hang', { timeoutSeconds: 1, ...IGNORE }], ['/a']] },
  {
    title: 'is for a condition that holds',
    validating: [['/deny', { matchConditions: [{ name: 'x', expression: "object.data.a == 'b'" }] }]],
  },
  {
    title: 'is for a condition that does not hold',
    validating: [['/deny', { matchConditions: [{ name: 'x', expression: "request.operation == 'DELETE'" }] }]],
  },
  {
    title: 'is for a condition that fails',
    validating: [['/deny', { matchConditions: [{ name: 'x', expression: 'object.data.nope == 1' }] }]],
  },
  {
    title: 'is for a condition that fails and may fail',
    validating: [['/deny', { ...IGNORE, matchConditions: [{ name: 'x', expression: 'object.data.nope == 1' }] }]],
  },
  { title: 'has effects in a dry run', validating: [['/allow', { sideEffects: 'None' }]], query: '?dryRun=All' },
  {
    title: 'is for another namespace',
    validating: [['/deny', { namespaceSelector: { matchLabels: { no: 'such' } } }]],
  },
];
