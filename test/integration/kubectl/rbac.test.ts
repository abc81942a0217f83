/**
 * Roles of a tenant: Roles and Bindings, and ClusterRoles, which exist for the tenant alone. A service account may do
 * exactly what they give it, in its own tenant, and nothing before.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { stringify } from 'yaml';
import { asBoth, inNamespace, type KubeObject, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { runKubectl } from '../../support/kubectl.ts';

const { both, facts } = useProduct();
const RBAC = 'rbac.authorization.k8s.io';

/** kubectl with the token of a service account, got through the proxy. @returns true when it was allowed */
async function asAccount(tenant: TenantClient, account: string): Promise<(args: string) => Promise<boolean>> {
  const [namespace, name] = account.split('/') as [string, string];
  const token = await tenant.kubectl(`create token ${name} -n ${namespace}`);
  const file = join(inject('controlPlane').workDir, `${tenant.id.length}-${namespace}-${name}.kubeconfig`);
  const cluster = { server: facts.server, 'certificate-authority-data': Buffer.from(facts.caPem).toString('base64') };
  writeFileSync(
    file,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'cluster', cluster }],
      users: [{ name: 'account', user: { token } }],
      contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: 'account' } }],
      'current-context': 'cluster',
    }),
  );
  return async (args) => {
    const { code, stdout, stderr } = await runKubectl(file, args.split(' '));
    tenant.mustBeClean(stdout + stderr);
    if (code === 0) return true;
    const user = `User "system:serviceaccount:${namespace}:${name}" cannot`;
    if (!/[Ff]orbidden/.test(stderr) || !stderr.includes(user))
      throw new Error(`refused for another reason: ${stderr}`);
    return false;
  };
}

describe('a service account', () => {
  it('may do nothing until a Role is bound, then exactly what it says, where it says', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'sa-roles', (n) =>
        inNamespace(tenant, 'sa-elsewhere', async (elsewhere) => {
          await tenant.kubectl(`create serviceaccount bot -n ${n}`);
          await tenant.kubectl(`create configmap one -n ${n}`);
          await tenant.kubectl(`create configmap two -n ${n}`);
          const may = await asAccount(tenant, `${n}/bot`);
          expect(await may(`get configmaps -n ${n}`)).toBe(false);

          await tenant.kubectl(`create role reader -n ${n} --verb=get,list --resource=configmaps`);
          await tenant.kubectl(`create rolebinding readers -n ${n} --role=reader --serviceaccount=${n}:bot`);
          expect(await may(`get configmaps -n ${n}`)).toBe(true);
          expect(await may(`get configmap one -n ${n}`)).toBe(true);
          expect(await may(`get configmaps -n ${elsewhere}`)).toBe(false);
          expect(await may(`get configmaps -A`)).toBe(false);
          expect(await may(`get secrets -n ${n}`)).toBe(false);
          expect(await may(`delete configmap one -n ${n}`)).toBe(false);
          expect(await may(`create configmap three -n ${n}`)).toBe(false);
          expect(await may(`label configmap one -n ${n} a=b`)).toBe(false);

          await tenant.kubectl(`create role one -n ${n} --verb=patch,delete --resource=configmaps --resource-name=one`);
          await tenant.kubectl(`create rolebinding ones -n ${n} --role=one --serviceaccount=${n}:bot`);
          expect(await may(`label configmap two -n ${n} a=b`)).toBe(false);
          expect(await may(`label configmap one -n ${n} a=b`)).toBe(true);

          await tenant.kubectl(`delete rolebinding readers ones -n ${n}`);
          expect(await may(`get configmaps -n ${n}`)).toBe(false);
        }),
      ),
    );
  });

  it('gets the rules of a ClusterRole in one namespace, or in all', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'sa-cluster', (n) =>
        inNamespace(tenant, 'sa-cluster-b', async (other) => {
          await tenant.kubectl(`create serviceaccount bot -n ${n}`);
          const may = await asAccount(tenant, `${n}/bot`);
          await tenant.kubectl('create clusterrole sa-lister --verb=get,list --resource=secrets,namespaces');
          await tenant.kubectl(`create rolebinding here -n ${n} --clusterrole=sa-lister --serviceaccount=${n}:bot`);
          expect(await may(`get secrets -n ${n}`)).toBe(true);
          expect(await may(`get secrets -n ${other}`)).toBe(false);
          expect(await may('get namespaces')).toBe(false);
          await tenant.kubectl(
            `create clusterrolebinding sa-everywhere --clusterrole=sa-lister --serviceaccount=${n}:bot`,
          );
          expect(await may(`get secrets -n ${other}`)).toBe(true);
          expect(await may('get secrets -A')).toBe(true);
          expect(await may('get namespaces')).toBe(true);
          expect(await may('get clusterroles')).toBe(false);
          await tenant.kubectl('delete clusterrolebinding sa-everywhere');
          expect(await may(`get secrets -n ${other}`)).toBe(false);
        }),
      ),
    );
  });

  it('may do what the default roles say, such as `view`', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'sa-view', async (n) => {
        await tenant.kubectl(`create serviceaccount guest -n ${n}`);
        await tenant.kubectl(`create rolebinding guests -n ${n} --clusterrole=view --serviceaccount=${n}:guest`);
        const may = await asAccount(tenant, `${n}/guest`);
        expect(await may(`get pods -n ${n}`)).toBe(true);
        expect(await may(`get secrets -n ${n}`)).toBe(false);
        expect(await may(`create configmap a -n ${n}`)).toBe(false);
      }),
    );
  });

  it('is told what it may do: the reviews agree with what is enforced', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'sa-reviews', async (n) => {
        await tenant.kubectl(`create serviceaccount bot -n ${n}`);
        await tenant.kubectl(`create role reader -n ${n} --verb=get --resource=configmaps`);
        await tenant.kubectl(`create rolebinding readers -n ${n} --role=reader --serviceaccount=${n}:bot`);
        const review = async (verb: string) => {
          const spec = {
            user: `system:serviceaccount:${n}:bot`,
            resourceAttributes: { namespace: n, verb, resource: 'configmaps' },
          };
          const kind = 'SubjectAccessReview';
          const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
          const { status, object } = await tenant.write('POST', path, {
            apiVersion: 'authorization.k8s.io/v1',
            kind,
            spec,
          });
          expect(status).toBe(201);
          return object.status.allowed;
        };
        expect(await review('get')).toBe(true);
        expect(await review('list')).toBe(false);
        expect(await tenant.kubectl('auth can-i delete pods -A')).toBe('yes');
      }),
    );
  });
});

