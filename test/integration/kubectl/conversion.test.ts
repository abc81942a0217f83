/**
 * CRDs with a conversion webhook: taken, refused and shown as the API server does, without a webhook on the host. What
 * needs the webhook fails as it does where none answers; what does not need it works.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { asBoth, inNamespace, type KubeObject, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { whenEstablished } from '../../support/established.ts';
import { jsonOf, requestOnce } from '../../support/http.ts';
import { eventually } from '../../support/processes.ts';

const { acme, both, host } = useProduct();
const GROUP = 'converted.example.com';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ONE = `${CRDS}/foos.${GROUP}`;
const MERGE = { headers: { 'content-type': 'application/merge-patch+json' } };
const NONE = { strategy: 'None' };

function byWebhook(more: object = {}): KubeObject {
  const clientConfig = { service: { namespace: 'web', name: 'converter', path: '/convert' } };
  return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1', 'v1beta1'], ...more } };
}

function definition(conversion: unknown): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `foos.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'foos', singular: 'foo', kind: 'Foo' },
      versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
      conversion,
    },
  };
}

const foo = (version: string, name = 'one'): KubeObject => ({
  apiVersion: `${GROUP}/${version}`,
  kind: 'Foo',
  metadata: { name },
  size: 1,
});

const conversionOf = async (tenant: TenantClient) => (await tenant.json(ONE)).spec.conversion;
const patched = (tenant: TenantClient, body: unknown, type = 'merge-patch+json') =>
  tenant.write('PATCH', ONE, body, { headers: { 'content-type': `application/${type}` } });

beforeAll(() =>
  asBoth(both, async (tenant) => {
    await tenant.create(definition(byWebhook()));
    await whenEstablished(tenant, `foos.${GROUP}`);
    await eventually('the kind is served', async () => (await tenant.run('get foos -A')).code === 0);
  }),
);
afterAll(() => asBoth(both, (tenant) => tenant.run(`delete crd foos.${GROUP}`)));

describe('a conversion webhook', () => {
  it.each<[string, unknown]>([
    ['a service', byWebhook()],
    ['a URL', byWebhook({ clientConfig: { url: 'https://converter.example.com/x' } })],
    ['nothing', { strategy: 'Webhook' }],
    ['no client', { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } }],
    ['an empty client', byWebhook({ clientConfig: {} })],
    ['both', byWebhook({ clientConfig: { url: 'https://a.example.com', service: { namespace: 'a', name: 'b' } } })],
    ['http', byWebhook({ clientConfig: { url: 'http://a.example.com' } })],
    ['half a service', byWebhook({ clientConfig: { service: { name: 'b', port: 0, path: 'x' } } })],
    ['a bundle that is none', byWebhook({ clientConfig: { url: 'https://a.example.com', caBundle: 'YWJj' } })],
    ['a bundle that is no base64', byWebhook({ clientConfig: { url: 'https://a.example.com', caBundle: '%' } })],
    ['no versions', byWebhook({ conversionReviewVersions: [] })],
    ['odd versions', byWebhook({ conversionReviewVersions: ['v1', 'v1', 'V2'] })],
    ['unknown versions', byWebhook({ conversionReviewVersions: ['v7'] })],
    ['another strategy', { strategy: 'Magic' }],
    ['no strategy', { webhook: {} }],
    ['a webhook that is not meant', { ...byWebhook(), strategy: 'None' }],
    ['a wrong type', byWebhook({ clientConfig: 7 })],
  ])('with %s is judged as the API server judges it', async (_what, conversion) => {
    const object = definition(conversion);
    object.metadata.name = `foos.judged.${GROUP}`;
    object.spec.group = `judged.${GROUP}`;
    const { server, caPem, adminCertPem, adminKeyPem } = inject('controlPlane');
    const path = `${CRDS}?dryRun=All`;
    const asked = { method: 'POST', path, body: JSON.stringify(object) };
    const direct = await requestOnce({ server, caPem, certPem: adminCertPem, keyPem: adminKeyPem, ...asked });
    const theirs = jsonOf<KubeObject>(direct);
    const { status, object: ours } = await acme.write('POST', path, object);
    const judged = ({ spec, reason, details }: KubeObject) => ({
      conversion: spec?.conversion,
      reason,
      causes: direct.status === 422 ? details?.causes : undefined,
    });
    expect({ status, ...judged(ours) }).toEqual({ status: direct.status, ...judged(theirs) });
  });

  it('is shown to its tenant, and is not there on the host', async () => {
    const expected = byWebhook();
    expected.webhook.clientConfig.service.port = 443;
    await asBoth(both, async (tenant) => {
      expect(await conversionOf(tenant)).toEqual(expected);
      expect((await tenant.json(ONE)).metadata.annotations).toBeUndefined();
      const { body } = await host.send('GET', `${CRDS}/foos.${tenant.id}--${GROUP}`);
      expect((body as KubeObject).spec.conversion).toEqual(NONE);
    });
  });

  it('stays when something else changes, and goes or changes when it is changed', async () => {
    const before = await conversionOf(acme);
    for (const body of [{ metadata: { annotations: { a: 'b' } } }, { metadata: { annotations: null } }]) {
      expect((await patched(acme, body)).status).toBe(200);
      expect(await conversionOf(acme)).toEqual(before);
    }
    const remove = [{ op: 'add', path: '/metadata/annotations', value: { c: 'd' } }];
    expect((await patched(acme, remove, 'json-patch+json')).status).toBe(200);
    expect(await conversionOf(acme)).toEqual(before);

    const path = '/spec/conversion/webhook/clientConfig/service/path';
    expect((await patched(acme, [{ op: 'replace', path, value: '/other' }], 'json-patch+json')).status).toBe(200);
    expect((await conversionOf(acme)).webhook.clientConfig.service.path).toBe('/other');

    const whole = [{ op: 'add', path: '/spec/conversion', value: byWebhook() }];
    expect((await patched(acme, whole, 'json-patch+json')).status).toBe(200);
    expect(await conversionOf(acme)).toEqual(before);
    expect((await patched(acme, [{ op: 'remove', path: '/spec/conversion' }], 'json-patch+json')).status).toBe(200);
    expect(await conversionOf(acme)).toEqual(NONE);
    expect((await patched(acme, whole, 'json-patch+json')).status).toBe(200);
    expect(await conversionOf(acme)).toEqual(before);

    expect((await patched(acme, { spec: { conversion: null } })).status).toBe(200);
    expect(await conversionOf(acme)).toEqual(NONE);
    await acme.kubectl('apply --server-side --force-conflicts -f -', {
      stdin: JSON.stringify(definition(byWebhook())),
    });
    expect(await conversionOf(acme)).toEqual(before);
    const put = { ...(await acme.json(ONE)) };
    put.spec.conversion = NONE;
    expect((await acme.write('PUT', ONE, put)).status).toBe(200);
    expect(await conversionOf(acme)).toEqual(NONE);
    put.spec.conversion = byWebhook();
    delete put.metadata.resourceVersion;
    expect((await patched(acme, { spec: { conversion: byWebhook() } })).status).toBe(200);
    expect(await conversionOf(acme)).toEqual(before);
  });
});

describe('objects of such a kind', () => {
  const failed = (version: string) => ({
    message: expect.stringContaining(`conversion webhook for ${GROUP}/${version}, Kind=Foo failed: `),
  });

  it('are served in the version that is stored, and fail in another', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'converted', async (namespace) => {
        const collection = (version: string) => `/apis/${GROUP}/${version}/namespaces/${namespace}/foos`;
        // Nothing is there to convert.
        await eventually('the webhook is known', async () => {
          const { status } = await tenant.write('POST', `${collection('v2')}?dryRun=All`, foo('v2'));
          return status === 500;
        });
        expect((await tenant.json(collection('v2'))).items).toEqual([]);
        expect((await tenant.send(`${collection('v2')}/one`)).status).toBe(404);

        expect((await tenant.write('POST', collection('v1'), foo('v1'))).status).toBe(201);
        expect((await tenant.json(`${collection('v1')}/one`)).size).toBe(1);
        expect((await tenant.json(collection('v1'))).items).toHaveLength(1);
        for (const path of [collection('v2'), `${collection('v2')}/one`, `/apis/${GROUP}/v2/foos`]) {
          const answer = await tenant.send(path);
          expect(answer.status, path).toBe(500);
          expect(jsonOf<KubeObject>(answer)).toMatchObject(failed('v1'));
        }
        const made = await tenant.write('POST', collection('v2'), foo('v2', 'two'));
        expect(made).toMatchObject({ status: 500, object: failed('v2') });
        const merged = await tenant.write('PATCH', `${collection('v2')}/one`, { size: 2 }, MERGE);
        expect(merged).toMatchObject({ status: 500, object: failed('v1') });
        const watched = await tenant.send(`${collection('v2')}?watch=true&timeoutSeconds=5`);
        expect(JSON.parse(watched.text)).toMatchObject({ type: 'ERROR', object: failed('v1') });
        expect((await tenant.write('DELETE', `${collection('v1')}/one`, {})).status).toBe(200);
      }),
    );
  });

  it('go with their namespace, whatever becomes of the webhook', async () => {
    await inNamespace(acme, 'converted-gone', async (namespace) => {
      expect((await acme.write('POST', `/apis/${GROUP}/v1/namespaces/${namespace}/foos`, foo('v1'))).status).toBe(201);
      await acme.kubectl(`delete namespace ${namespace} --wait=true --timeout=60s`);
    });
  });

  it('are served in every version when nothing has to be converted', async () => {
    // A merge with the strategy alone would leave the webhook, which does not go with it.
    expect((await patched(acme, { spec: { conversion: NONE } })).status).toBe(422);
    expect((await patched(acme, { spec: { conversion: { ...NONE, webhook: null } } })).status).toBe(200);
    await inNamespace(acme, 'converted-none', async (namespace) => {
      const collection = (version: string) => `/apis/${GROUP}/${version}/namespaces/${namespace}/foos`;
      expect((await acme.write('POST', collection('v1'), foo('v1'))).status).toBe(201);
      await eventually(
        'no conversion is known',
        async () => (await acme.send(`${collection('v2')}/one`)).status === 200,
      );
      expect(await acme.json(`${collection('v2')}/one`)).toMatchObject({ apiVersion: `${GROUP}/v2`, size: 1 });
    });
  });
});
