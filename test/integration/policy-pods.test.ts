/**
 * What a policy file says of pods, held by the host: for the tenant, for whoever goes past the proxy, and for pods that
 * the host's controllers make. Every refusal has a twin that passes.
 * @see deploy/61-policy-pods.yaml, deploy/63-policy-placement.yaml, deploy/50-wall-namespaces.yaml
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import {
  type PolicyTenants,
  pod,
  preparePolicyTenants,
  upstreamNamespace,
  writers,
} from '../support/policy-tenants.ts';
import { eventually } from '../support/processes.ts';
import type { Answer } from '../support/token-client.ts';
import { DRY, expectDone, expectRefused, MERGE } from '../support/walls.ts';

const POOLED = `
pods:
  nodeSelector: {example.com/pool: tenants, plain: ''}
  tolerations: [{key: example.com/pool, value: tenants, effect: NoSchedule}]
  tolerate: [example.com/gpu]
  images: [registry.example.com/, docker.io/library/nginx]
  alwaysPullImages: true
`;
let tenants: PolicyTenants;

beforeAll(async () => {
  tenants = await preparePolicyTenants(inject('controlPlane'), {
    default: '',
    strict: 'profile: restricted',
    open: 'profile: trusted',
    pooled: POOLED,
    hub: 'pods: {images: [docker.io/]}',
  });
  await tenants.make('pol-hub', 'hub');
  await Promise.all(
    Object.entries({ 'pol-base': 'default', 'pol-strict': 'strict', 'pol-open': 'open', 'pol-pool': 'pooled' }).map(
      ([tenant, policy]) => tenants.make(tenant, policy),
    ),
  );
});
afterAll(() => tenants[Symbol.asyncDispose]());

const pods = (tenant: string) => `${upstreamNamespace(tenant)}/pods`;

const HOST_PROCESS = {
  os: { name: 'windows' },
  hostNetwork: true,
  securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } },
};

describe.each(writers(() => tenants))('a pod that %s makes', (_who, ask) => {
  const make = (tenant: string, object: JsonObject): Promise<Answer> => ask(tenant)('POST', pods(tenant) + DRY, object);

  it.each<[what: string, spec: JsonObject, container: JsonObject]>([
    ['is privileged', {}, { securityContext: { privileged: true } }],
    ['uses the host’s network', { hostNetwork: true }, {}],
    ['uses the host’s processes', { hostPID: true }, {}],
    ['uses the host’s memory', { hostIPC: true }, {}],
    ['takes a port of its node', {}, { ports: [{ containerPort: 80, hostPort: 80 }] }],
    ['adds a capability', {}, { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } }],
    ['mounts a folder of its node', { volumes: [{ name: 'v', hostPath: { path: '/' } }] }, {}],
    ['switches off the filter of system calls', { securityContext: { seccompProfile: { type: 'Unconfined' } } }, {}],
    ['switches off AppArmor', {}, { securityContext: { appArmorProfile: { type: 'Unconfined' } } }],
    ['takes a type of SELinux', {}, { securityContext: { seLinuxOptions: { type: 'spc_t' } } }],
    [
      'sets what is set for its whole node',
      { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
      {},
    ],
    ['is of its node, on Windows', HOST_PROCESS, {}],
  ])('is refused by the level baseline when it %s', async (_what, spec, container) => {
    expectRefused(await make('pol-base', pod(spec, container)), /violates PodSecurity "baseline:latest"|mount volumes/);
    expectDone(await make('pol-open', pod(spec, container)));
  });

  it('is refused by the level restricted when it may be root or get more rights', async () => {
    const good = {
      allowPrivilegeEscalation: false,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    };
    expectDone(await make('pol-strict', pod({}, { securityContext: good })));
    for (const worse of [{ allowPrivilegeEscalation: true }, { runAsNonRoot: false }, { runAsUser: 0 }]) {
      const refused = await make('pol-strict', pod({}, { securityContext: { ...good, ...worse } }));
      expectRefused(refused, /violates PodSecurity "restricted:latest"/);
    }
    expectDone(await make('pol-base', pod()));
  });

  it.each<[what: string, spec: JsonObject]>([
    ['names its node', { nodeName: 'node-1' }],
    ['tolerates every taint', { tolerations: [{ operator: 'Exists' }] }],
    [
      'tolerates the taint of the control plane',
      { tolerations: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' }] },
    ],
    ['mounts a server', { volumes: [{ name: 'v', nfs: { server: '192.0.2.1', path: '/' } }] }],
    ['mounts a repository', { volumes: [{ name: 'v', gitRepo: { repository: 'https://example.com/a' } }] }],
    ['mounts what a driver says', { volumes: [{ name: 'v', csi: { driver: 'example.com' } }] }],
    ['stands before the host’s own', { priorityClassName: 'system-node-critical' }],
  ])('is refused when it %s', async (_what, spec) => {
    expectRefused(await make('pol-base', pod(spec)), /the policy of this cluster/);
    if (spec['priorityClassName'] === undefined) expectDone(await make('pol-open', pod(spec)));
  });

  it('may do what is its own', async () => {
    const volumes = [
      ...[{ emptyDir: {} }, { configMap: { name: 'a' } }, { secret: { secretName: 'a' } }, {}],
      ...[{ persistentVolumeClaim: { claimName: 'a' } }, { projected: { sources: [] } }, { downwardAPI: {} }],
    ].map((source, index) => ({ name: `v${index}`, ...source }));
    const tolerations = [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }];
    expectDone(await make('pol-base', pod({ volumes, tolerations })));
  });

  it('gets the nodes of the pool, and pulls its images each time', async () => {
    const answer = await make('pol-pool', pod({ initContainers: [{ name: 'i', image: 'nginx' }] }));
    expectDone(answer);
    const { spec } = answer.body as { spec: { nodeSelector: unknown; tolerations: unknown[]; containers: unknown[] } };
    expect(spec.nodeSelector).toEqual({ 'example.com/pool': 'tenants', plain: '' });
    expect(spec.tolerations).toContainEqual({
      key: 'example.com/pool',
      operator: 'Equal',
      value: 'tenants',
      effect: 'NoSchedule',
    });
    expect(spec).toMatchObject({
      containers: [{ imagePullPolicy: 'Always' }],
      initContainers: [{ imagePullPolicy: 'Always' }],
    });
    const elsewhere = await make('pol-pool', pod({ nodeSelector: { 'example.com/pool': 'host', a: 'b' } }));
    expect(elsewhere.body).toMatchObject({ spec: { nodeSelector: { 'example.com/pool': 'tenants', a: 'b' } } });
    const never = await make('pol-pool', pod({}, { imagePullPolicy: 'Never' }));
    expect(never.body).toMatchObject({ spec: { containers: [{ imagePullPolicy: 'Always' }] } });
    const reference = 'registry.example.com/data:1';
    const volumes = [
      { name: 'e', emptyDir: {} },
      { name: 'v', image: { reference, pullPolicy: 'Never' } },
    ];
    const mounted = await make('pol-pool', pod({ volumes }));
    const { volumes: stored } = (mounted.body as { spec: { volumes: unknown[] } }).spec;
    expect(stored).toContainEqual({ name: 'v', image: { reference, pullPolicy: 'Always' } });
    const plain = await make('pol-base', pod({}, { imagePullPolicy: 'Never' }));
    expect(plain.body).toMatchObject({ spec: { containers: [{ imagePullPolicy: 'Never' }] } });
  });

  it('tolerates the taints that the policy lists, each by its key', async () => {
    const tolerating = (toleration: JsonObject) => make('pol-pool', pod({ tolerations: [toleration] }));
    expectDone(await tolerating({ key: 'example.com/gpu', operator: 'Exists' }));
    expectRefused(await tolerating({ key: 'example.com/other', operator: 'Exists' }), /tolerate taints/);
    expectRefused(await tolerating({ operator: 'Exists' }), /tolerate taints/);
  });

  it.each([
    ['registry.example.com/app:1', true],
    ['registry.example.com/deep/app@sha256:0000000000000000000000000000000000000000000000000000000000000000', true],
    ['nginx', true],
    ['docker.io/library/nginx:1', true],
    ['library/nginx', true],
    ['busybox', false],
    ['other/nginx', false],
    ['evil.example.com/registry.example.com/app', false],
    ['registry.example.com.evil.org/app', false],
    ['registry.example.com:5000/app', false],
    ['localhost/app', false],
  ])('of the image %s is taken: %s', async (image, taken) => {
    const one = await make('pol-pool', pod({}, { image }));
    const init = await make('pol-pool', pod({ initContainers: [{ name: 'i', image }] }));
    const volume = await make('pol-pool', pod({ volumes: [{ name: 'v', image: { reference: image } }] }));
    for (const answer of [one, init, volume]) {
      if (taken) expectDone(answer);
      else expectRefused(answer, /lets images begin with these only: registry.example.com\//);
    }
    expectDone(await make('pol-base', pod({}, { image })));
  });
});

it('takes what has capitals before the first slash for another registry, as container runtimes do', async () => {
  const make = (image: string) => tenants.as('pol-hub')('POST', pods('pol-hub') + DRY, pod({}, { image }));
  expectDone(await make('evil/app'));
  expectRefused(await make('EVIL/app'), /lets images begin with these only: docker.io\//);
});

describe('a pod that is there', () => {
  it('is judged again when its spec changes, and only then', async () => {
    const ask = tenants.as('pol-pool');
    expectDone(await ask('POST', pods('pol-pool'), pod({}, {}, { name: 'there' })));
    const path = `${pods('pol-pool')}/there`;
    const image = (name: string) => ({ spec: { containers: [{ name: 'a', image: name }] } });
    const STRATEGIC = 'application/strategic-merge-patch+json';
    expectRefused(await ask('PATCH', path, image('busybox'), STRATEGIC), /lets images begin/);
    expectDone(await ask('PATCH', path, image('registry.example.com/app:2'), STRATEGIC));
    const debug = { spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox', imagePullPolicy: 'Always' }] } };
    expectRefused(await ask('PATCH', `${path}/ephemeralcontainers`, debug, STRATEGIC), /lets images begin/);
    tenants.rewrite('pooled', `${POOLED.replace('registry.example.com/, ', '')}`);
    await eventually('the policy has reached the namespace', async () => {
      const { status } = await ask('POST', pods('pol-pool') + DRY, pod());
      return status === 403;
    });
    expectDone(await ask('PATCH', path, { metadata: { labels: { a: 'b' } } }, MERGE));
    tenants.rewrite('pooled', POOLED);
    await eventually('the policy has come back', async () => {
      const { status } = await ask('POST', pods('pol-pool') + DRY, pod());
      return status === 201;
    });
    expectDone(await ask('DELETE', path));
  });

  it('is not made by a controller of the host either', async () => {
    const apps = '/apis/apps/v1/namespaces/pol-base--default/replicasets';
    const set = (name: string, template: JsonObject) => ({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: { ...template, metadata: { labels: { app: name } } },
      },
    });
    const ask = tenants.as('pol-base');
    expectDone(await ask('POST', apps, set('fine', { spec: pod()['spec'] ?? null })));
    expectDone(await ask('POST', apps, set('chosen', { spec: pod({ nodeName: 'node-1' })['spec'] ?? null })));
    const privileged = pod({}, { securityContext: { privileged: true } });
    expectDone(await ask('POST', apps, set('mighty', { spec: privileged['spec'] ?? null })));
    const statusOf = async (name: string) =>
      (await ask('GET', `${apps}/${name}`)).body as { status?: { replicas?: number; conditions?: JsonObject[] } };
    await eventually('the good one has its pod', async () => (await statusOf('fine')).status?.replicas === 1);
    for (const [name, why] of [
      ['chosen', /lets nobody else choose a node/],
      ['mighty', /violates PodSecurity/],
    ] as const) {
      await eventually(`${name} says why it has none`, async () =>
        why.test(JSON.stringify((await statusOf(name)).status?.conditions ?? [])),
      );
      expect((await statusOf(name)).status?.replicas).toBe(0);
    }
    for (const name of ['fine', 'chosen', 'mighty']) expectDone(await ask('DELETE', `${apps}/${name}`));
  });
});
