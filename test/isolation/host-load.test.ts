/**
 * What the API server and the scheduler of the host would work on for minutes, or die of, for everybody: texts that they
 * run or read on behalf of a tenant. Each is refused by the proxy, also by way of a patch; its honest twin is taken.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/k8s/types.ts';
import { asBoth, useProduct } from '../support/as-tenant.ts';

const { acme, both } = useProduct();
const NAMESPACE = 'host-load';
const GROUP = 'load.example.com';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HONEST = 'self.size() >= 0';

interface Definition {
  readonly plural: string;
  readonly rule?: string;
  readonly jsonPath?: string;
}

function definition({ plural, rule = HONEST, jsonPath = '.spec.text' }: Definition): JsonObject {
  const text = { type: 'string', maxLength: 1_000_000, 'x-kubernetes-validations': [{ rule }] };
  const spec = { type: 'object', properties: { text } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind: plural },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', description: BOMBS[0]?.[1] ?? '', properties: { spec } } },
          additionalPrinterColumns: [{ name: 'Text', type: 'string', jsonPath }],
        },
      ],
    },
  };
}

const BOMBS: readonly (readonly [what: string, rule: string])[] = [
  ['a text of its length times itself', "self.replace('a', self).size() >= 0"],
  ['formats in a loop', "[1, 2].map(x, '%s%s'.format([self, self])).size() >= 0"],
  ['a chain that doubles at each step', `optional.of(self)${'.optMap(x, x)'.repeat(14)}.hasValue()`],
  ['types that double at each step', `[1]${'.map(a, {a: a})'.repeat(14)}.size() >= 0`],
  ['a number of a hundred million digits', "quantity('1e99999999').isGreaterThan(quantity('1'))"],
];

beforeAll(async () => void (await asBoth(both, (tenant) => tenant.kubectl(`create namespace ${NAMESPACE}`))));

async function patch(path: string, operations: JsonValue): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json-patch+json' };
  const { status, object } = await acme.write('PATCH', path, operations, { headers });
  return { status, text: JSON.stringify(object) };
}

describe('patterns of a kind', () => {
  const patterned = (pattern: string) => {
    const made = definition({ plural: 'patterns' });
    const [version] = (made['spec'] as { versions: JsonObject[] }).versions;
    const openAPIV3Schema = { type: 'object', properties: { text: { type: 'string', pattern } } };
    Object.assign(version ?? {}, { schema: { openAPIV3Schema } });
    return made;
  };

  it('are taken where they are as in use, and cannot become what is matched for minutes', async () => {
    const bomb = 'a{0,1000}'.repeat(100);
    const refused = await acme.write('POST', CRDS, patterned(bomb));
    expect({ status: refused.status, reason: refused.object.reason }).toEqual({ status: 422, reason: 'Invalid' });
    expect(refused.object.message).toContain('openAPIV3Schema.properties.text.pattern: Invalid value: ');
    expect((await acme.write('POST', CRDS, patterned('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'))).status).toBe(201);
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/text/pattern';
    const patched = await patch(`${CRDS}/patterns.${GROUP}`, [{ op: 'replace', path, value: bomb }]);
    expect(patched.status).toBe(422);
  });
});

describe('owners of an object', () => {
  const owners = (count: number, controller: boolean) =>
    Array.from({ length: count }, (_, at) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'a',
      uid: `u${at}`,
      controller,
    }));
  const configMap = (ownerReferences: JsonObject[]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'owned', ownerReferences },
  });
  const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

  it('that all say to be its controller are refused before the host quotes each of them for each other', async () => {
    const refused = await acme.write('POST', path, configMap(owners(1_000, true)));
    expect({ status: refused.status, reason: refused.object.reason }).toEqual({ status: 422, reason: 'Invalid' });
    expect(JSON.stringify(refused.object).length).toBeLessThan(10_000);
    expect((await acme.write('POST', `${path}?dryRun=All`, configMap(owners(100, false)))).status).toBe(201);
    expect((await acme.write('POST', path, configMap(owners(1, true)))).status).toBe(201);
    for (const type of ['merge-patch', 'strategic-merge-patch']) {
      const headers = { 'content-type': `application/${type}+json` };
      const patched = { metadata: { ownerReferences: owners(900, true) } };
      expect((await acme.write('PATCH', `${path}/owned`, patched, { headers })).status).toBe(422);
    }
    const whole = [{ op: 'add', path: '/metadata/ownerReferences', value: owners(900, true) }];
    expect((await patch(`${path}/owned`, whole)).status).toBe(422);
  });
});

describe('places in lists', () => {
  it('are inserted at and removed by one patch some hundred times, and not thousands', async () => {
    const path = '/api/v1/namespaces/host-load/configmaps/patched-lists';
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'patched-lists' } };
    expect((await acme.write('POST', '/api/v1/namespaces/host-load/configmaps', object)).status).toBe(201);
    const list = (items: number) => ({ op: 'add', path: '/x', value: Array<JsonValue>(items).fill(1) });
    const inserts = (times: number) => Array<JsonValue>(times).fill({ op: 'add', path: '/x/0', value: 1 });
    const gone = { op: 'remove', path: '/x' };
    expect((await patch(path, [list(100), ...inserts(400), gone])).status).toBe(200);
    const long = await patch(path, [list(500_000), ...inserts(400), gone]);
    const often = await patch(path, [list(100), ...inserts(1_000), gone]);
    expect([long.status, often.status]).toEqual([413, 413]);
    expect(long.text).toContain('replace the list as a whole');
  });
});

describe('rules of a kind', () => {
  it.each(BOMBS)('with %s are refused', async (_what, rule) => {
    const { status, object } = await acme.write('POST', CRDS, definition({ plural: 'bombs', rule }));
    expect({ status, reason: object.reason }).toEqual({ status: 422, reason: 'Invalid' });
    expect(object.message).toContain('x-kubernetes-validations[0].rule: Invalid value: ');
  });

  it('are taken otherwise, and cannot become one by a patch', async () => {
    expect((await acme.write('POST', CRDS, definition({ plural: 'calms' }))).status).toBe(201);
    const path = '/spec/versions/0/schema/openAPIV3Schema';
    const rule = `${path}/properties/spec/properties/text/x-kubernetes-validations/0/rule`;
    const calm = `${CRDS}/calms.${GROUP}`;
    expect(await patch(calm, [{ op: 'replace', path: rule, value: 'self.size() >= 1' }])).toMatchObject({
      status: 200,
    });
    for (const operation of [
      { op: 'replace', path: rule, value: BOMBS[0]?.[1] ?? '' },
      { op: 'copy', from: `${path}/description`, path: rule },
    ]) {
      const { status, text } = await patch(calm, [operation]);
      expect({ op: operation.op, status }).toEqual({ op: operation.op, status: 422 });
      expect(text).toContain('replace() can only replace by a constant text');
    }
  });
});

describe('columns of a kind', () => {
  it('that walk through an object again and again are refused', async () => {
    const bomb = definition({ plural: 'columns', jsonPath: '.spec..a..a..a..a..a' });
    const { status, object } = await acme.write('POST', CRDS, bomb);
    expect({ status, message: object.message }).toMatchObject({
      status: 422,
      message: expect.stringContaining('spec.versions[0].additionalPrinterColumns[0].jsonPath: Invalid value: '),
    });
    expect((await acme.write('POST', CRDS, definition({ plural: 'columns', jsonPath: '.spec..a' }))).status).toBe(201);
  });
});

describe('amounts with millions of digits', () => {
  const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;
  const pod = (name: string, cpu: string) =>
    `{"metadata": {"name": "${name}"}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": ${cpu}}}}]}}`;
  const create = async (body: string, type: string) => {
    const headers = { 'content-type': type };
    return await acme.send(pods, { method: 'POST', body, headers });
  };

  it.each(['"1e9999999"', '1e9999999', '"1e-9999999"'])('are refused: %s', async (cpu) => {
    for (const type of ['application/json', 'application/yaml']) {
      const { status, text } = await create(pod('vast', cpu), type);
      expect(status, text).toBe(422);
      expect(text).toContain('spec.containers[0].resources.requests[cpu]: Invalid value: ');
    }
  });

  it('and taken otherwise', async () => {
    expect((await create(pod('plain', '"1e-3"'), 'application/json')).status).toBe(201);
    expect((await create(pod('number', '1e-1'), 'application/yaml')).status).toBe(201);
  });
});

describe('selectors of devices', () => {
  const claim = (name: string, expression: string): JsonObject => ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      devices: {
        requests: [{ name: 'r', exactly: { deviceClassName: 'none', selectors: [{ cel: { expression } }] } }],
      },
    },
  });
  const claims = `/apis/resource.k8s.io/v1/namespaces/${NAMESPACE}/resourceclaims`;

  it('that make a text of a million others are refused', async () => {
    const long = `'${'a'.repeat(1_000)}'`;
    const bomb = `${long}.replace('a', ${long}).replace('a', ${long}).size() < 0`;
    const { status, object } = await acme.write('POST', claims, claim('bomb', bomb));
    expect({ status, message: object.message }).toMatchObject({
      status: 422,
      message: expect.stringContaining('selectors[0].cel.expression: Invalid value: '),
    });
    expect((await acme.write('POST', claims, claim('calm', "device.driver == 'a.example.com'"))).status).toBe(201);
  });
});

describe('a pod that says much', () => {
  const pods = `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`;
  const pod = (containers: number, variables: number): JsonObject => ({
    metadata: { name: 'much' },
    spec: {
      containers: Array.from({ length: containers }, (_, index) => ({
        name: `c${index}`,
        image: 'i',
        env: Array.from({ length: variables }, (_, at) => ({ name: `V${at}`, value: 'v' })),
      })),
    },
  });

  it('has a thousand containers, and no more', async () => {
    expect((await acme.write('POST', pods, pod(1_000, 0))).status).toBe(201);
    const { status, object } = await acme.write('POST', pods, pod(1_001, 0));
    expect(object['message']).toBe(
      'Pod "much" is invalid: spec.containers: Too many: 1001: must have at most 1000 items',
    );
    expect(status).toBe(422);
  });

  it('is told so in words where the host’s policies cannot judge it', async () => {
    expect((await acme.write('POST', pods, pod(100, 50))).status).toBe(201);
    const { status, object } = await acme.write('POST', pods, pod(1_000, 60));
    expect(object['message']).toMatch(/^the policy of this cluster cannot judge an object that says as much/);
    expect(JSON.stringify(object)).not.toMatch(/variables\.|kubeveil|expression/);
    expect(status).toBe(403);
  });
});
