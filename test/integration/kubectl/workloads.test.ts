/** Workloads run: the host's controllers and nodes do for a tenant what they do on any cluster, under its names. */
import { describe, expect, it } from 'vitest';
import { asBoth, inNamespace, type KubeObject, useProduct } from '../../support/as-tenant.ts';
import { eventually } from '../../support/processes.ts';

const { both } = useProduct();
const TIMEOUT = '--timeout=150s';

describe('a Deployment', () => {
  it('rolls out, scales, updates, rolls back, and its pods run on nodes', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'deployments', async (n) => {
        await tenant.kubectl(`create deployment web -n ${n} --image=nginx:1 --replicas=3`);
        expect(await tenant.kubectl(`rollout status deployment/web -n ${n} ${TIMEOUT}`)).toContain(
          'successfully rolled out',
        );
        const pods = await tenant.get(`pods -n ${n} -l app=web`);
        expect(pods.items.map(({ status }: KubeObject) => status.phase)).toEqual(['Running', 'Running', 'Running']);
        const wide = await tenant.kubectl(`get pods -n ${n} -o wide --no-headers`);
        expect(wide.split('\n').every((line) => / Running .* node-[12] /.test(line))).toBe(true);
        for (const pod of pods.items) {
          const [owner] = pod.metadata.ownerReferences;
          expect(owner).toMatchObject({
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: expect.stringMatching(/^web-/),
          });
        }

        await tenant.kubectl(`scale deployment web -n ${n} --replicas=1`);
        await tenant.kubectl(`wait deployment/web -n ${n} --for=jsonpath={.status.replicas}=1 ${TIMEOUT}`);
        await tenant.kubectl(`set image deployment/web nginx=nginx:2 -n ${n}`);
        await tenant.kubectl(`rollout status deployment/web -n ${n} ${TIMEOUT}`);
        expect(await tenant.kubectl(`rollout history deployment/web -n ${n}`)).toMatch(/1 .*\n2 /);
        await tenant.kubectl(`rollout undo deployment/web -n ${n}`);
        await tenant.kubectl(`rollout status deployment/web -n ${n} ${TIMEOUT}`);
        const { spec } = await tenant.get(`deployment web -n ${n}`);
        expect(spec.template.spec.containers[0].image).toBe('nginx:1');
        await tenant.kubectl(`rollout restart deployment/web -n ${n}`);
        await tenant.kubectl(`rollout status deployment/web -n ${n} ${TIMEOUT}`);

        const described = await tenant.kubectl(`describe deployment web -n ${n}`);
        expect(described).toMatch(new RegExp(`Namespace: +${n}\\n`));
        expect(described).toContain('ScalingReplicaSet');
        await tenant.kubectl(`delete deployment web -n ${n}`);
        await tenant.kubectl(`wait pods -l app=web -n ${n} --for=delete ${TIMEOUT}`);
      }),
    );
  });

  it('is reached by a Service, whose endpoints are its pods', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'services', async (n) => {
        await tenant.kubectl(`create deployment web -n ${n} --image=nginx --replicas=2`);
        await tenant.kubectl(`expose deployment web -n ${n} --port=80`);
        await tenant.kubectl(`rollout status deployment/web -n ${n} ${TIMEOUT}`);
        const service = await tenant.get(`service web -n ${n}`);
        expect(service.spec.clusterIP).toMatch(/^10\./);
        const slice = `endpointslices -n ${n} -l kubernetes.io/service-name=web`;
        await eventually('both pods are endpoints', async () => {
          const { items } = await tenant.get(slice);
          return items[0]?.endpoints?.length === 2;
        });
        const { items } = await tenant.get(slice);
        for (const endpoint of items[0].endpoints) {
          expect(endpoint.targetRef).toMatchObject({ kind: 'Pod', namespace: n, name: expect.stringMatching(/^web-/) });
        }
        expect(await tenant.kubectl(`describe service web -n ${n}`)).toMatch(/Endpoints: +10\.\S+,10\./);
      }),
    );
  });
});

describe('Jobs', () => {
  it('complete, by themselves and from a CronJob', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'jobs', async (n) => {
        await tenant.kubectl(`create job once -n ${n} --image=busybox`);
        await tenant.kubectl(`wait job/once -n ${n} --for=condition=Complete ${TIMEOUT}`);
        const { items } = await tenant.get(`pods -n ${n} -l job-name=once`);
        expect(items.map(({ status }: KubeObject) => status.phase)).toEqual(['Succeeded']);
        await tenant.kubectl(`create cronjob nightly -n ${n} --image=busybox --schedule='0 0 1 1 *'`);
        await tenant.kubectl(`create job now -n ${n} --from=cronjob/nightly`);
        await tenant.kubectl(`wait job/now -n ${n} --for=condition=Complete ${TIMEOUT}`);
        const { metadata } = await tenant.get(`job now -n ${n}`);
        expect(metadata.ownerReferences[0]).toMatchObject({ kind: 'CronJob', name: 'nightly' });
        await tenant.kubectl(`delete job once now -n ${n}`);
        await tenant.kubectl(`wait pods -n ${n} -l job-name=once --for=delete ${TIMEOUT}`);
      }),
    );
  });
});

