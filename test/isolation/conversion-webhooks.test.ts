/**
 * A kind that its tenant converts by webhook against the same kind on the plain API server: the same requests, the same
 * answers. `v1` is stored and has `spec.size: 3x4`; `v2` has `spec.width` and `spec.height`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { binding, policy } from '../support/admission-vectors.ts';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { CONVERSIONS, GROUP } from '../support/box-conversions.ts';
import { whenEstablished } from '../support/established.ts';
import { jsonOf, type RawAnswer } from '../support/http.ts';
import { type Asked, direct, throughProduct } from '../support/plain-and-product.ts';
import { eventually } from '../support/processes.ts';
import { startWebhookServer, type WebhookServer } from '../support/webhook-server.ts';

const { acme } = useProduct();
const NAMESPACE = 'boxed';
const DEFINITION = `boxes.${GROUP}`;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const at = (version: string) => `/apis/${GROUP}/${version}/namespaces/${NAMESPACE}/boxes`;
type Send = (asked: Asked) => Promise<RawAnswer>;
const SIDES: ReadonlyArray<readonly [Send, byUrl: boolean]> = [
  [direct, true],
  [throughProduct, false],
];

let webhooks: WebhookServer;

function definition(byUrl: boolean, path = '/convert'): KubeObject {
  const version = (name: string, properties: JsonObject, columns: JsonObject[]) => ({
    name,
    served: true,
    storage: name === 'v1',
    subresources: { status: {} },
    additionalPrinterColumns: columns,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties },
          status: { type: 'object', properties: { full: { type: 'boolean' } } },
        },
      },
    },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: DEFINITION },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'boxes', singular: 'box', kind: 'Box' },
      versions: [
        version('v1', { size: { type: 'string' }, colour: { type: 'string' } }, [
          { name: 'Size', type: 'string', jsonPath: '.spec.size' },
        ]),
        version(
          'v2',
          {
            width: { type: 'integer', minimum: 1 },
            height: { type: 'integer', minimum: 1, default: 1 },
            colour: { type: 'string' },
          },
          [
            { name: 'Width', type: 'integer', jsonPath: '.spec.width' },
            { name: 'Full', type: 'boolean', jsonPath: '.status.full', priority: 1 },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'how old' },
          ],
        ),
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: {
            caBundle: Buffer.from(webhooks.caPem).toString('base64'),
            ...(byUrl
              ? { url: `https://127.0.0.1:${webhooks.port}${path}` }
              : { service: { namespace: NAMESPACE, name: 'converter', path } }),
          },
        },
      },
    },
  };
}

const sending = (body: unknown, method = 'POST', type = 'application/json') => ({
  method,
  body: JSON.stringify(body),
  headers: { 'content-type': type },
});

const box = (version: string, name: string, spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: `${GROUP}/${version}`,
  kind: 'Box',
  metadata: { name },
  spec,
  ...more,
});

beforeAll(async () => {
  webhooks = await startWebhookServer([`converter.${NAMESPACE}.svc`], CONVERSIONS);
  for (const [send, byUrl] of SIDES) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    expect((await send({ path: '/api/v1/namespaces', ...sending(namespace) })).status).toBe(201);
    expect((await send({ path: CRDS, ...sending(definition(byUrl)) })).status).toBe(201);
  }
  await acme.kubectl(`run converter -n ${NAMESPACE} --image=none`);
  await acme.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'converter', namespace: NAMESPACE },
    spec: { ports: [{ port: 443, targetPort: webhooks.port }] },
  });
  await acme.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'converter', namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': 'converter' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: webhooks.port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['192.0.2.9'], targetRef: { kind: 'Pod', name: 'converter', namespace: NAMESPACE } }],
  });
  await acme.kubectl(`wait pod/converter -n ${NAMESPACE} --for=condition=Ready --timeout=120s`);
  await whenEstablished(acme, DEFINITION);
  await eventually('both convert', async () => {
    const asked = { path: `${at('v2')}?dryRun=All`, ...sending(box('v2', 'try', { width: 1 })) };
    const answers = await Promise.all(SIDES.map(([send]) => send(asked)));
    return answers.every(({ status }) => status === 201);
  });
});

afterAll(async () => {
  for (const [send] of SIDES) {
    for (const version of ['v1', 'v2']) await send({ path: at(version), method: 'DELETE' });
    await send({ path: `${CRDS}/${DEFINITION}`, method: 'DELETE' });
    await send({ path: `/api/v1/namespaces/${NAMESPACE}`, method: 'DELETE' });
  }
  await webhooks[Symbol.asyncDispose]();
});

/** What can be compared: without what differs from one cluster to the next. */
function seen({ status, headers, text: body }: RawAnswer): unknown {
  const shown = JSON.parse(body, (key, value: unknown) =>
    /^(?:uid|resourceVersion|creationTimestamp|managedFields|time)$/.test(key) ? undefined : value,
  ) as KubeObject;
  const said = JSON.stringify({ status, warnings: headers['warning'] ?? '', shown });
  return JSON.parse(
    said
      .replaceAll(/https:\/\/[^/]*\//g, 'https://webhook/')
      .replaceAll(/"\d+s"/g, '"0s"')
      .replaceAll(/[0-9a-f-]{36}/g, 'uid'),
  );
}

async function compare(asked: Asked): Promise<KubeObject> {
  const [plain, tenant] = await Promise.all(SIDES.map(async ([send]) => seen(await send(asked))));
  expect(tenant).toEqual(plain);
  return (plain as KubeObject).shown;
}

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const METADATA = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

describe('the same request at a tenant and at the API server', () => {
  it.each<readonly [string, Asked]>([
    ['makes one', { path: at('v2'), ...sending(box('v2', 'a', { width: 3, height: 4, colour: 'red' })) }],
    ['makes one with defaults', { path: at('v2'), ...sending(box('v2', 'b', { width: 5 })) }],
    ['makes one as it is stored', { path: at('v1'), ...sending(box('v1', 'c', { size: '7x8' })) }],
    ['makes what is there', { path: at('v2'), ...sending(box('v2', 'a', { width: 1 })) }],
    ['makes an invalid one', { path: at('v2'), ...sending(box('v2', 'd', { width: 0 })) }],
    ['makes one with a field too much', { path: at('v2'), ...sending(box('v2', 'e', { width: 1, depth: 9 })) }],
    ['is strict', { path: `${at('v2')}?fieldValidation=Strict`, ...sending(box('v2', 'f', { width: 1, depth: 9 })) }],
    ['is a dry run', { path: `${at('v2')}?dryRun=All`, ...sending(box('v2', 'g', { width: 1 })) }],
    ['reads', { path: `${at('v2')}/a` }],
    ['reads what was defaulted', { path: `${at('v1')}/b` }],
    ['reads what was stored', { path: `${at('v2')}/c` }],
    ['reads what is not there', { path: `${at('v2')}/none` }],
    ['lists', { path: at('v2') }],
    ['lists as stored', { path: at('v1') }],
    ['lists all namespaces', { path: `/apis/${GROUP}/v2/boxes` }],
    ['lists a table', { path: at('v2'), headers: TABLE }],
    ['reads a table with objects', { path: `${at('v2')}/a?includeObject=Object`, headers: TABLE }],
    ['lists metadata', { path: at('v2'), headers: METADATA }],
    ['merges', { path: `${at('v2')}/a`, ...sending({ spec: { height: 9 } }, 'PATCH', MERGE) }],
    ['merges what is invalid', { path: `${at('v2')}/a`, ...sending({ spec: { height: 0 } }, 'PATCH', MERGE) }],
    ['merges what is not there', { path: `${at('v2')}/none`, ...sending({ spec: { height: 9 } }, 'PATCH', MERGE) }],
    [
      'patches',
      {
        path: `${at('v2')}/a`,
        ...sending([{ op: 'replace', path: '/spec/width', value: 11 }], 'PATCH', JSON_PATCH),
      },
    ],
    [
      'patches by a test that fails',
      { path: `${at('v2')}/a`, ...sending([{ op: 'test', path: '/spec/width', value: 12 }], 'PATCH', JSON_PATCH) },
    ],
    [
      'patches strategically',
      { path: `${at('v2')}/a`, ...sending({}, 'PATCH', 'application/strategic-merge-patch+json') },
    ],
    [
      'applies a new one',
      {
        path: `${at('v2')}/h?fieldManager=me`,
        ...sending(box('v2', 'h', { width: 2, height: 2 }), 'PATCH', APPLY),
      },
    ],
    [
      'applies a change',
      {
        path: `${at('v2')}/h?fieldManager=me`,
        ...sending(box('v2', 'h', { width: 2, height: 3 }), 'PATCH', APPLY),
      },
    ],
    ['writes a status', { path: `${at('v2')}/a/status`, ...sending({ status: { full: true } }, 'PATCH', MERGE) }],
    ['reads a status', { path: `${at('v2')}/a/status` }],
    ['reads it all', { path: `${at('v1')}/a` }],
    ['updates without a revision', { path: `${at('v2')}/a`, ...sending(box('v2', 'a', { width: 1 }), 'PUT') }],
    ['deletes', { path: `${at('v2')}/b`, method: 'DELETE' }],
  ])('%s', async (_title, asked) => {
    await compare(asked);
  });

  it('updates what it has read', async () => {
    const answers = await Promise.all(
      SIDES.map(async ([send]) => {
        const read = jsonOf<KubeObject>(await send({ path: `${at('v2')}/c` }));
        read.spec.width = 70;
        return seen(await send({ path: `${at('v2')}/c`, ...sending(read, 'PUT') }));
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
    expect((await compare({ path: `${at('v1')}/c` })).spec.size).toBe('70x8');
  });

  it('watches', async () => {
    using watch = await acme.watch(
      `${at('v2')}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    await watch.until('initial-events-end');
    expect(
      (await throughProduct({ path: at('v2'), ...sending(box('v2', 'watched', { width: 21, height: 22 })) })).status,
    ).toBe(201);
    await watch.until('"width":21');
    const events = watch.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as KubeObject);
    expect(new Set(events.map(({ object }) => object.apiVersion))).toEqual(new Set([`${GROUP}/v2`]));
    expect(events.filter(({ type }) => type === 'ADDED').every(({ object }) => object.spec.width > 0)).toBe(true);
  });

  it('meets a policy whose rules name the other version', async () => {
    const registration = '/apis/admissionregistration.k8s.io/v1';
    const paths = [`${registration}/mutatingadmissionpolicies`, `${registration}/mutatingadmissionpolicybindings`];
    const grow = "[JSONPatch{op: 'replace', path: '/spec/size', value: object.spec.size + '9'}]";
    const resourceRules = [{ apiGroups: [GROUP], apiVersions: ['v1'], operations: ['CREATE'], resources: ['boxes'] }];
    const spec = {
      matchConstraints: { resourceRules },
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: grow } }],
    };
    const made = [policy('Mutating', DEFINITION, spec), binding('Mutating', DEFINITION, DEFINITION)];
    const asked = { path: `${at('v2')}?dryRun=All`, ...sending(box('v2', 'grows', { width: 1, height: 2 })) };
    const heightOf = async (send: (typeof SIDES)[number][0]) => jsonOf<KubeObject>(await send(asked)).spec?.height;
    try {
      for (const [send] of SIDES) {
        for (const [index, path] of paths.entries()) await send({ path, ...sending(made[index]) });
        await eventually('it acts', async () => (await heightOf(send)) === 29);
      }
      await compare(asked);
    } finally {
      // A policy whose binding has gone, or the other way round, refuses for a moment.
      for (const [send] of SIDES) {
        for (const path of paths) await send({ path: `${path}/${DEFINITION}`, method: 'DELETE' });
        await eventually('it acts no more', async () => (await heightOf(send)) === 2);
      }
    }
  });

  it('cannot be stored in another version while a webhook converts, and can when none does', async () => {
    const stored = [false, true].map((value, version) => ({
      op: 'replace',
      path: `/spec/versions/${version}/storage`,
      value,
    }));
    const path = `${CRDS}/${DEFINITION}?dryRun=All`;
    const refused = await acme.send(path, sending(stored, 'PATCH', JSON_PATCH));
    expect(jsonOf<KubeObject>(refused)).toMatchObject({
      code: 422,
      message: expect.stringContaining('the storage version of a kind that is converted by a webhook'),
    });
    const none = [{ op: 'replace', path: '/spec/conversion', value: { strategy: 'None' } }];
    expect((await acme.send(path, sending([...none, ...stored], 'PATCH', JSON_PATCH))).status).toBe(200);
  });

  it.each(Object.keys(CONVERSIONS).filter((path) => path !== '/convert'))('where the webhook is %s', async (path) => {
    for (const [send, byUrl] of SIDES) {
      const patch = { spec: { conversion: definition(byUrl, path).spec.conversion } };
      expect((await send({ path: `${CRDS}/${DEFINITION}`, ...sending(patch, 'PATCH', MERGE) })).status).toBe(200);
    }
    await eventually('it is asked', async () => {
      webhooks.asked.length = 0;
      for (const [send] of SIDES) await send({ path: `${at('v2')}/a` });
      return webhooks.asked.filter((asked) => asked.path === path).length >= 2;
    });
    await compare({ path: `${at('v2')}/a` });
    await compare({ path: `${at('v2')}?dryRun=All`, ...sending(box('v2', 'new', { width: 1 })) });
    await compare({ path: `${at('v1')}/a` });
  });
});
