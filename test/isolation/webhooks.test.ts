/**
 * A tenant's admission webhooks against the same webhooks on the plain API server: the same requests, the same answers,
 * and the same questions to the webhook. On the API server they are given by URL, in the tenant as a Service.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { child } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { asBoth, type KubeObject, useProduct } from '../support/as-tenant.ts';
import { configure, KINDS, MAPS, made, map, pathOf, SIDES, seen, sending } from '../support/hooked.ts';
import { jsonOf } from '../support/http.ts';
import type { Asked } from '../support/plain-and-product.ts';
import { eventually } from '../support/processes.ts';
import { startWebhookServer, type WebhookServer } from '../support/webhook-server.ts';
import { BEHAVIOURS, CASES, HOOKED, SERVICE } from '../support/webhook-vectors.ts';

const { acme, globex, both } = useProduct();
let webhooks: WebhookServer;

beforeAll(async () => {
  webhooks = await startWebhookServer([`${SERVICE}.${HOOKED}.svc`], BEHAVIOURS);
  for (const [send] of SIDES) {
    await made(send, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOOKED } });
  }
  await acme.kubectl(`run ${SERVICE} -n ${HOOKED} --image=none`);
  await acme.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: SERVICE, namespace: HOOKED },
    spec: { ports: [{ port: 443, targetPort: webhooks.port }] },
  });
  await acme.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: SERVICE, namespace: HOOKED, labels: { 'kubernetes.io/service-name': SERVICE } },
    addressType: 'IPv4',
    ports: [{ name: '', port: webhooks.port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['192.0.2.9'], targetRef: { kind: 'Pod', name: SERVICE, namespace: HOOKED } }],
  });
  await acme.kubectl(`wait pod/${SERVICE} -n ${HOOKED} --for=condition=Ready --timeout=120s`);
  for (const [at, hooks] of CASES.entries()) await configure(webhooks, `c${at}`, hooks);
  await configure(webhooks, 'last', { validating: [['/deny']] });
  await eventually('the webhooks act', async () => {
    const answers = await Promise.all(
      SIDES.map(([send]) => send({ path: `${MAPS}?dryRun=All`, ...sending(map('last')) })),
    );
    return answers.every(({ status }) => status === 403);
  });
});

afterAll(async () => {
  for (const [send] of SIDES) {
    for (const kind of KINDS) {
      for (const named of [...CASES.map((_, at) => `c${at}`), 'last', 'life', 'seen', 'between']) {
        await send({ method: 'DELETE', path: `${pathOf(kind)}/hooked-${named}` });
      }
    }
    await send({ method: 'DELETE', path: `/api/v1/namespaces/${HOOKED}` });
  }
  await webhooks[Symbol.asyncDispose]();
});

describe('a webhook that', () => {
  it.each(CASES.map((one, at) => ({ ...one, named: `c${at}` })))(
    '$title',
    async ({ named, query = '', alike, body = {} }) => {
      const [plain, tenant] = await Promise.all(
        SIDES.map(async ([send]) => seen(await send({ path: MAPS + query, ...sending({ ...map(named), ...body }) }))),
      );
      expect(tenant?.slice(0, alike)).toBe(plain?.slice(0, alike));
    },
  );
});

describe('what a webhook is asked', () => {
  /** One step of the life of an object: what is sent. */
  const STEPS: ReadonlyArray<readonly [title: string, asked: Asked]> = [
    ['create', { path: MAPS, ...sending(map('life', 'one')) }],
    ['update', { path: `${MAPS}/one?fieldManager=me`, ...sending(map('life', 'one', { a: 'c' }), 'PUT') }],
    ['merge', { path: `${MAPS}/one`, ...sending({ data: { m: 'x' } }, 'PATCH', 'application/merge-patch+json') }],
    [
      'JSON patch',
      {
        path: `${MAPS}/one`,
        ...sending([{ op: 'remove', path: '/data/m' }], 'PATCH', 'application/json-patch+json'),
      },
    ],
    [
      'apply',
      {
        path: `${MAPS}/one?fieldManager=applier&force=true`,
        ...sending(map('life', 'one', { a: 'd' }), 'PATCH', 'application/apply-patch+yaml'),
      },
    ],
    [
      'apply of what is not there',
      {
        path: `${MAPS}/two?fieldManager=applier`,
        ...sending(map('life', 'two'), 'PATCH', 'application/apply-patch+yaml'),
      },
    ],
    [
      'generated name',
      { path: MAPS, ...sending({ ...map('life'), metadata: { generateName: 'gen-', labels: { case: 'life' } } }) },
    ],
    ['a dry run', { path: `${MAPS}?dryRun=All`, ...sending(map('life', 'dry')) }],
    ['deletion', { path: `${MAPS}/one`, ...sending({ gracePeriodSeconds: 0 }, 'DELETE') }],
    ['deletion of a collection', { path: `${MAPS}?labelSelector=case=life`, method: 'DELETE' }],
  ];

  beforeAll(async () => {
    await configure(webhooks, 'life', { mutating: [['/c']], validating: [['/allow']] });
    const connections = { apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['*/*'] };
    await configure(webhooks, 'seen', { validating: [['/deny', { objectSelector: {}, rules: [connections] }]] });
    await eventually('they are asked', async () => {
      webhooks.asked.length = 0;
      for (const [send] of SIDES) await send({ path: `${MAPS}?dryRun=All`, ...sending(map('life')) });
      return webhooks.asked.length === 4;
    });
  });

  /** Without what is another's, or another's time. */
  function question(body: JsonObject): unknown {
    const { uid: _uid, userInfo: _user, ...request } = (body as KubeObject).request;
    const bare = (object: KubeObject) => {
      if (object === null || object === undefined) return object;
      const { uid: _u, resourceVersion: _v, creationTimestamp: _t, managedFields: _m, ...metadata } = object.metadata;
      return { ...object, metadata };
    };
    const { preconditions: _p, ...options } = request.options ?? {};
    const text = JSON.stringify({
      ...request,
      options,
      object: bare(request.object),
      oldObject: bare(request.oldObject),
    });
    return JSON.parse(text.replaceAll(/gen-\w{5}"/g, 'gen-"'));
  }

  it.each(STEPS)('about %s', async (_title, asked) => {
    const questions: unknown[] = [];
    const answers: unknown[] = [];
    for (const [send] of SIDES) {
      webhooks.asked.length = 0;
      const answer = await send(asked);
      answers.push(answer.status);
      questions.push(webhooks.asked.map(({ path, body }) => ({ path, ...(question(body) as object) })));
    }
    expect(answers[1]).toBe(answers[0]);
    expect(questions[1]).toEqual(questions[0]);
    expect(questions[0]).not.toEqual([]);
  });

  it.each([
    ['exec', 'pods/none/exec?stdin=true&tty=1&stderr=false&command=sh&command=-c&container=c'],
    ['exec without anything', 'pods/none/exec'],
    ['attach', 'pods/none/attach?stdout=true'],
    ['port-forward', 'pods/none/portforward?ports=80'],
    ['HTTP of a pod', 'pods/none:80/proxy/a/b'],
    ['HTTP of a service', 'services/none/proxy/'],
  ])('about %s', async (_title, path) => {
    const questions: unknown[] = [];
    const answers: unknown[] = [];
    for (const [send] of SIDES) {
      webhooks.asked.length = 0;
      answers.push(seen(await send({ path: `/api/v1/namespaces/${HOOKED}/${path}`, method: 'POST' })));
      questions.push(webhooks.asked.map(({ body }) => ({ ...(body as KubeObject).request, uid: '', userInfo: '' })));
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(questions[1]).toEqual(questions[0]);
    expect(questions[0]).toHaveLength(1);
  });

  it('has the user of the tenant, and nothing of the host', async () => {
    webhooks.asked.length = 0;
    await acme.send(`${MAPS}?dryRun=All`, sending(map('life')));
    const text = JSON.stringify(webhooks.asked);
    acme.mustBeClean(text);
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { object: me } = await acme.write('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review);
    const { username, groups } = (webhooks.asked[0] as KubeObject).body.request.userInfo;
    expect({ username, groups }).toEqual({ username: me.status.userInfo.username, groups: me.status.userInfo.groups });
  });
});

describe('what the next webhook sees of what one has changed', () => {
  const named = 'between';
  const web = (extra: JsonObject = {}): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: named, labels: { case: named } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'registry.example.com/app:1' }] },
      },
      ...extra,
    },
  });
  const DEPLOYMENTS = `/apis/apps/v1/namespaces/${HOOKED}/deployments`;

  beforeAll(async () => {
    const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments'] }];
    await configure(webhooks, named, {
      mutating: [
        ['/undefault', { rules }],
        ['/allow', { rules }],
      ],
    });
    await eventually('they are asked', async () => {
      webhooks.asked.length = 0;
      for (const [send] of SIDES) await send({ path: `${DEPLOYMENTS}?dryRun=All`, ...sending(web()) });
      return webhooks.asked.length === 4;
    });
  });

  it.each([
    ['a creation', { path: DEPLOYMENTS, ...sending(web()) }],
    ['an update', { path: `${DEPLOYMENTS}/${named}`, ...sending(web({ replicas: 2 }), 'PUT') }],
    [
      'a patch',
      {
        path: `${DEPLOYMENTS}/${named}`,
        ...sending(
          { spec: { replicas: 3, template: { spec: { containers: [{ name: 'main', image: 'j' }] } } } },
          'PATCH',
          'application/merge-patch+json',
        ),
      },
    ],
  ] as ReadonlyArray<readonly [string, Asked]>)('has its defaults, in %s', async (_what, asked) => {
    const all: unknown[] = [];
    for (const [send] of SIDES) {
      webhooks.asked.length = 0;
      const answer = await send(asked);
      // Both are asked again where a controller was faster: the last time counts.
      const specs = webhooks.asked
        .slice(-2)
        .map(({ path, body }) => [path, child(child(child(body, 'request'), 'object'), 'spec')]);
      all.push([answer.status, specs, jsonOf<KubeObject>(answer).spec]);
      expect(specs).toHaveLength(2);
      expect(JSON.stringify(specs[1])).toContain('"added"');
    }
    expect(all[1]).toEqual(all[0]);
  });
});

