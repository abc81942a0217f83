/**
 * The host-diff check over what a tenant can do: whatever acme makes, changes and deletes, by every verb and at whatever
 * it aims, no object of globex or of the host is another afterwards.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { type ServedKind, servedKinds } from '../support/api.ts';
import { useProduct } from '../support/as-tenant.ts';
import { expectHostUnchanged } from '../support/host-diff.ts';
import { asManifest, samples } from '../support/samples.ts';
import { CANARY, HOST_NAMESPACE } from '../support/seed-words.ts';

const { acme, globex, host } = useProduct();
const TYPED = [CANARY, HOST_NAMESPACE, 'globex', 'acme--', 'kubeveil-system', 'kubeveil:', 'kubeveil.dev/'];

const kinds = await servedKinds((path, accept) => acme.json(path, { headers: { accept } }));
const writable = kinds.filter(({ verbs }) => verbs.includes('delete'));

function object(kind: ServedKind, name: string, more: object = {}): object {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  return { apiVersion, kind: kind.kind, metadata: { name, ...more } };
}

// Events about objects with the names of others would look like leaks to the tests that follow.
afterAll(async () => void (await acme.kubectl('delete namespace aimed --ignore-not-found --timeout=150s')));

describe('what acme does changes nothing outside of acme', () => {
  it('a whole life of every kind, under the names that globex uses', async () => {
    await expectHostUnchanged(host, 'acme', async () => {
      await acme.kubectl('create namespace unchanged');
      const input = { stdin: asManifest(samples('unchanged')) };
      await acme.kubectl('create -n unchanged -f -', input);
      await acme.kubectl('label -n unchanged -f - a=b', input);
      await acme.kubectl('create clusterrole unchanged --verb=* --resource=*');
      await acme.kubectl('create clusterrolebinding unchanged --clusterrole=unchanged --group=system:authenticated');
      await acme.kubectl('delete -n unchanged -f - --wait=false', input);
      await acme.kubectl('delete namespace unchanged --timeout=150s');
    });
  });

  it('deletion of every collection, in every place', async () => {
    const before = await globex.kubectl('get all,configmaps,secrets -A -o name');
    await expectHostUnchanged(host, 'acme', async () => {
      for (const kind of writable) {
        const places = kind.namespaced ? ['', 'web', 'globex--web', HOST_NAMESPACE, 'kubeveil-system'] : [''];
        for (const place of places) {
          const { status } = await acme.write('DELETE', kind.collection(place), {}, { typed: TYPED });
          expect({ kind: kind.resource, place, fault: status >= 500 }).toEqual({
            kind: kind.resource,
            place,
            fault: false,
          });
        }
      }
    });
    expect(await globex.kubectl('get all,configmaps,secrets -A -o name')).toBe(before);
  });

  it('writes under names of others, in every spelling', async () => {
    await acme.kubectl('create namespace aimed');
    await expectHostUnchanged(host, 'acme', async () => {
      for (const kind of writable) {
        const collection = kind.collection(kind.namespaced ? 'aimed' : '');
        for (const name of [
          `globex--${CANARY}`,
          `globex--${CANARY}-reader`,
          'cluster-admin',
          'kubeveil:guard',
          'system:node',
        ]) {
          const options = { typed: TYPED };
          await acme.write('POST', collection, object(kind, name), options);
          await acme.write('PUT', `${collection}/${encodeURIComponent(name)}`, object(kind, name), options);
          const headers = { 'content-type': 'application/apply-patch+yaml' };
          const path = `${collection}/${encodeURIComponent(name)}?fieldManager=kubeveil&force=true`;
          await acme.write('PATCH', path, object(kind, name), { ...options, headers });
          // Whatever was made under such a name is acme's own, and would look like a leak to the tests that follow.
          await acme.write('DELETE', `${collection}/${encodeURIComponent(name)}`, {}, options);
        }
      }
    });
  });

  it('attempts to take off or to forge what marks its objects', async () => {
    const marks = ['kubeveil.dev/tenant', 'kubernetes.io/metadata.name', 'pod-security.kubernetes.io/enforce'];
    await expectHostUnchanged(host, 'acme', async () => {
      for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']) {
        for (const metadata of [
          { labels: null },
          { labels: { $patch: 'replace' } },
          ...marks.map((mark) => ({ labels: { [mark]: 'globex' } })),
          { finalizers: [] },
          { annotations: null },
        ]) {
          const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'aimed', ...metadata } };
          const headers = { 'content-type': `application/${type}` };
          await acme.write('PATCH', '/api/v1/namespaces/aimed?fieldManager=a&force=true', body, {
            headers,
            typed: TYPED,
          });
        }
      }
    });
    const { body } = await host.send('GET', '/api/v1/namespaces/acme--aimed');
    expect(body).toMatchObject({
      metadata: { labels: { 'kubeveil.dev/tenant': 'acme', 'kubernetes.io/metadata.name': 'acme--aimed' } },
    });
    expect(await acme.kubectl('get namespace aimed -o name')).toBe('namespace/aimed');
  });

  it('guards in its own namespaces cannot be seen, changed or deleted', async () => {
    const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/aimed/rolebindings';
    const guard = '/apis/rbac.authorization.k8s.io/v1/namespaces/acme--aimed/rolebindings/kubeveil:guard';
    const before = await host.send('GET', guard);
    expect(before.status).toBe(200);
    expect((await acme.json(path)).items).toEqual([]);
    const options = { typed: TYPED };
    expect((await acme.send(`${path}/kubeveil:guard`, options)).status).toBe(404);
    expect((await acme.write('DELETE', `${path}/kubeveil:guard`, {}, options)).status).toBe(404);
    expect((await acme.write('DELETE', path, {}, options)).status).toBe(200);
    await acme.kubectl('delete rolebindings --all -n aimed');
    expect(await host.send('GET', guard)).toEqual(before);
  });
});
