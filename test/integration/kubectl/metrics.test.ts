/**
 * What pods and nodes use, with the host's own metrics-server behind it: `kubectl top`, plain requests, and autoscalers
 * that act by it. What pods use, the annotation kwok.x-k8s.io/usage-cpu says. Last, the host's aggregated APIs die.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { asBoth, expectStatus, type KubeObject, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { jsonOf, requestOnce } from '../../support/http.ts';
import { eventually } from '../../support/processes.ts';

const { acme, globex, both, host } = useProduct();
const NS = 'measured';
const API = '/apis/metrics.k8s.io/v1beta1';
const IN_NS = `${API}/namespaces/${NS}/pods`;
const USAGE = 'kwok.x-k8s.io/usage-cpu';

/** Millicores; the two tenants' pods of the same name use as little alike as their files. */
function usageOf(tenant: TenantClient): number {
  return tenant === acme ? 300 : 70;
}

const WEB = (usage: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: NS },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' }, annotations: { [USAGE]: `${usage}m` } },
      spec: { containers: [{ name: 'web', image: 'none', resources: { requests: { cpu: '100m' } } }] },
    },
  },
});
const SCALER = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: NS },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 100 } } },
    ],
  },
};

/** As the host's administrator. */
async function atHost(path: string): Promise<KubeObject> {
  const { server, caPem, adminCertPem, adminKeyPem } = inject('controlPlane');
  return await requestOnce({ server, caPem, certPem: adminCertPem, keyPem: adminKeyPem, path });
}

beforeAll(async () => {
  await asBoth(both, async (tenant) => {
    await tenant.kubectl(`create namespace ${NS}`);
    await tenant.kubectl(`run one -n ${NS} --image=none --annotations=${USAGE}=${usageOf(tenant)}m`);
    await tenant.kubectl(`run of-${tenant === acme ? 'first' : 'second'} -n ${NS} --image=none`);
  });
  await asBoth(both, (tenant) =>
    eventually('its pods are measured', async () => (await tenant.json(IN_NS)).items.length === 2, 60_000),
  );
});

describe('kubectl top', () => {
  it('tells of each tenant’s own pods', async () => {
    const [first, second] = await asBoth(both, (tenant) => tenant.kubectl(`top pods -n ${NS} --no-headers`));
    expect(first?.split('\n').map((line) => line.split(/\s+/).slice(0, 2))).toEqual([
      ['of-first', expect.stringMatching(/^[12]m$/)],
      ['one', expect.stringMatching(/^(?:299|30[01])m$/)],
    ]);
    expect(second?.split('\n').map((line) => line.split(/\s+/)[0])).toEqual(['of-second', 'one']);
  });

  it('tells of all namespaces of a tenant, and of nobody else’s', async () => {
    await asBoth(both, async (tenant) => {
      const lines = (await tenant.kubectl('top pods -A --no-headers')).split('\n');
      const { items } = await tenant.get('pods -A');
      const own = new Set(items.map(({ metadata }: KubeObject) => `${metadata.namespace} ${metadata.name}`));
      const told = lines.map((line) => line.split(/\s+/).slice(0, 2).join(' '));
      expect(told.filter((pod) => !own.has(pod))).toEqual([]);
      expect(told).toContain(`${NS} one`);
    });
  });

  it('selects by labels', async () => {
    expect(await acme.kubectl(`top pods -n ${NS} -l run=one --no-headers`)).toMatch(/^one\s+\S+\s+\S+$/);
  });

  it('tells of the nodes that the tenant sees', async () => {
    expect(await acme.kubectl('top nodes --no-headers')).toMatch(/^node-1\s/);
  });
});

describe('metrics.k8s.io', () => {
  it('is in discovery as on the host', async () => {
    const path = `${API}`;
    expect(await acme.json(path)).toEqual(jsonOf(await atHost(path)));
  });

  it('shows of a node what it uses, and nothing else of it', async () => {
    const { metadata, ...shown } = await acme.json(`${API}/nodes/node-1`);
    expect(Object.keys(shown).sort()).toEqual(['apiVersion', 'kind', 'timestamp', 'usage', 'window']);
    expect(metadata).toMatchObject({ name: 'node-1' });
    expect(metadata).not.toHaveProperty('annotations');
  });

  it('is printed as the host prints it', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = await acme.json(IN_NS, { headers: { accept } });
    expect(table.columnDefinitions.map(({ name }: KubeObject) => name)).toEqual(['Name', 'cpu', 'memory', 'Window']);
    expect(table.rows.map(({ cells }: KubeObject) => cells[0])).toEqual(['of-first', 'one']);
  });

  it.each([
    ['a pod that is not there', `${IN_NS}/none`],
    ['a watch', `${IN_NS}?watch=true`],
    ['a node that is not there', `${API}/nodes/none`],
  ])('refuses what the host refuses, in its words: %s', async (_what, path) => {
    const mine = await acme.send(path);
    const theirs = await atHost(path.replace(NS, `acme--${NS}`));
    expect(mine.status).toBe(theirs.status);
    expect({ ...jsonOf<KubeObject>(mine), metadata: {} }).toEqual({
      ...jsonOf<KubeObject>({ ...theirs, text: theirs.text.replaceAll(`acme--${NS}`, NS) }),
      metadata: {},
    });
  });

  it('says that a pod is not measured, in the tenant’s terms', async () => {
    // What uses nothing does not run, for metrics-server. It has to hear of the pod first.
    await acme.kubectl(`run nowhere -n ${NS} --image=none --annotations=kwok.x-k8s.io/usage-memory=0`);
    await eventually('it is known', async () => {
      const status = expectStatus(await acme.send(`${IN_NS}/nowhere`), 404, 'NotFound');
      return status.message === `podmetrics.metrics.k8s.io "${NS}/nowhere" not found`;
    });
  });

  it('is read by the tenant’s own roles alone', async () => {
    await acme.kubectl(`create serviceaccount watcher -n ${NS}`);
    const as = `--as=system:serviceaccount:${NS}:watcher`;
    expect(await acme.refused(`top pods -n ${NS} ${as}`)).toContain(
      'cannot list resource "pods" in API group "metrics',
    );
    await acme.kubectl(`create role watcher -n ${NS} --verb=get,list --resource=pods.metrics.k8s.io`);
    await acme.kubectl(`create rolebinding watcher -n ${NS} --role=watcher --serviceaccount=${NS}:watcher`);
    expect(await acme.kubectl(`top pods -n ${NS} ${as}`)).toContain('one');
    expect(await acme.refused(`top nodes ${as}`)).toContain('cannot list resource "nodes"');
  });

  it('cannot be read of another tenant’s namespace', async () => {
    const path = `${API}/namespaces/globex--${NS}/pods`;
    expect((await acme.json(path, { typed: [`globex--${NS}`] })).items).toEqual([]);
    expect((await globex.json(IN_NS)).items.length).toBeGreaterThan(1);
  });
});

