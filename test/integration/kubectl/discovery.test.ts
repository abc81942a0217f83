/** What a tenant finds out about its cluster: kinds, versions, schemas, itself, its nodes, and what happens in it. */
import { describe, expect, it } from 'vitest';
import { KINDS } from '../../../src/kinds/table.ts';
import { asBoth, inNamespace, type KubeObject, useProduct } from '../../support/as-tenant.ts';
import { jsonOf } from '../../support/http.ts';

const { both } = useProduct();

describe('discovery', () => {
  it('lists every kind that the policy offers and no other, with its verbs', async () => {
    const offered = KINDS.filter((kind) => kind.classes.baseline !== 'absent' && kind.byMetric === undefined);
    const expected = offered.map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`));
    const absent = KINDS.filter((kind) => kind.classes.baseline === 'absent').map(({ resource }) => resource);
    await asBoth(both, async (tenant) => {
      const names = (await tenant.kubectl('api-resources -o name --cached=false')).split('\n');
      const builtIn = names.filter((name) => !name.endsWith('.example.com'));
      expect(builtIn.sort()).toEqual(expected.sort());
      expect(names.filter((name) => absent.includes(name.split('.')[0] ?? ''))).toEqual([]);
      const wide = await tenant.kubectl('api-resources --api-group=apps -o wide');
      expect(wide).toMatch(
        /deployments +deploy +apps\/v1 +true +Deployment +create,delete,deletecollection,get,list,patch,update,watch +all/,
      );
      const published = await tenant.kubectl('api-resources -o wide --namespaced=false --no-headers');
      expect(published).toMatch(/^nodes +no +v1 +false +Node +get,list,watch *$/m);
    });
  });

  it('names the versions, and no group of which nothing is offered', async () => {
    await asBoth(both, async (tenant) => {
      const versions = (await tenant.kubectl('api-versions')).split('\n');
      for (const version of ['v1', 'apps/v1', 'batch/v1', 'admissionregistration.k8s.io/v1'])
        expect(versions).toContain(version);
      const others = versions.filter((version) => /flowcontrol|apiregistration|kubeveil/.test(version));
      expect(others).toEqual(['usage.kubeveil.dev/v1alpha1']);
    });
  });

  it('says the same in both of its forms', async () => {
    await asBoth(both, async (tenant) => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      const aggregated = await tenant.json('/apis', { headers: { accept } });
      const plain = await tenant.json('/apis', { headers: { accept: 'application/json' } });
      expect(aggregated.kind).toBe('APIGroupDiscoveryList');
      expect(plain.kind).toBe('APIGroupList');
      const names = aggregated.items.map((item: KubeObject) => item.metadata.name);
      expect(plain.groups.map((group: KubeObject) => group.name)).toEqual(names);
      for (const item of aggregated.items) {
        for (const { version, resources } of item.versions) {
          const list = await tenant.json(`/apis/${item.metadata.name}/${version}`);
          const whole = list.resources.filter(({ name }: KubeObject) => !name.includes('/'));
          expect(whole.map(({ name }: KubeObject) => name)).toEqual(
            resources.map(({ resource }: KubeObject) => resource),
          );
        }
      }
    });
  });

  it('explains kinds and fields', async () => {
    await asBoth(both, async (tenant) => {
      expect(await tenant.kubectl('explain pods')).toMatch(/KIND: +Pod\nVERSION: +v1/);
      expect(await tenant.kubectl('explain deployment.spec.replicas')).toContain('<integer>');
      expect(await tenant.kubectl('explain clusterroles.rules')).toContain('PolicyRule');
      expect(await tenant.kubectl('explain ingress --recursive')).toContain('ingressClassName');
      await tenant.refused('explain flowschemas');
    });
  });

  it('has the version of the cluster', async () => {
    await asBoth(both, async (tenant) => {
      const { serverVersion } = JSON.parse(await tenant.kubectl('version -o json')) as KubeObject;
      expect(serverVersion.gitVersion).toMatch(/^v1\.36\./);
    });
  });
});

describe('who one is', () => {
  it('is told by whoami, without a word of the tenant', async () => {
    await asBoth(both, async (tenant) => {
      const { status } = JSON.parse(await tenant.kubectl('auth whoami -o json')) as KubeObject;
      expect(status.userInfo.username).toBe('admin');
      expect(status.userInfo.groups).toEqual(expect.arrayContaining(['system:masters', 'system:authenticated']));
    });
  });

  it('is an account when its token is used', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'tokens', async (n) => {
        await tenant.kubectl(`create serviceaccount bot -n ${n}`);
        const token = await tenant.kubectl(`create token bot -n ${n} --duration=10m`);
        const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as KubeObject;
        expect(claims.aud).toEqual([`kubeveil.dev/${tenant.facts.uid}`]);
        const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
        const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
        const answer = await tenant.send(path, { method: 'POST', body, token, certPem: undefined, keyPem: undefined });
        expect(answer.status).toBe(201);
        const { userInfo } = jsonOf<KubeObject>(answer).status;
        expect(userInfo.username).toBe(`system:serviceaccount:${n}:bot`);
        expect(userInfo.groups).toEqual(
          expect.arrayContaining(['system:serviceaccounts', `system:serviceaccounts:${n}`, 'system:authenticated']),
        );
        await tenant.kubectl(`delete serviceaccount bot -n ${n}`);
      }),
    );
  });
});

describe('what is the host\u2019s', () => {
  it('is shown read-only: nodes and classes', async () => {
    await asBoth(both, async (tenant) => {
      expect(await tenant.kubectl('get nodes -o name')).toBe('node/node-1\nnode/node-2');
      expect(await tenant.kubectl('describe node node-1')).toMatch(/Name: +node-1/);
      expect(await tenant.kubectl('get storageclasses -o name')).toContain('storageclass.storage.k8s.io/');
      expect(await tenant.refused('label node node-1 mine=yes')).toContain('MethodNotAllowed');
      expect(await tenant.refused('delete node node-1')).toContain('MethodNotAllowed');
    });
  });

  it('is not there where it is not offered', async () => {
    await asBoth(both, async (tenant) => {
      for (const kind of ['flowschemas', 'apiservices', 'csidrivers', 'tenants.kubeveil.dev']) {
        expect(await tenant.refused(`get ${kind}`)).toContain(
          `the server doesn't have a resource type "${kind.split('.')[0]}"`,
        );
      }
    });
  });
});

describe('events', () => {
  it('tell what the host does for the tenant, in its names', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'events', async (n) => {
        await using watch = tenant.follow('get events -A -w --no-headers');
        await tenant.kubectl(`create deployment web -n ${n} --image=nginx`);
        await tenant.kubectl(`rollout status deployment/web -n ${n} --timeout=150s`);
        await watch.line((line) => line.startsWith(n) && line.includes(`Successfully assigned ${n}/web-`));
        tenant.mustBeClean(watch.text());
        const listed = await tenant.kubectl(`get events -n ${n}`);
        expect(listed).toMatch(/Scheduled +pod\/web-\S+ +Successfully assigned events\/web-/);
        const { items } = await tenant.get(`events.events.k8s.io -n ${n}`);
        expect(items.every(({ regarding }: KubeObject) => regarding.namespace === n)).toBe(true);
        const own = await tenant.get(
          `events -n ${n} --field-selector involvedObject.kind=Deployment,involvedObject.namespace=${n}`,
        );
        expect(own.items.map(({ reason }: KubeObject) => reason)).toEqual(['ScalingReplicaSet']);
        expect(await tenant.kubectl(`events -n ${n} --for deployment/web`)).toContain('ScalingReplicaSet');
      }),
    );
  });
});