describe('Roles and RoleBindings', () => {
  it('come back with the subjects that they were made with', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'subjects', async (n) => {
        const subjects = [
          { kind: 'ServiceAccount', name: 'bot', namespace: n },
          { kind: 'ServiceAccount', name: 'bot', namespace: 'elsewhere' },
          { kind: 'User', apiGroup: RBAC, name: 'system:serviceaccount:other:bot' },
          { kind: 'User', apiGroup: RBAC, name: 'jane@example.com' },
          { kind: 'Group', apiGroup: RBAC, name: 'system:authenticated' },
        ];
        const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' };
        const binding = { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata: { name: 'all' }, roleRef, subjects };
        await tenant.create(binding, `-n ${n}`);
        expect(await tenant.get(`rolebinding all -n ${n}`)).toMatchObject({ roleRef, subjects });
        const wide = await tenant.kubectl(`get rolebinding all -n ${n} -o wide --no-headers`);
        expect(wide).toMatch(/^all +ClusterRole\/view /);
        expect(wide).toContain(`${n}/bot, elsewhere/bot`);
        expect(await tenant.kubectl(`describe rolebinding all -n ${n}`)).toMatch(/User +jane@example\.com/);
        expect(
          await tenant.refused(
            `patch rolebinding all -n ${n} -p '{"roleRef":{"apiGroup":"${RBAC}","kind":"ClusterRole","name":"edit"}}'`,
          ),
        ).toContain('cannot change roleRef');
      }),
    );
  });
});

