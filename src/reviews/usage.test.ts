import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { Accept, Identity, ResourceInfo } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createUsageHandler, type Measure } from './usage.ts';

const MEASURES: readonly Measure[] = [
  { name: 'watches', resource: 'watches', used: '2', limit: '10', scope: 'Cluster', countedBy: 'Replica' },
  { name: 'body', resource: 'body', limit: '3', scope: 'Request' },
];
const asked: unknown[] = [];
const handler = createUsageHandler((tenant, identity) => {
  asked.push(tenant.id, identity.username);
  return MEASURES;
});

function ask(verb: 'get' | 'list', { name = '', query = {}, as = '' } = {}): JsonObject {
  const info = {
    verb,
    name,
    group: 'usage.kubeveil.dev',
    version: 'v1alpha1',
    resource: 'usages',
    query: new URLSearchParams(query),
  };
  const accept: Accept = {
    media: 'json',
    as: as === '' ? undefined : { kind: as, group: 'meta.k8s.io', version: 'v1' },
  };
  const reply = handler({
    info: info as unknown as ResourceInfo,
    accept,
    tenant: { id: 'acme' } as unknown as Tenant,
    identity: { username: 'alice' } as Identity,
  });
  if (reply.kind !== 'object') throw new Error('no object');
  expect(reply.status).toBe(200);
  return reply.object;
}

const namesIn = (object: JsonObject) => (object['items'] as JsonObject[]).map(({ metadata }) => metadata);

describe('usages', () => {
  it('are one object for each measure, by name, of who asks', () => {
    expect(ask('list')).toEqual({
      kind: 'UsageList',
      apiVersion: 'usage.kubeveil.dev/v1alpha1',
      metadata: { resourceVersion: '' },
      items: [
        {
          kind: 'Usage',
          apiVersion: 'usage.kubeveil.dev/v1alpha1',
          metadata: { name: 'body' },
          status: { resource: 'body', limit: '3', scope: 'Request' },
        },
        expect.objectContaining({ metadata: { name: 'watches' } }),
      ],
    });
    expect(asked).toEqual(['acme', 'alice']);
  });

  it('are found by name, or not', () => {
    expect(ask('get', { name: 'watches' })).toMatchObject({ kind: 'Usage', status: { used: '2', limit: '10' } });
    expect(() => ask('get', { name: 'nothing' })).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_FOUND', message: 'usages.usage.kubeveil.dev "nothing" not found' }),
    );
  });

  it('are rows of a Table', () => {
    const list = ask('list', { as: 'Table' });
    expect((list['columnDefinitions'] as JsonObject[]).map(({ name }) => name)).toEqual([
      'Name',
      'Used',
      'Limit',
      'Scope',
      'Counted by',
    ]);
    expect(list['rows']).toEqual([
      {
        cells: ['body', '<not counted>', '3', 'Request', ''],
        object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'body' } },
      },
      expect.objectContaining({ cells: ['watches', '2', '10', 'Cluster', 'Replica'] }),
    ]);
    expect(ask('get', { name: 'body', as: 'Table' })['rows']).toHaveLength(1);
    const bare = ask('list', { as: 'Table', query: { includeObject: 'None' } });
    expect(bare['rows']).toEqual([{ cells: expect.any(Array) }, { cells: expect.any(Array) }]);
  });

  it('are metadata alone where that is asked for', () => {
    expect(ask('get', { name: 'body', as: 'PartialObjectMetadata' })).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'body' },
    });
    expect(ask('list', { as: 'PartialObjectMetadataList' })).toMatchObject({ kind: 'PartialObjectMetadataList' });
  });

  it('are refused in a shape that one has and many have not, and the other way round', () => {
    for (const [verb, as, why] of [
      ['list', 'PartialObjectMetadata', 'is a list (*unstructured.UnstructuredList)'],
      ['get', 'PartialObjectMetadataList', 'is not a list (*unstructured.Unstructured)'],
    ] as const) {
      const message = `you requested ${as}, but the requested object ${why}`;
      const refusal = expect.objectContaining({ code: 'ERR_NOT_ACCEPTABLE', message });
      expect(() => ask(verb, { as, name: 'body' })).toThrow(refusal);
    }
    const query = { includeObject: 'nonsense' };
    expect(() => ask('list', { as: 'Table', query })).toThrow(expect.objectContaining({ code: 'ERR_BAD_REQUEST' }));
  });

  it('are picked by selectors, of which those that cannot be read are refused', () => {
    expect(namesIn(ask('list', { query: { fieldSelector: 'metadata.name=body' } }))).toEqual([{ name: 'body' }]);
    expect(namesIn(ask('list', { query: { labelSelector: 'a=b' } }))).toEqual([]);
    expect(namesIn(ask('list', { query: { labelSelector: '!a' } }))).toHaveLength(2);
    for (const query of [{ fieldSelector: 'status.used=1' }, { fieldSelector: 'x' }, { labelSelector: 'a in' }]) {
      expect(() => ask('list', { query })).toThrow(ApiError);
    }
  });
});
