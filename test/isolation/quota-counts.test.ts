/**
 * ResourceQuotas count what their tenant sees. The host counts its own CA too, a ConfigMap in each namespace that is not
 * shown, and what the proxy keeps there; so a plain namespace of the host and one of a tenant are asked the same things, and
 * have to say the same.
 */
import { describe, expect, it } from 'vitest';
import { asBoth, inNamespace, type KubeObject, type TenantClient, useProduct } from '../support/as-tenant.ts';
import { jsonOf } from '../support/http.ts';
import { eventually } from '../support/processes.ts';

const { both, host } = useProduct();

/** A request for something in one namespace, and what it is answered with. */
type Ask = (method: string, resource: string, body?: unknown, contentType?: string) => Promise<KubeObject>;

const QUOTA = 'resourcequotas/counts';
const SPEC = { hard: { configmaps: '3', 'count/configmaps': '1k', secrets: '2' } };

async function until(ask: Ask, what: string, used: string): Promise<KubeObject> {
  let quota: KubeObject;
  await eventually(what, async () => {
    quota = await ask('GET', QUOTA);
    return quota.status?.used?.configmaps === used;
  });
  return { spec: quota.spec, status: quota.status };
}

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** Everything that is said of a quota from its beginning to its end. */
async function life(ask: Ask): Promise<KubeObject[]> {
  await eventually('the CA is there', async () => (await ask('GET', 'configmaps/kube-root-ca.crt')).data !== undefined);
  const made = await ask('POST', 'resourcequotas', { metadata: { name: 'counts' }, spec: SPEC });
  const said: KubeObject[] = [made.spec, await until(ask, 'it has counted', '1')];
  for (const name of ['a', 'b', 'c', 'kube-root-ca.crt'])
    said.push((await ask('POST', 'configmaps', configMap(name))).message ?? 'made');
  said.push(await until(ask, 'it counts what was made', '3'));
  const patches: ReadonlyArray<readonly [type: string, patch: unknown]> = [
    ['merge-patch+json', { spec: { hard: { configmaps: '4', secrets: null } } }],
    [
      'json-patch+json',
      [
        { op: 'test', path: '/spec/hard/configmaps', value: '4' },
        { op: 'replace', path: '/spec/hard/count~1configmaps', value: '1000' },
      ],
    ],
    ['json-patch+json', [{ op: 'test', path: '/spec/hard/configmaps', value: '5' }]],
    [
      'json-patch+json',
      [
        { op: 'copy', from: '/spec/hard/configmaps', path: '/spec/hard/pods' },
        { op: 'copy', from: '/spec/hard/configmaps', path: '/spec/hard/count~1configmaps' },
      ],
    ],
    ['strategic-merge-patch+json', { spec: { hard: { configmaps: 6, 'count/configmaps': null } } }],
    ['merge-patch+json', { spec: { hard: { configmaps: '-1' } } }],
    ['merge-patch+json', { spec: { hard: { 'count/configmaps': '1.5' } } }],
    ['merge-patch+json', { spec: { hard: { configmaps: '+8', 'count/configmaps': '08' } } }],
    ['merge-patch+json', { spec: { hard: { configmaps: '8.' } } }],
    ['merge-patch+json', { spec: { hard: { configmaps: '1Ei' } } }],
    ['merge-patch+json', { spec: { hard: { configmaps: '9223372036854775805' } } }],
  ];
  for (const [type, patch] of patches) {
    const answer = await ask('PATCH', QUOTA, patch, `application/${type}`);
    said.push(answer.spec ?? answer.message);
  }
  const applied = { apiVersion: 'v1', kind: 'ResourceQuota', spec: { hard: { configmaps: '7' } } };
  const forced = await ask('PATCH', `${QUOTA}?fieldManager=me&force=true`, applied, 'application/apply-patch+yaml');
  said.push(forced.spec);
  const whole = { metadata: { name: 'counts' }, spec: { hard: { configmaps: '3' } } };
  said.push((await ask('PUT', QUOTA, whole)).spec);
  const status = { hard: { configmaps: '9' }, used: { configmaps: '8' } };
  said.push((await ask('PATCH', `${QUOTA}/status`, { status }, 'application/merge-patch+json')).status.used.configmaps);
  await ask('DELETE', 'configmaps/a');
  said.push(await until(ask, 'it counts what has gone', '2'));
  return said;
}

const ofHost = (namespace: string): Ask => {
  const path = `/api/v1/namespaces/${namespace}`;
  return async (method, resource, body, type) => (await host.send(method, `${path}/${resource}`, body, type)).body;
};

const ofTenant = (tenant: TenantClient, namespace: string): Ask => {
  const path = `/api/v1/namespaces/${namespace}`;
  return async (method, resource, body, type = 'application/json') => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': type } };
    return jsonOf<KubeObject>(await tenant.send(`${path}/${resource}`, { method, ...sent }));
  };
};

/** What a quota says of quotas and LimitRanges, and that both are full. */
async function ofItself(ask: Ask): Promise<KubeObject[]> {
  const hard = { resourcequotas: '1', 'count/resourcequotas': '1', 'count/limitranges': '1' };
  await ask('POST', 'resourcequotas', { metadata: { name: 'counts' }, spec: { hard } });
  let quota: KubeObject;
  await eventually('it counts itself', async () => {
    quota = await ask('GET', QUOTA);
    return quota.status?.used?.resourcequotas === '1' && quota.status.used['count/limitranges'] === '0';
  });
  const limits = (name: string) => ({ metadata: { name }, spec: { limits: [] } });
  const made = await ask('POST', 'limitranges', limits('a'));
  const refused = [
    await ask('POST', 'limitranges', limits('b')),
    await ask('POST', 'resourcequotas', { metadata: { name: 'other' }, spec: { hard: { pods: '1' } } }),
  ];
  return [quota.spec, quota.status, made.spec, ...refused.map(({ message }) => message)];
}

describe('a ResourceQuota', () => {
  it('says of quotas and LimitRanges what it says in a plain namespace', async () => {
    await host.create('/api/v1/namespaces', { metadata: { name: 'quota-itself-plain' } });
    const plain = await ofItself(ofHost('quota-itself-plain'));
    expect(plain).toContainEqual(expect.stringContaining('used: count/limitranges=1, limited: count/limitranges=1'));
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'quota-itself', async (namespace) => {
        expect(await ofItself(ofTenant(tenant, namespace))).toEqual(plain);
      }),
    );
  });

  it('says of ConfigMaps what it says in a plain namespace, whatever becomes of it', async () => {
    await host.create('/api/v1/namespaces', { metadata: { name: 'quota-counts-plain' } });
    const plain = await life(ofHost('quota-counts-plain'));
    expect(plain).toContainEqual(expect.stringContaining('used: configmaps=3, limited: configmaps=3'));
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'quota-counts', async (namespace) => {
        expect(await life(ofTenant(tenant, namespace))).toEqual(plain);
        const printed = await tenant.kubectl(`get ${QUOTA} -n ${namespace} --no-headers`);
        expect(printed).toContain(' configmaps: 2/3 ');
      }),
    );
  });
});
