/** What a pod knows the API server by, and is known by: the CA, and a token as the kubelet of its node has it minted. */
import { describe, expect, inject, it } from 'vitest';
import { asKubelet } from '../support/as-kubelet.ts';
import { asBoth, inNamespace, type KubeObject, type TenantClient, useProduct } from '../support/as-tenant.ts';
import { requestOnce } from '../support/http.ts';
import { eventually } from '../support/processes.ts';
import { madePod, richPod } from '../support/rich-pod.ts';

const { acme, globex, both, host, facts } = useProduct();
const controlPlane = inject('controlPlane');

describe('the ConfigMap with the CA', () => {
  const path = '/api/v1/namespaces/clients-ca/configmaps';
  const one = `${path}/kube-root-ca.crt`;

  it('is the proxy’s, is the only one, and comes back', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'clients-ca', async (namespace) => {
        const read = async () => (await tenant.write('GET', one, undefined)) as { status: number; object: KubeObject };
        const holds = async () => {
          const { status, object } = await read();
          return status === 200 && JSON.stringify(object.data) === JSON.stringify({ 'ca.crt': facts.caPem });
        };
        await eventually('it is there', holds);
        const { items } = await tenant.json(path);
        expect(items.map(({ metadata }: KubeObject) => metadata.name)).toEqual(['kube-root-ca.crt']);
        const query = '?fieldSelector=metadata.name%3Dkube-root-ca.crt';
        expect((await tenant.json(path + query)).items).toHaveLength(1);
        const others = '?fieldSelector=metadata.name%21%3Dkube-root-ca.crt';
        expect((await tenant.json(path + others)).items).toEqual([]);
        expect((await tenant.json(`${path}?limit=1`)).items).toHaveLength(1);
        const change = { data: { 'ca.crt': 'mine', more: 'mine' } };
        const headers = { 'content-type': 'application/merge-patch+json' };
        const name = 'kube-root-ca.crt.kubeveil';
        const missing = { message: `configmaps "${name}" not found`, details: { name, kind: 'configmaps' } };
        for (const [method, body, options] of [
          ['GET', undefined, {}],
          ['DELETE', undefined, {}],
          ['PATCH', change, { headers }],
          ['PUT', { metadata: { name } }, {}],
        ] as const) {
          const { status, object } = await tenant.write(method, `${one}.kubeveil`, body, options);
          expect(status, method).toBe(404);
          expect(object, method).toMatchObject(missing);
        }
        expect((await tenant.write('PATCH', one, change, { headers })).status).toBe(200);
        await eventually('it says again what it said', holds);
        const { uid } = (await read()).object.metadata;
        const deleted = await tenant.write('DELETE', one, undefined);
        expect(deleted).toMatchObject({ status: 200, object: { details: { name: 'kube-root-ca.crt' } } });
        await eventually(
          'there is a new one',
          async () => (await holds()) && (await read()).object.metadata.uid !== uid,
        );
        const hosts = await host.send(
          'GET',
          `/api/v1/namespaces/${tenant.id}--${namespace}/configmaps/kube-root-ca.crt`,
        );
        expect((hosts.body as KubeObject).data['ca.crt']).toBe(controlPlane.caPem);
      }),
    );
  });
});

describe('the token of a pod', () => {
  const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

  async function tokenOf(tenant: TenantClient, namespace: string): Promise<string> {
    await madePod(tenant, namespace, richPod('rich'));
    const path = `/api/v1/namespaces/${namespace}/pods/rich`;
    await eventually('it is on a node', async () => (await tenant.json(path)).spec.nodeName !== undefined);
    const { files } = await asKubelet(controlPlane, `${tenant.id}--${namespace}`, 'rich');
    return files.get(TOKEN) ?? '';
  }

  it('is for its own cluster, as it was minted for its kubelet, and 401 at the host', async () => {
    const tokens = await asBoth(both, (tenant) => inNamespace(tenant, 'clients-token', (at) => tokenOf(tenant, at)));
    const body = JSON.stringify(review);
    for (const [index, tenant] of [acme, globex].entries()) {
      const token = tokens[index] ?? '';
      const own = { certPem: undefined, keyPem: undefined, token };
      const known = await tenant.send(REVIEWS, { method: 'POST', body, ...own });
      expect(JSON.parse(known.text).status.userInfo.username).toBe('system:serviceaccount:clients-token:default');
      // Of the host nothing is had with it, not even what everybody may read.
      for (const path of ['/version', '/api', '/apis', '/openapi/v3', '/api/v1/namespaces'])
        expect(
          (await requestOnce({ server: controlPlane.server, caPem: controlPlane.caPem, path, token })).status,
        ).toBe(401);
      const other = tenant === acme ? 'globex' : 'acme';
      const foreign = await tenant.send(`/tenants/${other}/api`, { ...own, typed: [other] });
      expect(foreign.status).toBe(403);
    }
  });

  it('ends with its pod', async () => {
    await inNamespace(acme, 'clients-gone', async (namespace) => {
      const token = await tokenOf(acme, namespace);
      const asked = async () => (await acme.send('/api', { certPem: undefined, keyPem: undefined, token })).status;
      expect(await asked()).toBe(200);
      await acme.kubectl(`-n ${namespace} delete pod rich --grace-period=0 --force`);
      await eventually('it holds no more', async () => (await asked()) === 401);
    });
  });
});