describe('a webhook of one tenant', () => {
  const everything = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hooked-everything' },
    webhooks: [
      {
        name: 'everything.hooked.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 1,
        rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
        clientConfig: { service: { namespace: HOOKED, name: 'nowhere' } },
      },
    ],
  };

  it('stops that tenant, and no other, and can be taken away', async () => {
    await acme.create(everything);
    await eventually('it acts', async () => (await acme.run('create namespace hooked-no --dry-run=server')).code !== 0);
    expect(await acme.refused('create namespace hooked-no')).toContain(
      'failed calling webhook "everything.hooked.example.com": failed to call webhook: Post "https://nowhere.hooked.svc:443/?timeout=1s": service "nowhere" not found',
    );
    expect(await acme.refused(`delete configmap kube-root-ca.crt -n ${HOOKED}`)).toContain('failed calling webhook');
    await globex.kubectl('create namespace hooked-no --dry-run=server');
    const changed = await acme.kubectl(
      `patch validatingwebhookconfiguration hooked-everything --type=json -p '[{"op":"replace","path":"/webhooks/0/timeoutSeconds","value":2}]'`,
    );
    expect(changed).toContain('patched');
    await acme.kubectl('delete validatingwebhookconfiguration hooked-everything');
    await eventually(
      'it acts no more',
      async () => (await acme.run('create namespace hooked-no --dry-run=server')).code === 0,
    );
  });

  it('is not reached where the policy names no host, nor by an endpoint that is no pod', async () => {
    const url = structuredClone(everything) as KubeObject;
    url.webhooks[0].clientConfig = { url: `https://127.0.0.1:${webhooks.port}/allow` };
    url.webhooks[0].rules[0] = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] };
    await acme.create(url);
    await eventually('it acts', async () => {
      const { stderr } = await acme.run(`create secret generic x -n ${HOOKED} --dry-run=server`);
      return stderr.includes('the policy of this cluster does not let webhooks be at 127.0.0.1');
    });
    await acme.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'addressed', namespace: HOOKED },
      spec: { ports: [{ port: 443 }] },
    });
    await acme.create({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'addressed', namespace: HOOKED, labels: { 'kubernetes.io/service-name': 'addressed' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: webhooks.port, protocol: 'TCP' }],
      endpoints: [{ addresses: ['192.0.2.9'] }],
    });
    url.webhooks[0].clientConfig = { service: { namespace: HOOKED, name: 'addressed', path: '/allow' } };
    await acme.kubectl('delete validatingwebhookconfiguration hooked-everything');
    await acme.create(url);
    await eventually('it acts as it is now', async () => {
      const { stderr } = await acme.run(`create secret generic x -n ${HOOKED} --dry-run=server`);
      return stderr.includes('no endpoints available for service');
    });
    await acme.kubectl('delete validatingwebhookconfiguration hooked-everything');
  });

  it('is that tenant’s, under the same name as another’s', async () => {
    await asBoth(both, async (tenant) => {
      const own = structuredClone(everything);
      own.metadata.name = 'hooked-same';
      own.webhooks[0] = { ...(own.webhooks[0] as KubeObject), failurePolicy: 'Ignore' } as never;
      await tenant.create(own);
      await tenant.kubectl('delete validatingwebhookconfiguration hooked-same');
    });
  });
});
