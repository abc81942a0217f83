import { describe, expect, it } from 'vitest';
import type { InformerEvent } from '../k8s/informer.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { type HostVersions, readHostVersions } from './host-versions.ts';
import { createKindRegistry, type ListingKindRegistry } from './registry.ts';

const ACME = tenant('acme');
const GLOBEX = tenant('globex');

const HOST: HostVersions = new Map([
  ['', new Map([['v1', new Set(['pods', 'nodes', 'bindings'])]])],
  ['apps', new Map([['v1', new Set(['deployments'])]])],
  [
    'autoscaling',
    new Map([
      ['v2', new Set(['horizontalpodautoscalers'])],
      ['v1', new Set(['horizontalpodautoscalers'])],
    ]),
  ],
  [
    'rbac.authorization.k8s.io',
    new Map([
      ['v1', new Set(['clusterroles', 'roles'])],
      ['v1beta1', new Set(['clusterroles', 'roles'])],
    ]),
  ],
]);

function tenant(id: string): Tenant {
  return {
    id: id as TenantId,
    uid: `${id}-uid`,
    createdAt: '2026-01-01T00:00:00Z',
    phase: 'Active',
    clientCaPem: '',
    policy: 'default',
  };
}

/** An informer of CRDs that the test drives. */
function crdFeed(synced = true) {
  let listener: (event: InformerEvent) => void = () => {};
  return {
    synced,
    subscribe(next: (event: InformerEvent) => void) {
      listener = next;
      return () => {};
    },
    send: (event: InformerEvent) => listener(event),
  };
}

function registry(feed = crdFeed(), options: { restricted?: boolean; without?: string } = {}): ListingKindRegistry {
  return createKindRegistry({
    customKinds: feed,
    versions: () => HOST,
    sharedGroups: new Set(['gateway.networking.k8s.io']),
    profileOf: () => (options.restricted ? 'restricted' : 'baseline'),
    isOffered: (_tenant, key) => key !== options.without,
  });
}

function crd(
  options: { owner?: string; label?: string; versions?: JsonObject[]; established?: boolean } = {},
): JsonObject {
  const { owner = 'acme', label = owner, established = true } = options;
  const versions = options.versions ?? [
    { name: 'v1alpha1', served: true, storage: false },
    { name: 'v1', served: true, storage: true, subresources: { status: {} } },
    { name: 'v2', served: false, storage: false },
  ];
  return {
    metadata: { name: `foos.${owner}--stable.example.com`, labels: { 'kubeveil.dev/tenant': label } },
    spec: { group: `${owner}--stable.example.com`, scope: 'Cluster', versions },
    status: {
      acceptedNames: { plural: 'foos', kind: 'Foo' },
      conditions: [{ type: 'Established', status: established ? 'True' : 'False' }],
    },
  };
}