describe('an autoscaler', () => {
  it('scales by what the pods use, each tenant’s by its own', async () => {
    await asBoth(both, async (tenant) => {
      await tenant.apply(WEB(usageOf(tenant)));
      await tenant.apply(SCALER);
    });
    const scaled = async (tenant: TenantClient) => await tenant.get(`hpa web -n ${NS}`);
    await asBoth(both, (tenant) =>
      eventually(
        'it has measured',
        async () => (await scaled(tenant)).status.currentMetrics?.[0]?.resource?.current?.averageUtilization > 0,
        90_000,
      ),
    );
    await eventually('it scales out', async () => (await scaled(acme)).status.desiredReplicas === 3);
    expect((await scaled(globex)).status).toMatchObject({ currentReplicas: 1, desiredReplicas: 1 });
    await acme.kubectl(`wait deployment/web -n ${NS} --for=jsonpath={.spec.replicas}=3 --timeout=60s`);
  });
});

describe('when aggregated APIs of the host do not answer', () => {
  const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
  const METRICS = `${SERVICES}/v1beta1.metrics.k8s.io`;
  let port = 0;

  async function pointTo(wanted: number): Promise<void> {
    await host.send('PATCH', METRICS, { spec: { service: { port: wanted } } }, 'application/merge-patch+json');
  }
  async function isAvailable(path: string): Promise<string> {
    const { status } = (await host.send('GET', path)).body as KubeObject;
    return status?.conditions?.find(({ type }: KubeObject) => type === 'Available')?.status;
  }

  beforeAll(async () => {
    port = ((await host.send('GET', METRICS)).body as KubeObject).spec.service.port;
    await host.create(SERVICES, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.dead.host.example' },
      spec: {
        group: 'dead.host.example',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: 'kube-system', name: 'metrics-server', port: 1 },
      },
    });
    await pointTo(1);
    for (const path of [METRICS, `${SERVICES}/v1.dead.host.example`]) {
      await eventually('the host knows it', async () => (await isAvailable(path)) === 'False', 60_000);
    }
  });

  afterAll(async () => {
    await host.send('DELETE', `${SERVICES}/v1.dead.host.example`);
    await pointTo(port);
    await eventually('the host knows it', async () => (await isAvailable(METRICS)) === 'True', 60_000);
  });

  it('discovery is what it was, without a word of the host’s groups', async () => {
    const { code, stdout, stderr } = await acme.run('api-resources');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('deployments');
    expect(stdout).not.toContain('host.example');
    expect(await acme.kubectl('get all -A')).toContain('pod/one');
    expect(await acme.kubectl('explain pods.spec')).toContain('PodSpec');
  });

  it('what they would have told is unavailable, and says nothing of the host', async () => {
    for (const path of [IN_NS, `${IN_NS}/one`, `${API}/pods`, `${API}/nodes`]) {
      const status = expectStatus(await acme.send(path), 503, 'ServiceUnavailable');
      expect(status.message).toBe('the server is currently unable to handle the request');
    }
    expect(await acme.refused(`top pods -n ${NS}`)).toMatch(/unable to handle the request/);
  });

  it('namespaces are made, used and emptied; one that goes is gone when they are back', async () => {
    await acme.kubectl('create namespace measured-going');
    await acme.kubectl('create configmap one -n measured-going');
    await acme.kubectl('delete namespace measured-going --wait=false');
    await eventually('it is empty', async () => (await acme.get('configmaps -n measured-going')).items.length === 0);
    await eventually('it says why it stays', async () => {
      const { status } = await acme.get('namespace measured-going');
      return status.conditions?.some(({ type }: KubeObject) => type === 'NamespaceDeletionDiscoveryFailure');
    });
    await host.send('DELETE', `${SERVICES}/v1.dead.host.example`);
    await pointTo(port);
    await acme.kubectl('wait namespace/measured-going --for=delete --timeout=120s');
  });
});