describe('a StatefulSet', () => {
  it('has its pods in order, each with a claim that is Bound to a volume', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'stateful', async (n) => {
        await tenant.apply(statefulSet, `-n ${n}`);
        await tenant.kubectl(`rollout status statefulset/db -n ${n} ${TIMEOUT}`);
        const names = await tenant.kubectl(`get pods -n ${n} -o name`);
        expect(names).toBe('pod/db-0\npod/db-1');
        const claims = await tenant.get(`pvc -n ${n}`);
        expect(claims.items.map(({ status }: KubeObject) => status.phase)).toEqual(['Bound', 'Bound']);
        for (const claim of claims.items) {
          const volume = await tenant.get(`pv ${claim.spec.volumeName}`);
          expect(volume.spec.claimRef).toMatchObject({ namespace: n, name: claim.metadata.name });
        }
        const printed = await tenant.kubectl(`get pv --no-headers`);
        const own = printed.split('\n').filter((line) => line.includes(` ${n}/data-db-`));
        expect(own).toHaveLength(2);
        await tenant.kubectl(`delete statefulset db -n ${n}`);
        await tenant.kubectl(`delete pvc --all -n ${n} ${TIMEOUT}`);
        for (const claim of claims.items) {
          await tenant.kubectl(`wait pv/${claim.spec.volumeName} --for=delete ${TIMEOUT}`);
        }
      }),
    );
  });
});

describe('a DaemonSet', () => {
  it('has a pod on every node', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'daemons', async (n) => {
        const { apiVersion, spec } = statefulSet;
        const { selector, template } = spec;
        const set = { apiVersion, kind: 'DaemonSet', metadata: { name: 'agent' }, spec: { selector, template } };
        await tenant.apply(set, `-n ${n}`);
        await tenant.kubectl(`rollout status daemonset/agent -n ${n} ${TIMEOUT}`);
        const { items } = await tenant.get(`pods -n ${n}`);
        expect(items.map((pod: KubeObject) => pod.spec.nodeName).sort()).toEqual(['node-1', 'node-2']);
      }),
    );
  });
});

describe('pods', () => {
  it('are evicted within the limits of a disruption budget', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'evictions', async (n) => {
        await tenant.kubectl(`create deployment web -n ${n} --image=nginx --replicas=1`);
        await tenant.kubectl(`rollout status deployment/web -n ${n} ${TIMEOUT}`);
        await tenant.kubectl(`create poddisruptionbudget web -n ${n} --selector=app=web --min-available=1`);
        await tenant.kubectl(`wait pdb/web -n ${n} --for=jsonpath={.status.currentHealthy}=1 ${TIMEOUT}`);
        const name = (await tenant.kubectl(`get pods -n ${n} -o name`)).replace('pod/', '');
        const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: n } };
        const path = `/api/v1/namespaces/${n}/pods/${name}/eviction`;
        const refused = await tenant.write('POST', path, eviction);
        expect(refused).toMatchObject({ status: 429, object: { kind: 'Status', reason: 'TooManyRequests' } });
        await tenant.kubectl(`delete pdb web -n ${n}`);
        await eventually('the pod may be evicted', async () => {
          return (await tenant.write('POST', path, eviction)).status === 201;
        });
      }),
    );
  });

  it('see their limits: a quota refuses what is too much, in the words of the tenant', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'quotas', async (n) => {
        await tenant.kubectl(`create quota small -n ${n} --hard=count/configmaps=2`);
        await tenant.kubectl(`wait quota/small -n ${n} --for=jsonpath={.status.hard.count/configmaps}=2 ${TIMEOUT}`);
        await eventually('the quota counts', async () => {
          await tenant.run(`create configmap one -n ${n}`);
          await tenant.run(`create configmap two -n ${n}`);
          const { stderr } = await tenant.run(`create configmap three -n ${n} --dry-run=server`);
          return /exceeded quota: small/.test(stderr);
        });
        expect(await tenant.kubectl(`describe quota small -n ${n}`)).toMatch(/count\/configmaps +2 +2/);
      }),
    );
  });
});

const statefulSet = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db' },
  spec: {
    serviceName: 'db',
    replicas: 2,
    selector: { matchLabels: { app: 'db' } },
    template: {
      metadata: { labels: { app: 'db' } },
      spec: { containers: [{ name: 'db', image: 'postgres' }], terminationGracePeriodSeconds: 1 },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
};