describe('built-in kinds', () => {
  it('live where the host has them', () => {
    const found = registry().byResource(ACME, 'apps', 'v1', 'deployments');
    expect(found).toMatchObject({
      class: 'native',
      upstreamRoot: '/apis/apps/v1',
      upstreamResource: 'deployments',
      upstreamApiVersion: 'apps/v1',
    });
    expect(registry().byKind(ACME, '', 'v1', 'Pod')).toMatchObject({
      upstreamRoot: '/api/v1',
      upstreamApiVersion: 'v1',
    });
  });
  it('that are virtual live in another group', () => {
    expect(registry().byResource(ACME, 'rbac.authorization.k8s.io', 'v1', 'clusterroles')).toMatchObject({
      class: 'virtual',
      upstreamRoot: '/apis/virtual.kubeveil.dev/v1',
      upstreamApiVersion: 'virtual.kubeveil.dev/v1',
    });
    expect(registry().virtualByKind(ACME, 'ClusterRole')?.kind.resource).toBe('clusterroles');
    expect(registry().virtualByKind(ACME, 'Role')).toBeUndefined();
    // The host has another version too, in which nothing is stored.
    const [group, resource] = ['rbac.authorization.k8s.io', 'clusterroles'];
    expect(registry().byResource(ACME, group, 'v1beta1', resource)).toBeUndefined();
    expect(registry().byResource(ACME, group, 'v1beta1', 'roles')).toBeDefined();
  });
  it.each([
    ['no such resource', 'apps', 'v1', 'widgets'],
    ['no such version', 'apps', 'v2', 'deployments'],
    ['absent in the profile', '', 'v1', 'bindings'],
    ['in the table, not on this host', 'apps', 'v1', 'daemonsets'],
    ['a shared group without a row', 'gateway.networking.k8s.io', 'v1', 'gateways'],
    ['not a key of ours', '__proto__', 'v1', 'constructor'],
  ])('%s: not found', (_why, group, version, resource) => {
    expect(registry().byResource(ACME, group, version, resource)).toBeUndefined();
  });
  it('come and go with the profile and the policy', () => {
    expect(registry().byResource(ACME, '', 'v1', 'nodes')?.class).toBe('published');
    expect(registry(crdFeed(), { restricted: true }).byResource(ACME, '', 'v1', 'nodes')).toBeUndefined();
    expect(registry(crdFeed(), { without: '/nodes' }).byResource(ACME, '', 'v1', 'nodes')).toBeUndefined();
  });
  it('prefer the version that the host names first', () => {
    expect(registry().preferredByKind(ACME, 'autoscaling', 'HorizontalPodAutoscaler')?.version).toBe('v2');
    expect(registry().preferredByResource(ACME, '', 'bindings')).toBeUndefined();
  });
  it('keep their groups, as shared ones do', () => {
    const { isHostGroup } = registry();
    expect(['', 'apps', 'gateway.networking.k8s.io'].map(isHostGroup)).toEqual([true, true, true]);
    expect(['stable.example.com', 'acme--stable.example.com', '*'].map(isHostGroup)).toEqual([false, false, false]);
  });
});

