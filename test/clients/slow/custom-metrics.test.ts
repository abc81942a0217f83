/**
 * Autoscalers of tenants by metrics that are not of pods' resources: the host has an adapter, made with the library that
 * adapters are made with, and its own controller scales. Not among what `npm test` runs by itself: the first build of the
 * adapter takes minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Child, logTail, startChild } from '../../../src/dev/child.ts';
import { choosePort } from '../../../src/dev/ports.ts';
import { asBoth, expectStatus, type KubeObject, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { jsonOf, requestOnce } from '../../support/http.ts';
import { eventually } from '../../support/processes.ts';
import { metricsAdapter } from '../support/pod-programs.ts';
import { MAKING_MS } from '../support/programs.ts';

const { acme, globex, both, host } = useProduct();
const NS = 'scaled';
const SERVICE = 'custom-metrics';
const VERSIONS = [
  ['custom.metrics.k8s.io', 'v1beta2'],
  ['custom.metrics.k8s.io', 'v1beta1'],
  ['external.metrics.k8s.io', 'v1beta1'],
] as const;
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const APPEARS_MS = 60_000;
const SCALES_MS = 120_000;

const PRINTERS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'printers.measured.example.com' },
  spec: {
    group: 'measured.example.com',
    scope: 'Namespaced',
    names: { plural: 'printers', singular: 'printer', kind: 'Printer' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

let folder: string;
let adapter: Child;
let writing: string;

beforeAll(async () => {
  const file = await metricsAdapter();
  // It asks for the kinds that there are once, when it starts.
  await asBoth(both, async (tenant) => {
    await tenant.kubectl(`create namespace ${NS}`);
    await tenant.apply(PRINTERS);
    await tenant.kubectl('wait crd/printers.measured.example.com --for=condition=Established');
  });
  folder = mkdtempSync(join(tmpdir(), 'kubeveil-custom-metrics-'));
  const port = await choosePort(undefined, 'the adapter');
  writing = `http://127.0.0.1:${await choosePort(undefined, 'what the adapter is to tell')}`;
  const { adminKubeconfigPath } = inject('controlPlane');
  const logPath = join(folder, 'adapter.log');
  const args = [
    ...['lister', 'authentication', 'authorization'].map((name) => `--${name}-kubeconfig=${adminKubeconfigPath}`),
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--write-address=${new URL(writing).host}`,
  ];
  adapter = await startChild({ name: SERVICE, file, args, logPath, env: { HOME: folder } });
  await host.create('/api/v1/namespaces/kube-system/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: SERVICE },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  for (const [group, version] of VERSIONS) {
    await host.create(API_SERVICES, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: 'kube-system', name: SERVICE, port },
      },
    });
    await eventually(
      `the host has ${group}\n${logTail(logPath)}`,
      async () => (await host.send('GET', `/apis/${group}/${version}`)).status === 200,
      APPEARS_MS,
    );
  }
}, MAKING_MS);

afterAll(async () => {
  for (const [group, version] of VERSIONS) await host.send('DELETE', `${API_SERVICES}/${version}.${group}`);
  await host.send('DELETE', `/api/v1/namespaces/kube-system/services/${SERVICE}`);
  await adapter?.stop(10_000);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Of a tenant's object: what the adapter will tell. `pods/one`, or `metrics` of the namespace itself. */
async function measure(tenant: TenantClient, object: string, metric: string, value: number): Promise<void> {
  const url = `${writing}/write-metrics/namespaces/${tenant.id}--${NS}/${object}/${metric}`;
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(String(value)) });
  expect(status).toBe(200);
}

function service(name: string): KubeObject {
  const metadata = { name, namespace: NS, labels: { app: name } };
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }] } };
}

function deployment(name: string): KubeObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NS },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image: 'none' }] } },
    },
  };
}

function scaler(name: string, metric: KubeObject): KubeObject {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace: NS },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [metric],
    },
  };
}

async function scaled(tenant: TenantClient, name: string): Promise<KubeObject> {
  return (await tenant.get(`hpa ${name} -n ${NS}`)).status;
}

/** Acme's is busy, and globex' is not. */
async function scalesOnlyTheBusy(name: string): Promise<void> {
  await eventually('acme’s scales out', async () => (await scaled(acme, name)).desiredReplicas === 3, SCALES_MS);
  await eventually(
    'globex’ has measured',
    async () => (await scaled(globex, name)).currentMetrics?.[0]?.type !== undefined,
    SCALES_MS,
  );
  expect(await scaled(globex, name)).toMatchObject({ currentReplicas: 1, desiredReplicas: 1 });
}

