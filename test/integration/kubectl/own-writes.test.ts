/**
 * A right that is given or taken away counts for the very next request, as behind a kube-apiserver that decides by what
 * is stored: again and again, without any time in between, for native and virtual kinds.
 */
import { describe, expect, it } from 'vitest';
import { asBoth, inNamespace, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { requestOnce } from '../../support/http.ts';

const { both, facts } = useProduct();
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
/** Often enough that a watch would be late once. */
const ROUNDS = 10;

/** @returns the status that a service account gets for a GET */
async function asAccount(tenant: TenantClient, namespace: string): Promise<(path: string) => Promise<number>> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await tenant.write('POST', accounts, { metadata: { name: 'bot' } });
  const { object } = await tenant.write('POST', `${accounts}/bot/token`, { spec: {} });
  const token = String(object.status.token);
  return async (path) => {
    const answer = await requestOnce({ server: facts.server, caPem: facts.caPem, path, token });
    tenant.mustBeClean(answer.text);
    return answer.status;
  };
}

describe('the next request after a write', () => {
  it.each([
    ['a RoleBinding', 'rolebindings', 'Role', true],
    ['a ClusterRoleBinding', 'clusterrolebindings', 'ClusterRole', false],
  ])('knows whether there is %s', async (_what, resource, kind, namespaced) => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, `own-${resource}`, async (n) => {
        const status = await asAccount(tenant, n);
        const configMaps = `/api/v1/namespaces/${n}/configmaps`;
        const root = namespaced ? `${RBAC}/namespaces/${n}` : RBAC;
        const rules = [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }];
        const roles = `${root}/${kind.toLowerCase()}s`;
        expect(await tenant.write('POST', roles, { metadata: { name: 'own' }, rules })).toMatchObject({ status: 201 });
        const binding = {
          metadata: { name: 'own' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'own' },
          subjects: [{ kind: 'ServiceAccount', name: 'bot', namespace: n }],
        };
        expect(await status(configMaps)).toBe(403);
        for (let round = 0; round < ROUNDS; round += 1) {
          expect(await tenant.write('POST', `${root}/${resource}`, binding)).toMatchObject({ status: 201 });
          expect(await status(configMaps), `round ${round}`).toBe(200);
          const deletion =
            round % 2 === 0 ? `${root}/${resource}/own` : `${root}/${resource}?fieldSelector=metadata.name%3Down`;
          expect(await tenant.send(deletion, { method: 'DELETE' })).toMatchObject({ status: 200 });
          expect(await status(configMaps), `round ${round}`).toBe(403);
        }
        await tenant.write('POST', `${root}/${resource}`, binding);
        expect(await status(configMaps)).toBe(200);
        await tenant.send(`${roles}/own`, { method: 'DELETE' });
        expect(await status(configMaps)).toBe(403);
        await tenant.send(`${root}/${resource}/own`, { method: 'DELETE' });
      }),
    );
  });
});