describe('custom kinds', () => {
  it('are found by their own tenant, at the served versions', () => {
    const feed = crdFeed();
    const kinds = registry(feed);
    feed.send({ type: 'added', object: crd() });
    const found = kinds.byResource(ACME, 'stable.example.com', 'v1', 'foos');
    expect(found).toMatchObject({
      class: 'native',
      upstreamRoot: '/apis/acme--stable.example.com/v1',
      upstreamApiVersion: 'acme--stable.example.com/v1',
      kind: { custom: true, namespaced: false, subresources: { status: { verbs: ['get', 'patch', 'update'] } } },
    });
    expect(kinds.byKind(ACME, 'stable.example.com', 'v1', 'Foo')).toBe(found);
    expect(kinds.preferredByKind(ACME, 'stable.example.com', 'Foo')).toBe(found);
    expect(kinds.byResource(ACME, 'stable.example.com', 'v2', 'foos')).toBeUndefined();
    expect(kinds.byResource(ACME, 'stable.example.com', 'v1alpha1', 'foos')?.kind.subresources).toEqual({});
  });
  it('are not found by another tenant, nor under the upstream group', () => {
    const feed = crdFeed();
    const kinds = registry(feed);
    feed.send({ type: 'added', object: crd() });
    expect(kinds.byResource(GLOBEX, 'stable.example.com', 'v1', 'foos')).toBeUndefined();
    expect(kinds.byResource(GLOBEX, 'acme--stable.example.com', 'v1', 'foos')).toBeUndefined();
    expect(kinds.byResource(ACME, 'acme--stable.example.com', 'v1', 'foos')).toBeUndefined();
  });
  it.each([
    ['its label names another tenant', crd({ label: 'globex' })],
    ['it has no label', crd({ label: '' })],
    ['it is not established', crd({ established: false })],
    ['its group has no prefix', { ...crd(), spec: { group: 'stable.example.com', scope: 'Cluster', versions: [] } }],
    ['it says nothing', {}],
  ])('do not exist when of the CRD %s', (_why, object) => {
    const feed = crdFeed();
    const kinds = registry(feed);
    feed.send({ type: 'added', object });
    expect(kinds.byResource(ACME, 'stable.example.com', 'v1', 'foos')).toBeUndefined();
    expect(kinds.byResource(GLOBEX, 'stable.example.com', 'v1', 'foos')).toBeUndefined();
  });
  it('follow changes and deletions', () => {
    const feed = crdFeed();
    const kinds = registry(feed);
    const later = crd({ versions: [{ name: 'v3', served: true }] });
    feed.send({ type: 'added', object: crd() });
    feed.send({ type: 'modified', previous: crd(), object: later });
    expect(kinds.byResource(ACME, 'stable.example.com', 'v1', 'foos')).toBeUndefined();
    expect(kinds.byResource(ACME, 'stable.example.com', 'v3', 'foos')?.version).toBe('v3');
    feed.send({ type: 'deleted', object: later });
    expect(kinds.byResource(ACME, 'stable.example.com', 'v3', 'foos')).toBeUndefined();
  });
  it('are listed after the built-in ones', () => {
    const feed = crdFeed();
    const kinds = registry(feed);
    feed.send({ type: 'added', object: crd() });
    const listed = [...kinds.list(ACME)].map((kind) => `${kind.upstreamApiVersion} ${kind.upstreamResource}`);
    expect(listed).toContain('autoscaling/v1 horizontalpodautoscalers');
    expect(listed.slice(-2)).toEqual(['acme--stable.example.com/v1 foos', 'acme--stable.example.com/v1alpha1 foos']);
    expect([...kinds.list(GLOBEX)].some((kind) => kind.kind.custom)).toBe(false);
  });
  it('map printer columns that print the namespace', () => {
    const feed = crdFeed();
    const kinds = registry(feed);
    const additionalPrinterColumns = [
      { name: 'Where', jsonPath: '.metadata.namespace' },
      { name: 'API', jsonPath: '.apiVersion' },
      { name: '__proto__', jsonPath: '.metadata.ownerReferences[0].apiVersion' },
      { name: 'Size', jsonPath: '.spec.size' },
    ];
    feed.send({ type: 'added', object: crd({ versions: [{ name: 'v1', served: true, additionalPrinterColumns }] }) });
    const columns = kinds.byResource(ACME, 'stable.example.com', 'v1', 'foos')?.kind.columns ?? {};
    expect(Object.entries(columns)).toEqual([
      ['where', { cell: 'namespace' }],
      ['api', { cell: 'anything' }],
      ['__proto__', { cell: 'anything' }],
    ]);
  });
  it('are unknown, not missing, until the CRDs are listed', () => {
    const kinds = registry(crdFeed(false));
    expect(() => kinds.byResource(ACME, 'stable.example.com', 'v1', 'foos')).toThrow(
      expect.objectContaining({ code: 'ERR_UNAVAILABLE' }),
    );
    expect(kinds.byResource(ACME, 'apps', 'v1', 'deployments')).toBeDefined();
  });
});

describe('host versions', () => {
  it('come out of aggregated discovery', () => {
    const document: JsonObject = {
      kind: 'APIGroupDiscoveryList',
      items: [
        {
          metadata: { name: 'apps' },
          versions: [
            { version: 'v1', resources: [{ resource: 'deployments', subresources: [{ subresource: 'scale' }] }] },
          ],
        },
        { metadata: {}, versions: [{ version: 'v1', resources: [{ resource: 'pods' }] }] },
        { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', freshness: 'Stale' }] },
      ],
    };
    const versions = readHostVersions(document);
    expect(versions.get('apps')?.get('v1')).toEqual(new Set(['deployments']));
    expect(versions.get('')?.get('v1')).toEqual(new Set(['pods']));
    expect(versions.get('metrics.k8s.io')?.get('v1beta1')).toEqual(new Set());
  });
  it('are not guessed from another document', () => {
    expect(() => readHostVersions({ kind: 'APIGroupList' })).toThrow(TypeError);
  });
});
