/**
 * Rules of admission that name another version of a kind than the request does, under `matchPolicy: Equivalent`: the same
 * webhooks and policies on the plain API server and in a tenant are asked the same, in the version that they name, and
 * leave the same object. Kinds of two versions, and Events, which are served in two groups.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { child, text } from '../../src/k8s/read.ts';
import type { JsonObject, JsonValue } from '../../src/k8s/types.ts';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { jsonOf, type RawAnswer } from '../support/http.ts';
import { type Asked, direct, throughProduct } from '../support/plain-and-product.ts';
import { eventually } from '../support/processes.ts';
import { AUTOSCALERS, eventsIn, type Versioned } from '../support/version-vectors.ts';
import { type Behaviour, startWebhookServer, type WebhookServer } from '../support/webhook-server.ts';

const { acme } = useProduct();
const NAMESPACE = 'equivalent-versions';
const SERVICE = 'equivalent';
const REGISTRATION = 'admissionregistration.k8s.io/v1';
type Send = (asked: Asked) => Promise<RawAnswer>;
const SIDES: ReadonlyArray<readonly [Send, byUrl: boolean]> = [
  [direct, true],
  [throughProduct, false],
];

/** Adds an annotation, and changes a field that the two versions call by other names. */
const changing: Behaviour = (body) => {
  const request = child(body, 'request');
  const { kind, apiVersion } = child(request, 'object');
  const operations: JsonValue[] = [
    { op: 'add', path: '/metadata/labels', value: { seen: String(apiVersion).replace('/', '.') } },
  ];
  if (kind === 'Event') {
    const field = apiVersion === 'v1' ? '/message' : '/note';
    operations.push({ op: 'add', path: field, value: 'changed' });
  } else if (apiVersion === 'autoscaling/v1') {
    operations.push({ op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 33 });
  } else {
    const resource = { name: 'memory', target: { type: 'Utilization', averageUtilization: 22 } };
    operations.push({ op: 'add', path: '/spec/metrics', value: [{ type: 'Resource', resource }] });
  }
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return reply(body, { patchType: 'JSONPatch', patch });
};

const reply = (body: JsonObject, response: JsonObject) => ({
  body: JSON.stringify({
    apiVersion: text(body, 'apiVersion'),
    kind: 'AdmissionReview',
    response: { uid: text(child(body, 'request'), 'uid'), allowed: true, ...response },
  }),
});

let webhooks: WebhookServer;

const CASES: readonly Versioned[] = [...AUTOSCALERS, ...eventsIn(NAMESPACE)];

/** Rules that name one version of each of both kinds. */
const RULES: Readonly<Record<string, JsonObject[]>> = {
  first: [
    { apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] },
    { apiGroups: [''], apiVersions: ['v1'], resources: ['events'] },
  ],
  second: [
    { apiGroups: ['autoscaling'], apiVersions: ['v2'], resources: ['horizontalpodautoscalers'] },
    { apiGroups: ['events.k8s.io'], apiVersions: ['v1'], resources: ['events'] },
  ],
};

const selecting = { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } };
const withOperations = (rules: JsonObject[]) =>
  rules.map((rule) => ({ ...rule, operations: ['CREATE', 'UPDATE', 'DELETE'] }));

function configuration(kind: string, path: string, rules: JsonObject[], byUrl: boolean, extra: JsonObject): JsonObject {
  const target = byUrl
    ? { url: `https://127.0.0.1:${webhooks.port}${path}` }
    : { service: { namespace: NAMESPACE, name: SERVICE, path } };
  return {
    apiVersion: REGISTRATION,
    kind,
    metadata: { name: `equivalent-${path.slice(1)}` },
    webhooks: [
      {
        name: 'w.equivalent.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        rules: withOperations(rules),
        namespaceSelector: selecting,
        clientConfig: { caBundle: Buffer.from(webhooks.caPem).toString('base64'), ...target },
        ...extra,
      },
    ],
  };
}

const pathOf = (kind: string) => `/apis/${REGISTRATION}/${kind.toLowerCase().replace(/y$/, 'ie')}s`;
const json = (method: string, path: string, body?: unknown, type = 'application/json'): Asked => ({
  method,
  path: path.replace('NS', NAMESPACE),
  ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': type } }),
});

