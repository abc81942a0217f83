import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../../test/support/translate-scope.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { toTenant, toUpstream } from '../object.ts';
import { specialOf } from './registry.ts';

const ACME = scopeOf('acme', { published: ['gold'] });

function trip(key: string, object: JsonObject, version?: string): { upstream: JsonObject; tenant: JsonObject } {
  const at = kindAt(ACME, key, version);
  const upstream = toUpstream(JSON.parse(JSON.stringify(object)), at, ACME);
  return { upstream: JSON.parse(JSON.stringify(upstream)), tenant: toTenant(upstream, at, ACME) };
}

describe('events', () => {
  const event = (namespace: string, involvedObject: JsonObject) => ({
    metadata: { name: 'e', namespace },
    involvedObject,
  });

  it('about cluster-scoped objects get the namespace that the host wants, and lose it again', () => {
    const object = event('default', { kind: 'Gadget', apiVersion: 'stable.example.com/v1', name: 'g' });
    const { upstream, tenant } = trip('/events', object);
    expect(upstream).toMatchObject({
      metadata: { namespace: 'acme--default' },
      involvedObject: { namespace: 'acme--default', apiVersion: 'acme--stable.example.com/v1', name: 'g' },
    });
    expect(tenant).toEqual(object);
  });

  it('about objects with an empty namespace come back so', () => {
    const object = event('default', { kind: 'Namespace', name: 'web', namespace: '' });
    expect(trip('/events', object).tenant).toEqual(object);
  });

  it('elsewhere are left for the host to refuse, as Kubernetes does', () => {
    const { upstream } = trip('/events', event('web', { kind: 'Namespace', name: 'web' }));
    expect(upstream['involvedObject']).toEqual({ kind: 'Namespace', name: 'acme--web' });
  });

  it('about namespaced objects are plain', () => {
    const object = event('web', { kind: 'Pod', name: 'p', namespace: 'web' });
    const { upstream, tenant } = trip('/events', object);
    expect(upstream['metadata']).toEqual({ name: 'e', namespace: 'acme--web' });
    expect(tenant).toEqual(object);
  });
});

describe('conditions of a namespace that goes', () => {
  const going = (type: string, message: string) => ({
    metadata: { name: 'web' },
    status: { conditions: [{ type, status: 'True', message }] },
  });

  it('tell that groups of the host do not answer, and not which', () => {
    const message =
      'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: a.host.example/v1: stale GroupVersion discovery: a.host.example/v1, b.host.example/v1: x\ny';
    expect(trip('/namespaces', going('NamespaceDeletionDiscoveryFailure', message)).tenant).toEqual(
      going('NamespaceDeletionDiscoveryFailure', 'Discovery failed for some groups, 2 failing'),
    );
  });

  it('tell of finalizers that hold it, but not of those of guards', () => {
    const held = 'Some content in the namespace has finalizers remaining: ';
    const guard = 'kubeveil.dev/guard in 1 resource instances';
    const own = 'example.com/a in 2 resource instances';
    const shown = (message: string) => trip('/namespaces', going('NamespaceFinalizersRemaining', message)).tenant;
    expect(shown(`${held}${guard}, ${own}`)).toEqual(going('NamespaceFinalizersRemaining', `${held}${own}`));
    expect(shown(`${held}${own}`)).toEqual(going('NamespaceFinalizersRemaining', `${held}${own}`));
    expect(shown(`${held}${guard}`)['status']).toEqual({
      conditions: [
        {
          type: 'NamespaceFinalizersRemaining',
          status: 'False',
          reason: 'ContentHasNoFinalizers',
          message: 'All content-preserving finalizers finished',
        },
      ],
    });
  });

  it.each([
    ['NamespaceDeletionDiscoveryFailure', 'All resources successfully discovered'],
    ['NamespaceContentRemaining', 'Some resources are remaining: pods. has 1 resource instances'],
  ])('stay as they are otherwise: %s', (type, message) => {
    expect(trip('/namespaces', going(type, message)).tenant).toEqual(going(type, message));
  });
});

describe('annotations of a namespace that the host would act on', () => {
  const namespace = (annotations: JsonObject) => ({ metadata: { name: 'web', annotations } });

  it('stand under inert names, and come back', () => {
    const object = namespace({ 'scheduler.alpha.kubernetes.io/node-selector': 'a=b', other: 'x' });
    const { upstream, tenant } = trip('/namespaces', object);
    expect(upstream).toMatchObject({
      metadata: { annotations: { 'scheduler.alpha.kubernetes.io.inert/node-selector': 'a=b', other: 'x' } },
    });
    expect(JSON.stringify(upstream)).not.toContain('kubernetes.io/node-selector');
    expect(tenant).toEqual(object);
  });

  it('cannot be written under those names', () => {
    const object = namespace({ 'scheduler.alpha.kubernetes.io.inert/node-selector': 'a=b' });
    expect(() => trip('/namespaces', object)).toThrow(/reserved/);
  });

  it('are left alone on other kinds', () => {
    const annotations = { 'scheduler.alpha.kubernetes.io/node-selector': 'a=b' };
    const { upstream } = trip('/configmaps', { metadata: { name: 'x', namespace: 'web', annotations } });
    expect(upstream).toMatchObject({ metadata: { annotations } });
  });
});