describe('an autoscaler', () => {
  it('scales by a metric of the pods, each tenant’s by its own', async () => {
    await asBoth(both, async (tenant) => {
      await tenant.apply(deployment('by-pods'));
      await tenant.kubectl(`rollout status deployment/by-pods -n ${NS} --timeout=120s`);
      const { items } = await tenant.get(`pods -n ${NS} -l app=by-pods`);
      await measure(tenant, `pods/${items[0].metadata.name}`, 'requests', tenant === acme ? 30 : 1);
      const target = { type: 'AverageValue', averageValue: '10' };
      await tenant.apply(scaler('by-pods', { type: 'Pods', pods: { metric: { name: 'requests' }, target } }));
    });
    await scalesOnlyTheBusy('by-pods');
  });

  it('scales by a metric of another object, each tenant’s by its own', async () => {
    const describedObject = { apiVersion: 'v1', kind: 'Service', name: 'queue' };
    await asBoth(both, async (tenant) => {
      await tenant.apply(deployment('by-object'));
      await tenant.kubectl(`create service clusterip queue -n ${NS} --tcp=80`);
      await measure(tenant, 'services/queue', 'waiting', tenant === acme ? 300 : 5);
      const object = { describedObject, metric: { name: 'waiting' }, target: { type: 'Value', value: '10' } };
      await tenant.apply(scaler('by-object', { type: 'Object', object }));
    });
    await scalesOnlyTheBusy('by-object');
    expect((await scaled(acme, 'by-object')).currentMetrics).toMatchObject([
      { type: 'Object', object: { describedObject, current: { value: '300' } } },
    ]);
  });

  it('scales by a metric from outside', async () => {
    await acme.apply(deployment('by-outside'));
    // The provider has two values of this one, by label.
    const metric = { name: 'my-external-metric', selector: { matchLabels: { foo: 'bar' } } };
    const external = { metric, target: { type: 'AverageValue', averageValue: '14' } };
    await acme.apply(scaler('by-outside', { type: 'External', external }));
    await eventually('it scales', async () => (await scaled(acme, 'by-outside')).desiredReplicas === 3, SCALES_MS);
  });

  it('says in the tenant’s terms that a metric is not there', async () => {
    await acme.apply(deployment('by-nothing'));
    const object = {
      describedObject: { apiVersion: 'v1', kind: 'Service', name: 'nothing' },
      metric: { name: 'waiting' },
      target: { type: 'Value', value: '10' },
    };
    await acme.apply(scaler('by-nothing', { type: 'Object', object }));
    const failed = async () =>
      (await scaled(acme, 'by-nothing')).conditions?.find(({ type }: KubeObject) => type === 'ScalingActive');
    await eventually('it says so', async () => (await failed())?.status === 'False', SCALES_MS);
    expect((await failed()).message).toContain('waiting');
    await eventually('its events say so', async () =>
      (await acme.kubectl(`describe hpa by-nothing -n ${NS}`)).includes('FailedGetObjectMetric'),
    );
  });
});

const CUSTOM = '/apis/custom.metrics.k8s.io';
/** The same question by the host's administrator, in whose answer names are put as the tenant has them. */
async function atHost(path: string): Promise<{ status: number; object: KubeObject }> {
  const { server, caPem, adminCertPem, adminKeyPem } = inject('controlPlane');
  const upstream = path.replace(`/${NS}/`, `/acme--${NS}/`).replace('.measured.example', '.acme--measured.example');
  const answer = await requestOnce({ server, caPem, certPem: adminCertPem, keyPem: adminKeyPem, path: upstream });
  const object = JSON.parse(answer.text.replaceAll('acme--', '').replaceAll('"apiVersion":"/v1"', '"apiVersion":"v1"'));
  return { status: answer.status, object: { ...object, metadata: {} } };
}