async function made(send: Send, path: string, body: JsonObject): Promise<void> {
  const answer = await send(json('POST', path, body));
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
}

/** What is made on both sides, to be taken away at the end. */
const configured: string[] = [];
async function configure(kind: string, manifestOf: (byUrl: boolean) => JsonObject): Promise<void> {
  for (const [send, byUrl] of SIDES) {
    const manifest = manifestOf(byUrl);
    await made(send, pathOf(kind), manifest);
    configured.push(`${pathOf(kind)}/${text(child(manifest, 'metadata'), 'name')}`);
  }
}

async function remove(paths: readonly string[]): Promise<void> {
  for (const [send] of SIDES) for (const path of paths) await send({ method: 'DELETE', path });
}

beforeAll(async () => {
  webhooks = await startWebhookServer([`${SERVICE}.${NAMESPACE}.svc`], {
    '/first': changing,
    '/second': changing,
    '/sees': (body) => reply(body, {}),
  });
  for (const [send] of SIDES) {
    await made(send, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  }
  await acme.kubectl(`run ${SERVICE} -n ${NAMESPACE} --image=none`);
  await acme.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: SERVICE, namespace: NAMESPACE },
    spec: { ports: [{ port: 443, targetPort: webhooks.port }] },
  });
  await acme.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: SERVICE, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': SERVICE } },
    addressType: 'IPv4',
    ports: [{ name: '', port: webhooks.port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['192.0.2.9'], targetRef: { kind: 'Pod', name: SERVICE, namespace: NAMESPACE } }],
  });
  await acme.kubectl(`wait pod/${SERVICE} -n ${NAMESPACE} --for=condition=Ready --timeout=120s`);
});

afterAll(async () => {
  await remove([...configured, `/api/v1/namespaces/${NAMESPACE}`]);
  await webhooks[Symbol.asyncDispose]();
});

/** Without what is another's, or another's time. Of autoscalers that are there a controller of each cluster writes more. */
const bare = (object: KubeObject, isThere: boolean): KubeObject => {
  if (object === null || object?.metadata === undefined) return object;
  const { uid: _u, resourceVersion: _v, creationTimestamp: _t, managedFields: _m, ...metadata } = object.metadata;
  if (!isThere) return { ...object, metadata };
  const { status: _status, ...rest } = object;
  const { annotations = {}, ...others } = metadata;
  const own = Object.entries(annotations).filter(([name]) => !/(conditions|current-metrics)$/.test(name));
  return { ...rest, metadata: { ...others, annotations: Object.fromEntries(own) } };
};

function question(body: JsonObject): JsonObject {
  const { uid: _uid, userInfo: _user, object, oldObject, ...request } = (body as KubeObject).request;
  return {
    ...request,
    options: { ...request.options, preconditions: null },
    object: bare(object, request.operation !== 'CREATE'),
    oldObject: bare(oldObject, true),
  };
}

/** What both answer to a request, and what both ask of the webhooks because of it; controllers make Events meanwhile. */
async function compared(asked: Asked, name: string): Promise<JsonObject[]> {
  const seen: JsonObject[][] = [];
  for (const [send] of SIDES) {
    webhooks.asked.length = 0;
    const answer = await send(asked);
    const questions = webhooks.asked
      .filter(({ body }) => text(child(body, 'request'), 'name') === name)
      .map(({ path, body }) => ({ path, ...question(body) }));
    seen.push([
      { status: answer.status, object: bare(jsonOf<KubeObject>(answer), asked.method !== 'POST') },
      ...questions,
    ]);
  }
  const [plain = [], tenant = []] = seen;
  expect(tenant).toEqual(plain);
  return plain;
}

const named = (prefix: string, object: JsonObject): JsonObject => {
  const metadata = child(object, 'metadata');
  return { ...object, metadata: { ...metadata, name: `${prefix}-${text(metadata, 'name')}` } };
};