describe('quota keys', () => {
  it.each([
    ['pods', 'pods'],
    ['count/deployments.apps', 'count/deployments.apps'],
    ['count/configmaps', 'count/configmaps'],
    ['count/widgets.stable.example.com', 'count/widgets.acme--stable.example.com'],
    ['gold.storageclass.storage.k8s.io/requests.storage', 'gold.storageclass.storage.k8s.io/requests.storage'],
    ['slow.storageclass.storage.k8s.io/requests.storage', 'acme--slow.storageclass.storage.k8s.io/requests.storage'],
    [
      'globex--x.storageclass.storage.k8s.io/requests.storage',
      'acme--globex--x.storageclass.storage.k8s.io/requests.storage',
    ],
    ['requests.nvidia.com/gpu', 'requests.nvidia.com/gpu'],
    ['__proto__', '__proto__'],
  ])('%s is upstream %s', (tenant, upstream) => {
    const quota = {
      metadata: { name: 'q', namespace: 'web' },
      spec: { hard: JSON.parse(`{"${tenant}":"5","cpu":"1"}`) },
    };
    const trips = trip('/resourcequotas', quota as JsonObject);
    expect(Object.keys((trips.upstream['spec'] as JsonObject)['hard'] as JsonObject)).toEqual([upstream, 'cpu']);
    expect(JSON.stringify(trips.tenant)).toBe(JSON.stringify(quota));
  });
});

describe('counts of a quota', () => {
  it('allow one more ConfigMap upstream, which is not shown', () => {
    const amounts = { configmaps: '5', 'count/configmaps': '7', secrets: '9' };
    const used = { configmaps: '1', 'count/configmaps': '1', secrets: '0' };
    const quota = {
      metadata: { name: 'q', namespace: 'web' },
      spec: { hard: amounts },
      status: { hard: amounts, used },
    };
    const { upstream, tenant } = trip('/resourcequotas', quota);
    const hard = { configmaps: '6', 'count/configmaps': '8', secrets: '9' };
    expect(upstream).toMatchObject({
      spec: { hard },
      status: { hard, used: { configmaps: '2', 'count/configmaps': '2', secrets: '0' } },
    });
    expect(tenant).toEqual(quota);
  });
});

describe('what the server writes of nothing', () => {
  const REQUESTS = 'certificates.k8s.io/certificatesigningrequests';

  it('is in what it answers, and not in what a client wrote', () => {
    const stored = { metadata: { name: 'c', uid: '1' }, spec: {} };
    expect(trip(REQUESTS, stored).tenant['status']).toEqual({});
    const written = { metadata: { name: 'c' }, spec: {} };
    expect(trip(REQUESTS, written).tenant).not.toHaveProperty('status');
    const known = { ...stored, status: { certificate: 'x' } };
    expect(trip(REQUESTS, known).tenant['status']).toEqual(known.status);
  });

  it('is not stored where a client sends back what it read', () => {
    const read = trip(REQUESTS, { metadata: { name: 'c', uid: '1' }, spec: {} }).tenant;
    expect(read['status']).toEqual({});
    expect(trip(REQUESTS, read).upstream).not.toHaveProperty('status');
    const known = { ...read, status: { certificate: 'x' } };
    expect(trip(REQUESTS, known).upstream['status']).toEqual(known.status);
  });

  it('is each object’s own', () => {
    const [first, second] = [1, 2].map(() => trip(REQUESTS, { metadata: { name: 'c', uid: '1' } }).tenant);
    expect(first?.['status']).toEqual({});
    expect(first?.['status']).not.toBe(second?.['status']);
  });
});

