/**
 * What a tenant can do to others, and learn of the host, by kinds that it defines itself: with words that the host's
 * operator uses, with names that the API server itself uses, and with columns that print what upstream knows.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/k8s/types.ts';
import { asBoth, type KubeObject, type TenantClient, useProduct } from '../support/as-tenant.ts';
import { eventually } from '../support/processes.ts';

const { acme, both, host } = useProduct();
const GROUP = 'kinds.example.com';
const NAMESPACE = 'kinds';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

interface Definition {
  readonly kind: string;
  readonly plural: string;
  readonly names?: JsonObject;
  readonly columns?: readonly (readonly [name: string, jsonPath: string])[];
  readonly properties?: JsonObject;
}

function definition({ kind, plural, names, columns = [], properties = {} }: Definition): KubeObject {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind, ...names },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          additionalPrinterColumns: columns.map(([name, jsonPath]) => ({ name, type: 'string', jsonPath })),
        },
      ],
    },
  };
}

function object(kind: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: `${GROUP}/v1`, kind, metadata: { name: 'x', namespace: NAMESPACE }, ...more };
}

function pathOf(plural: string): string {
  return `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/${plural}`;
}

async function define(tenant: TenantClient, wanted: Definition): Promise<void> {
  await tenant.create(definition(wanted));
  const body = object(wanted.kind);
  await eventually(`${wanted.plural} take writes`, async () => {
    const { status } = await tenant.write('POST', `${pathOf(wanted.plural)}?dryRun=All`, body);
    return status === 201;
  });
}

beforeAll(async () => void (await asBoth(both, (tenant) => tenant.kubectl(`create namespace ${NAMESPACE}`))));

describe('words that the host’s operator uses', () => {
  const names = { singular: 'pod', shortNames: ['po', 'no'], categories: ['all'] };

  beforeAll(
    async () => void (await asBoth(both, (tenant) => define(tenant, { kind: 'Thing', plural: 'things', names }))),
  );

  it('lead to no tenant’s kinds on the host', async () => {
    for (const id of ['acme', 'globex']) {
      const { body } = await host.send('GET', `/apis/${id}--${GROUP}/v1`);
      const { resources } = body as { resources: KubeObject[] };
      const [thing] = resources.filter(({ name }) => name === 'things');
      expect(thing).toMatchObject({
        singularName: `${id}--pod`,
        shortNames: [`${id}--po`, `${id}--no`],
        categories: [`${id}--all`],
      });
    }
  });

  it('lead the tenant to its own', async () => {
    await asBoth(both, async (tenant) => {
      expect((await tenant.get(`crd things.${GROUP}`)).spec.names).toMatchObject(names);
      expect((await tenant.get(`crd things.${GROUP}`)).status.acceptedNames).toMatchObject(names);
      await tenant.create(object('Thing'));
      expect(await tenant.kubectl(`get all -n ${NAMESPACE} -o name`)).toContain(`thing.${GROUP}/x`);
      expect(await tenant.kubectl(`api-resources --api-group=${GROUP} --no-headers`)).toMatch(/^things +po,no /m);
      const patch = JSON.stringify([{ op: 'replace', path: '/spec/names/shortNames', value: ['th'] }]);
      await tenant.kubectl(`patch crd things.${GROUP} --type=json -p '${patch}'`);
      await eventually('the new short name is known', async () => {
        return (await tenant.run(`get th -n ${NAMESPACE} -o name`)).stdout.includes('/x');
      });
      await tenant.apply(definition({ kind: 'Thing', plural: 'things', names }), '--server-side --force-conflicts');
      expect((await tenant.get(`crd things.${GROUP}`)).spec.names).toMatchObject(names);
    });
  });

  it('are refused where they are the proxy’s own kinds, and where they are no words', async () => {
    const refused = (wanted: Definition) => acme.refused('create -f -', { stdin: JSON.stringify(definition(wanted)) });
    expect(await refused({ kind: 'Foo', plural: 'tenants' })).toContain('spec.names.plural: Invalid value: "tenants"');
    expect(await refused({ kind: 'Tenant', plural: 'foos' })).toContain('spec.names.kind: Invalid value: "Tenant"');
    expect(await refused({ kind: 'Foo', plural: 'foos', names: { shortNames: ['-'] } })).toContain('DNS-1035');
  });

  it('are refused in a group that is none', async () => {
    const crd = definition({ kind: 'Foo', plural: 'foos' });
    crd.spec.group = '-a.com';
    for (const name of ['foos.-a.com', 'foos.a.com']) {
      crd.metadata.name = name;
      const { status, object: refusal } = await acme.write(
        'POST',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        crd,
      );
      expect(status).toBe(422);
      expect(refusal.message).toContain('a lowercase RFC 1123 subdomain must consist of');
    }
  });
});

describe('kinds of the names that the API server uses', () => {
  it.each(['Table', 'Status', 'PartialObjectMetadata', 'PartialObjectMetadataList'])(
    '%s is a kind as any',
    async (kind) => {
      const plural = `${kind.toLowerCase()}z`;
      await asBoth(both, async (tenant) => {
        await define(tenant, {
          kind,
          plural,
          names: { listKind: `${kind}s` },
          columns: [['Where', '.metadata.namespace']],
        });
        const rows = [{ cells: [`${tenant.id}--${NAMESPACE}`], object: null }];
        const stored = object(kind, { rows, code: 404, message: 'x', status: 'Failure' });
        const typed = [`${tenant.id}--${NAMESPACE}`];
        const path = pathOf(plural);
        expect(await tenant.write('POST', path, stored, { typed })).toMatchObject({ status: 201, object: stored });
        expect(await tenant.json(`${path}/x`, { typed })).toMatchObject(stored);
        const { items } = await tenant.json(path, { typed });
        expect(items).toMatchObject([stored]);
        const watched = await tenant.send(`${path}?watch=true&timeoutSeconds=1`, { typed });
        expect(JSON.parse(watched.text.split('\n')[0] ?? '')).toMatchObject({ type: 'ADDED', object: stored });
        const table = await tenant.json(path, { headers: { accept: TABLE } });
        expect(table.rows[0].cells).toEqual(['x', NAMESPACE]);
        const merged = await tenant.write(
          'PATCH',
          `${path}/x`,
          { metadata: { labels: { a: 'b' } } },
          {
            typed,
            headers: { 'content-type': 'application/merge-patch+json' },
          },
        );
        expect(merged).toMatchObject({ status: 200, object: { kind, metadata: { labels: { a: 'b' } } } });
        const deleted = await tenant.send(path, { method: 'DELETE', typed });
        expect(deleted.status).toBe(200);
      });
    },
  );
});

describe('printer columns', () => {
  const COLUMNS = [
    ['Own', '.spec.note'],
    ['Where', '.metadata.namespace'],
    ['Api', '.apiVersion'],
    ['Meta', '.metadata'],
    ['Managers', '.metadata.managedFields'],
    ['Manager', '.metadata.managedFields[0]'],
    ['Quoted', ".metadata['namespace']"],
    ['Deep', '.metadata..namespace'],
    ['Any', '.metadata.*'],
    ['Escaped', '.meta\\data.namespace'],
    ['All', '..namespace'],
    ['Root', '.*'],
    ['Owner', '.metadata.ownerReferences[0].apiVersion'],
  ] as const;

  it('print nothing that only upstream knows', async () => {
    await asBoth(both, async (tenant) => {
      await define(tenant, { kind: 'Printed', plural: 'printeds', columns: COLUMNS });
      await tenant.create(object('Printed', { spec: { note: 'mine' } }));
      const path = pathOf('printeds');
      for (const target of [`${path}/x`, path, `/apis/${GROUP}/v1/printeds`, `${path}?watch=true&timeoutSeconds=1`]) {
        const { text } = await tenant.send(target, { headers: { accept: TABLE } });
        expect(text).toContain('"mine"');
      }
      const { rows } = await tenant.json(path, { headers: { accept: TABLE } });
      expect(rows[0].cells.slice(0, 4)).toEqual(['x', 'mine', NAMESPACE, `${GROUP}/v1`]);
      expect(await tenant.kubectl(`get printeds -A -o wide`)).toContain('mine');
    });
  });
});

describe('a quota', () => {
  it('counts kinds under the names that the tenant gave them', async () => {
    await asBoth(both, async (tenant) => {
      const hard = { [`count/others.${GROUP}`]: '5', pods: '3', 'limits.cpu': '2' };
      await tenant.create({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'counted', namespace: NAMESPACE },
        spec: { hard },
      });
      await eventually('the quota is counted', async () => {
        const { rows } = await tenant.json(`/api/v1/namespaces/${NAMESPACE}/resourcequotas`, {
          headers: { accept: TABLE },
        });
        const [, request, limit] = rows[0].cells;
        return request === `count/others.${GROUP}: 0/5, pods: 0/3` && limit === 'limits.cpu: 0/2';
      });
      await tenant.kubectl(`delete quota counted -n ${NAMESPACE}`);
    });
  });
});

describe('objects that would pass for a list', () => {
  const PLURAL = 'listlikes';
  const path = pathOf(PLURAL);
  const items: JsonValue = ['a'];

  beforeAll(() => define(acme, { kind: 'ListLike', plural: PLURAL }));

  it('are refused, however they are written', async () => {
    const refusal = { status: 422, object: { message: expect.stringContaining('items: Forbidden') } };
    expect(await acme.write('POST', path, object('ListLike', { items }))).toMatchObject(refusal);
    await acme.create(object('ListLike', { spec: { list: items } }));
    const current = await acme.json(`${path}/x`);
    expect(await acme.write('PUT', `${path}/x`, { ...current, items })).toMatchObject(refusal);
    for (const [type, body] of [
      ['merge-patch+json', { items }],
      ['json-patch+json', [{ op: 'add', path: '/items', value: items }]],
      ['json-patch+json', [{ op: 'copy', from: '/spec/list', path: '/items' }]],
      ['json-patch+json', [{ op: 'replace', path: '', value: { ...current, items } }]],
      ['apply-patch+yaml', object('ListLike', { items })],
    ] as const) {
      const answer = await acme.write('PATCH', `${path}/x?fieldManager=test`, body, {
        headers: { 'content-type': `application/${type}` },
      });
      expect({ body, ...answer }).toMatchObject(refusal);
    }
    expect((await acme.json(`${path}/x`)).metadata.resourceVersion).toBe(current.metadata.resourceVersion);
  });

  it('are of no kind that fills them in', async () => {
    const properties = { items: { type: 'array', items: { type: 'string' }, default: ['a'] } };
    const crd = definition({ kind: 'Filled', plural: 'filleds', properties });
    expect(await acme.refused('create -f -', { stdin: JSON.stringify(crd) })).toContain('items.default: Forbidden');
  });

  it('are fine when they are no lists', async () => {
    const made = await acme.write('POST', path, {
      ...object('ListLike', { items: { a: 'b' } }),
      metadata: { name: 'fine' },
    });
    expect(made).toMatchObject({ status: 201, object: { items: { a: 'b' } } });
    expect((await host.send('GET', `/apis/acme--${GROUP}/v1/namespaces/acme--${NAMESPACE}/${PLURAL}`)).status).toBe(
      200,
    );
  });
});