describe.each(['first', 'second'])('webhooks whose rules name the %s version', (which) => {
  beforeAll(async () => {
    const rules = RULES[which] ?? [];
    await configure('MutatingWebhookConfiguration', (byUrl) =>
      configuration('MutatingWebhookConfiguration', `/${which}`, rules, byUrl, {}),
    );
    await configure('ValidatingWebhookConfiguration', (byUrl) =>
      configuration('ValidatingWebhookConfiguration', '/sees', rules, byUrl, {}),
    );
    const [probe] = eventsIn(NAMESPACE);
    await eventually('they are asked', async () => {
      webhooks.asked.length = 0;
      for (const [send] of SIDES) await send(json('POST', `${probe?.at}?dryRun=All`, probe?.object));
      return webhooks.asked.filter(({ body }) => text(child(body, 'request'), 'name') === 'core-bare').length === 4;
    });
  });

  afterAll(() => remove(configured.splice(0)));

  it.each(CASES)('are asked about $title', async ({ at, other, object }) => {
    const own = named(which, object);
    const name = text(child(own, 'metadata'), 'name');
    const steps: Asked[] = [
      json('POST', at, own),
      json('PATCH', `${at}/${name}`, { metadata: { annotations: { a: 'b' } } }, 'application/merge-patch+json'),
      json('PATCH', `${other}/${name}`, { metadata: { annotations: { c: 'd' } } }, 'application/merge-patch+json'),
      json('DELETE', `${at}/${name}`),
    ];
    for (const step of steps) {
      const [, ...questions] = await compared(step, name);
      const versions = questions.map(({ resource }) => JSON.stringify(resource));
      expect(new Set(versions).size, JSON.stringify({ step, versions })).toBe(1);
    }
  });

  it('are not asked under matchPolicy Exact about the other version', async () => {
    await remove(configured.splice(0));
    const rules = RULES[which] ?? [];
    await configure('ValidatingWebhookConfiguration', (byUrl) =>
      configuration('ValidatingWebhookConfiguration', '/sees', rules, byUrl, { matchPolicy: 'Exact' }),
    );
    const [core, , events] = eventsIn(NAMESPACE);
    const asked = async (one: Versioned | undefined, side: Send) => {
      webhooks.asked.length = 0;
      await side(json('POST', `${one?.at}?dryRun=All`, one?.object));
      const name = text(child(one?.object, 'metadata'), 'name');
      return webhooks.asked.filter(({ body }) => text(child(body, 'request'), 'name') === name).length;
    };
    const [own, other] = which === 'first' ? [core, events] : [events, core];
    for (const [send] of SIDES) {
      await eventually('it is asked about its own', async () => (await asked(own, send)) === 1);
      expect(await asked(other, send)).toBe(0);
    }
  });
});

describe('policies whose rules name another version', () => {
  const POLICY = 'equivalent-versions';
  const rules = withOperations(RULES['second'] ?? []);
  const constraints = { resourceRules: rules, namespaceSelector: selecting };

  beforeAll(async () => {
    await configure('ValidatingAdmissionPolicy', () => ({
      apiVersion: REGISTRATION,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: POLICY },
      spec: {
        matchConstraints: constraints,
        validations: [
          {
            expression: "has(object.metadata.labels) && 'let' in object.metadata.labels",
            messageExpression:
              "object.apiVersion + ' ' + (object.kind == 'Event' ? object.note : string(object.spec.metrics.size()))",
          },
        ],
      },
    }));
    await configure('ValidatingAdmissionPolicyBinding', () => ({
      apiVersion: REGISTRATION,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: POLICY },
      spec: { policyName: POLICY, validationActions: ['Deny'] },
    }));
    const refused = async (send: Send) => {
      const [, , probe] = eventsIn(NAMESPACE);
      return (await send(json('POST', `${probe?.at}?dryRun=All`, probe?.object))).status === 422;
    };
    await eventually('the policy acts', async () =>
      (await Promise.all(SIDES.map(([send]) => refused(send)))).every(Boolean),
    );
  });

  it.each(CASES)('judge $title', async ({ at, object }) => {
    const name = text(child(object, 'metadata'), 'name');
    const [answer] = await compared(json('POST', `${at}?dryRun=All`, object), name);
    expect(answer).toMatchObject({ status: 422 });
    const metadata = { ...child(object, 'metadata'), labels: { let: 'through' } };
    const [other] = await compared(json('POST', `${at}?dryRun=All`, { ...object, metadata }), name);
    expect(other).toMatchObject({ status: 201 });
  });
});