describe('conversion of CRDs', () => {
  const crd = (conversion: JsonObject) => ({ metadata: { name: 'a.b.c' }, spec: { group: 'b.c', conversion } });

  const CRDS = 'apiextensions.k8s.io/customresourcedefinitions';
  const service = { namespace: 'web', name: 'converter' };
  const webhook = (more: JsonObject = {}): JsonObject => ({
    strategy: 'Webhook',
    webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'], ...more },
  });

  it('by webhook is kept out of the host’s sight, and shown', () => {
    const { upstream, tenant } = trip(CRDS, crd(webhook()));
    expect(upstream['spec']).toMatchObject({ conversion: { strategy: 'None' } });
    expect(Object.keys((upstream['metadata'] as JsonObject)['annotations'] as JsonObject)).toEqual([
      'kubeveil.dev/conversion',
    ]);
    const shown = webhook({ clientConfig: { service: { ...service, port: 443 } } });
    expect(tenant).toEqual(crd(shown));
  });

  it.each([
    [{ strategy: 'Frob' }, 'spec.conversion.strategy: Unsupported value: "Frob"'],
    [{ webhook: {} }, 'spec.conversion.strategy: Required value'],
    [{ strategy: 'None', webhook: { clientConfig: {} } }, 'webhookClientConfig: Forbidden'],
    [{ strategy: 'Webhook' }, 'webhookClientConfig: Required value: required when strategy is set to Webhook'],
    [webhook({ clientConfig: { url: 'http://169.254.169.254' } }), "'https' is the only allowed URL scheme"],
    [webhook({ clientConfig: { service, url: 'https://a.example.com' } }), 'exactly one of url or service'],
    [webhook({ clientConfig: { service, caBundle: '%' } }), 'cannot unmarshal field spec.conversion.webhook.clientC'],
    [webhook({ conversionReviewVersions: ['v7'] }), 'must include at least one of v1, v1beta1'],
    [webhook({ conversionReviewVersions: 'v1' }), 'cannot unmarshal field spec.conversion.webhook.conversionReviewV'],
    [webhook({ clientConfig: 7 }), 'cannot unmarshal field spec.conversion.webhook.clientConfig'],
  ] as [JsonObject, string][])('%j is refused', (conversion, saying) => {
    expect(() => trip(CRDS, crd(conversion))).toThrow(saying);
  });

  it('by nothing passes', () => {
    expect(trip('apiextensions.k8s.io/customresourcedefinitions', crd({ strategy: 'None' })).upstream).toMatchObject({
      spec: { conversion: { strategy: 'None' }, group: 'acme--b.c' },
    });
  });
});

describe('templates', () => {
  const deployment = (metadata: JsonObject) => ({
    metadata: { name: 'd', namespace: 'web' },
    spec: { template: { metadata } },
  });

  it('may not carry what is ours', () => {
    expect(() => trip('apps/deployments', deployment({ labels: { 'kubeveil.dev/x': 'y' } }))).toThrow(
      'spec.template.metadata.labels[kubeveil.dev/x]: Forbidden',
    );
    const plain = deployment({ labels: { app: 'acme--a' }, namespace: 'web' });
    expect(trip('apps/deployments', plain).tenant).toEqual(plain);
  });
});

describe('autoscaler annotations', () => {
  it('map references and messages inside, and keep what they need not touch', () => {
    const metrics = [
      { type: 'Object', object: { target: { kind: 'Widget', apiVersion: 'stable.example.com/v1', name: 'w' } } },
    ];
    const annotations = {
      'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify(metrics),
      'autoscaling.alpha.kubernetes.io/conditions': '[ {"message": "plain"} ]',
      'autoscaling.alpha.kubernetes.io/current-metrics': 'no json',
      other: '[{"object":{"target":{"apiVersion":"stable.example.com/v1"}}}]',
    };
    const object = { metadata: { name: 'h', namespace: 'web', annotations } };
    const { upstream, tenant } = trip('autoscaling/horizontalpodautoscalers', object, 'v1');
    expect((upstream['metadata'] as JsonObject)['annotations']).toEqual({
      ...annotations,
      'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify(metrics).replace('stable', 'acme--stable'),
    });
    expect(tenant).toEqual(object);
  });
});

describe('the registry', () => {
  it('refuses a name that nothing implements', () => {
    expect(() => specialOf('unheard')).toThrow('does not exist');
    expect(specialOf('quotaKey').up).toBeTypeOf('function');
  });
});

describe('the group of a CRD', () => {
  const crd = (group: string) => ({
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `foos.${group}` },
    spec: { group, names: { plural: 'foos', singular: 'foo', kind: 'Foo' }, scope: 'Cluster' },
  });

  it('is the tenant’s own upstream', () => {
    const { upstream, tenant } = trip('apiextensions.k8s.io/customresourcedefinitions', crd('stable.example.com'));
    expect(upstream).toMatchObject({
      metadata: { name: 'foos.acme--stable.example.com' },
      spec: { group: 'acme--stable.example.com' },
    });
    expect(tenant).toEqual(crd('stable.example.com'));
  });

  it.each(['apps', 'networking.k8s.io', 'gateway.networking.k8s.io'])('is never the host’s: %s', (group) => {
    const define = () => trip('apiextensions.k8s.io/customresourcedefinitions', crd(group));
    expect(define).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID',
        message: `CustomResourceDefinition.apiextensions.k8s.io "foos.${group}" is invalid: spec.group: Invalid value: "${group}": this group is not yours to define kinds in`,
      }),
    );
  });
});
