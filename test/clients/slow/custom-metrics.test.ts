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
import { eventually } from '../../support/processes.ts';
import { metricsAdapter } from '../support/pod-programs.ts';
import { MAKING_MS } from '../support/programs.ts';

const { acme, globex, both, host } = useProduct();
const NS = 'scaled';
const SERVICE = 'custom-metrics';
const VERSIONS = [
  ['custom.metrics.k8s.io', 'v1beta2'],
  ['external.metrics.k8s.io', 'v1beta1'],
] as const;
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const APPEARS_MS = 60_000;
const SCALES_MS = 120_000;

let folder: string;
let adapter: Child;
let writing: string;

beforeAll(async () => {
  const file = await metricsAdapter();
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

/** Of a tenant's object: what the adapter will tell. */
async function measure(tenant: TenantClient, object: string, metric: string, value: number): Promise<void> {
  const url = `${writing}/write-metrics/namespaces/${tenant.id}--${NS}/${object}/${metric}`;
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(String(value)) });
  expect(status).toBe(200);
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
  beforeAll(() => asBoth(both, (tenant) => tenant.kubectl(`create namespace ${NS}`)));

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

describe('the APIs of the adapter', () => {
  it('are not among those of tenants, who are asked nothing by them', async () => {
    const groups = (await acme.json('/apis')).groups.map(({ name }: KubeObject) => name);
    for (const [group, version] of VERSIONS) {
      expect(groups).not.toContain(group);
      const path = `/apis/${group}/${version}/namespaces/${NS}/pods/*/requests`;
      expectStatus(await acme.send(path), 404, 'NotFound');
    }
    expect((await acme.run('api-resources')).code).toBe(0);
  });
});