describe.each(['v1beta2', 'v1beta1'])('custom.metrics.k8s.io/%s', (version) => {
  const API = `${CUSTOM}/${version}`;
  const IN_NS = `${API}/namespaces/${NS}`;

  beforeAll(async () => {
    await asBoth(both, async (tenant) => {
      const busy = tenant === acme ? 7 : 70;
      await tenant.apply({
        apiVersion: 'measured.example.com/v1',
        kind: 'Printer',
        metadata: { name: 'one', namespace: NS },
      });
      for (const name of ['told', 'other']) await tenant.apply(service(name));
      for (const name of ['told', 'other']) await measure(tenant, `services/${name}`, 'exec', busy);
      await measure(tenant, 'deployments.apps/by-pods', 'busy', busy);
      await measure(tenant, 'metrics', 'busy', busy);
      await measure(tenant, `printers.${tenant.id}--measured.example.com/one`, 'pages', busy);
      await eventually('the tenant has the group', async () => (await tenant.send(API)).status === 200, 2 * APPEARS_MS);
    });
  });

  it('is in discovery, without a word of what is measured of whom', async () => {
    const listed = await host.send('GET', API);
    expect((listed.body as KubeObject).resources.length).toBeGreaterThan(0);
    await asBoth(both, async (tenant) => {
      expect(await tenant.json(API)).toMatchObject({ kind: 'APIResourceList', resources: [] });
      expect((await tenant.json(CUSTOM)).versions.map((one: KubeObject) => one.version)).toContain(version);
      expect(await tenant.run('api-resources --cached=false')).toMatchObject({ code: 0, stderr: '' });
      expect(await tenant.kubectl('api-versions')).toContain(`custom.metrics.k8s.io/${version}`);
    });
  });

  it.each([
    ['of one object', 'services/told/exec'],
    ['of all', 'services/*/exec'],
    ['of those that labels select', 'services/%2A/exec?labelSelector=app%3Dtold'],
    ['of a kind with a group', 'deployments.apps/by-pods/busy'],
    ['of a kind of the tenant’s', 'printers.measured.example.com/*/pages'],
    ['of the namespace', 'metrics/busy'],
    ['by labels of its own', 'services/told/exec?metricLabelSelector=%21none'],
    ['that is not there', 'services/told/none'],
    ['by labels that it has not', 'metrics/none'],
  ])('tells what the host tells: a metric %s', async (_what, rest) => {
    const { status, object } = await atHost(`${IN_NS}/${rest}`);
    const mine = await acme.send(`${IN_NS}/${rest}`);
    expect(mine.status).toBe(status);
    expect({ ...jsonOf<KubeObject>(mine), metadata: {}, details: undefined }).toEqual({
      ...object,
      details: undefined,
    });
  });

  it('tells each tenant of its own', async () => {
    for (const rest of ['services/told/exec', 'printers.measured.example.com/one/pages', 'metrics/busy']) {
      const told = await asBoth(both, async (tenant) => (await tenant.json(`${IN_NS}/${rest}`)).items[0].value);
      expect(told).toEqual(['7', '70']);
    }
  });

  it('tells nothing of another tenant, of nodes, or of what has no namespace', async () => {
    const foreign = [
      `${API}/namespaces/acme--${NS}/services/*/exec`,
      `${API}/namespaces/acme--${NS}/metrics/busy`,
      `${IN_NS}/printers.acme--measured.example.com/*/pages`,
      `${API}/namespaces/acme--${NS}/busy`,
      `${API}/nodes/*/exec`,
      `${API}/nodes/node-1/exec`,
      `${API}/services/*/exec`,
      `${IN_NS}/nodes/node-1/exec`,
      `${IN_NS}/services`,
    ];
    for (const path of foreign) {
      const answer = await globex.send(path, { typed: [`acme--${NS}`, 'acme--measured.example.com'] });
      expectStatus(answer, 404, 'NotFound');
    }
  });

  it('is only read', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expectStatus(await acme.send(`${IN_NS}/services/told/exec`, { method, body: '{}' }), 405, 'MethodNotAllowed');
  });

  it('is read by the tenant’s own roles, a metric at a time', async () => {
    const account = `reader-${version}`;
    await acme.kubectl(`create serviceaccount ${account} -n ${NS}`);
    const as = `--as=system:serviceaccount:${NS}:${account}`;
    const path = `${IN_NS}/services/told/exec`;
    expect(await acme.refused(`get --raw ${path} ${as}`)).toContain(
      'cannot get resource "services/exec" in API group "custom.metrics.k8s.io"',
    );
    // kubectl looks a resource up that it is to write into a role, and this one is in nobody's discovery.
    await acme.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: account, namespace: NS },
      rules: [{ apiGroups: ['custom.metrics.k8s.io'], resources: ['services/exec'], verbs: ['get'] }],
    });
    await acme.kubectl(`create rolebinding ${account} -n ${NS} --role=${account} --serviceaccount=${NS}:${account}`);
    expect(JSON.parse(await acme.kubectl(`get --raw ${path} ${as}`)).items.length).toBe(1);
    expect(await acme.refused(`get --raw ${IN_NS}/metrics/busy ${as}`)).toContain('cannot get resource "metrics"');
  });
});

describe('external.metrics.k8s.io', () => {
  it('is not among a tenant’s APIs: nothing says whose its values are', async () => {
    const groups = (await acme.json('/apis')).groups.map(({ name }: KubeObject) => name);
    expect(groups).not.toContain('external.metrics.k8s.io');
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${NS}/my-external-metric`;
    expectStatus(await acme.send(path), 404, 'NotFound');
  });
});

describe('when the adapter is gone', () => {
  beforeAll(() => adapter.stop(10_000));

  it('metrics are unavailable, which says nothing of the host; all else is as it was', async () => {
    const path = `${CUSTOM}/v1beta2/namespaces/${NS}/services/told/exec`;
    await eventually('they are', async () => (await acme.send(path)).status === 503);
    const status = expectStatus(await acme.send(path), 503, 'ServiceUnavailable');
    expect(status.message).toBe('the server is currently unable to handle the request');
    expect(await acme.run('api-resources --cached=false')).toMatchObject({ code: 0, stderr: '' });
    expect(await acme.kubectl(`get service told -n ${NS} -o name`)).toBe('service/told');
    expect(await acme.kubectl('explain services.spec')).toContain('ServiceSpec');
  });
});