describe('ClusterRoles and ClusterRoleBindings', () => {
  it('are there from the start, as on any cluster', async () => {
    await asBoth(both, async (tenant) => {
      const names = (await tenant.kubectl('get clusterroles -o name')).split('\n');
      for (const name of ['cluster-admin', 'admin', 'edit', 'view', 'system:discovery']) {
        expect(names).toContain(`clusterrole.${RBAC}/${name}`);
      }
      expect((await tenant.get('clusterrole cluster-admin')).rules).toContainEqual({
        apiGroups: ['*'],
        resources: ['*'],
        verbs: ['*'],
      });
      expect((await tenant.get('clusterrolebinding cluster-admin')).roleRef.name).toBe('cluster-admin');
    });
  });

  it('go through every verb and all four patches, under the same names in both tenants', async () => {
    await asBoth(both, async (tenant) => {
      await tenant.kubectl('create clusterrole role-verbs --verb=get --resource=pods');
      expect(await tenant.refused('create clusterrole role-verbs --verb=get --resource=pods')).toContain(
        'already exists',
      );
      const rule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
      for (const [type, patch] of [
        ['json', [{ op: 'add', path: '/metadata/labels', value: { json: 'yes' } }]],
        ['merge', { metadata: { labels: { merge: 'yes' } }, rules: [rule] }],
        ['strategic', { metadata: { labels: { strategic: 'yes', json: null } } }],
      ] as const) {
        await tenant.kubectl(`patch clusterrole role-verbs --type=${type} -p '${JSON.stringify(patch)}'`);
      }
      await tenant.kubectl('annotate clusterrole role-verbs example.com/note=before');
      await tenant.kubectl('edit clusterrole role-verbs', { env: { KUBE_EDITOR: 'sed -i s/before/after/' } });
      const applied = {
        apiVersion: `${RBAC}/v1`,
        kind: 'ClusterRole',
        metadata: { name: 'role-verbs', labels: { a: 'b' } },
      };
      await tenant.apply(applied, '--server-side');
      const found = await tenant.get('clusterrole role-verbs');
      expect(found).toMatchObject({ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', rules: [rule] });
      expect(found.metadata).toMatchObject({
        name: 'role-verbs',
        labels: { merge: 'yes', strategic: 'yes', a: 'b' },
        annotations: { 'example.com/note': 'after' },
      });
      expect(await tenant.kubectl('get clusterroles -l strategic=yes -o name')).toBe(`clusterrole.${RBAC}/role-verbs`);
      expect(await tenant.kubectl('describe clusterrole role-verbs')).toMatch(/secrets +\[\] +\[\] +\[get\]/);

      const subjects = [{ kind: 'Group', apiGroup: RBAC, name: 'devs' }];
      await tenant.kubectl('create clusterrolebinding role-verbs --clusterrole=role-verbs --user=jane');
      await tenant.kubectl(`patch clusterrolebinding role-verbs --type=strategic -p '${JSON.stringify({ subjects })}'`);
      const binding = await tenant.get('clusterrolebinding role-verbs');
      expect(binding.subjects).toEqual(subjects);
      expect(await tenant.kubectl('get clusterrolebinding role-verbs -o wide')).toMatch(
        /ClusterRole\/role-verbs .* devs/,
      );
      await tenant.kubectl('delete clusterrolebinding role-verbs');
      await tenant.kubectl('delete clusterrole role-verbs');
      expect(await tenant.refused('get clusterrole role-verbs')).toBe(
        `Error from server (NotFound): clusterroles.${RBAC} "role-verbs" not found`,
      );
    });
  });

  it('are watched, and deleted as a collection', async () => {
    await asBoth(both, async (tenant) => {
      await using watch = tenant.follow('get clusterroles -w --output-watch-events --no-headers');
      await watch.line((line) => /^ADDED +view /.test(line));
      await tenant.kubectl('create clusterrole many-a --verb=get --resource=pods');
      await watch.line((line) => /^ADDED +many-a /.test(line));
      await tenant.kubectl('create clusterrole many-b --verb=get --resource=pods');
      await tenant.kubectl('label clusterrole many-a many-b many=yes');
      await tenant.kubectl(`delete --raw /apis/${RBAC}/v1/clusterroles?labelSelector=many%3Dyes`);
      await watch.line((line) => /^DELETED +many-a /.test(line));
      await watch.line((line) => /^DELETED +many-b /.test(line));
      tenant.mustBeClean(watch.text());
    });
  });

  it('are applied by the client and found unchanged', async () => {
    await asBoth(both, async (tenant) => {
      const role: KubeObject = {
        apiVersion: `${RBAC}/v1`,
        kind: 'ClusterRole',
        metadata: { name: 'role-applied' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      };
      await tenant.apply(role);
      expect(await tenant.apply(role)).toContain('unchanged');
      role.rules[0].verbs = ['get', 'list'];
      expect(await tenant.apply(role)).toContain('configured');
      expect((await tenant.get('clusterrole role-applied')).rules).toEqual(role.rules);
    });
  });
});

describe('an aggregated ClusterRole', () => {
  it('grants and shows what the roles with its label grant, for as long as they do', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'aggregated', async (n) => {
        await tenant.kubectl(`create serviceaccount bot -n ${n}`);
        await tenant.kubectl(`create rolebinding bots -n ${n} --clusterrole=view --serviceaccount=${n}:bot`);
        const may = await asAccount(tenant, `${n}/bot`);
        const rules = async (): Promise<string[]> => {
          const { rules: all } = await tenant.get('clusterrole view');
          return all.map(({ apiGroups }: KubeObject) => apiGroups?.[0]);
        };
        const before = await rules();
        await using watching = tenant.follow('get clusterroles view --watch-only -o name');

        await tenant.kubectl('create clusterrole widgets-view --verb=get,list --resource=leases.coordination.k8s.io');
        expect(await may(`get leases -n ${n}`)).toBe(false);
        await tenant.kubectl('label clusterrole widgets-view rbac.authorization.k8s.io/aggregate-to-view=true');
        expect(await may(`get leases -n ${n}`)).toBe(true);
        await expect.poll(rules, { timeout: 60_000 }).toEqual([...before, 'coordination.k8s.io']);

        await tenant.kubectl('delete clusterrole widgets-view');
        expect(await may(`get leases -n ${n}`)).toBe(false);
        await expect.poll(rules, { timeout: 60_000 }).toEqual(before);
        // Each change came as an event.
        await watching.line((line) => line.includes('clusterrole'));
      }),
    );
  });
});
