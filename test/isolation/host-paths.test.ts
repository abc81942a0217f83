/** Paths of the host's API server that name no resource of a tenant: not served, whatever rights the caller has. */
import { describe, expect, it } from 'vitest';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { jsonOf } from '../support/http.ts';

const { acme, host } = useProduct();

describe('paths of the host', () => {
  it.each([
    '/metrics',
    '/metrics/slis',
    '/metrics/cadvisor',
    '/logs/',
    '/logs/kube-apiserver.log',
    '/debug/pprof/',
    '/debug/flags/v',
    '/debug/api_priority_and_fairness/dump_requests',
    '/configz',
    '/flagz',
    '/statusz',
    '/livez/etcd',
    '/readyz/etcd',
    '/healthz/etcd',
    '/swagger.json',
    '/ui',
    '/api/v1/nodes/node-1/proxy/configz',
    '/api/v1/nodes/node-1/proxy/',
    '/api/v1/componentstatuses',
  ])('%s are not served', async (path) => {
    const answer = await acme.send(path);
    expect([403, 404]).toContain(answer.status);
    expect(jsonOf<KubeObject>(answer)).toMatchObject({ kind: 'Status', status: 'Failure' });
  });

  it.each(['/healthz', '/livez', '/readyz'])('%s is answered by the proxy, of itself alone', async (path) => {
    expect(await acme.send(path)).toMatchObject({ status: 200, text: 'ok' });
    const { status, text } = await acme.send(`${path}?verbose`);
    const lines = text.split('\n');
    expect([status, ...lines.slice(-2)]).toEqual([200, `${path.slice(1)} check passed`, '']);
    const own = path === '/readyz' ? ['ping', 'informer-sync', 'walls', 'shutdown'] : ['ping'];
    expect(lines.slice(0, -2)).toEqual(own.map((name) => `[+]${name} ok`));
    for (const name of own) expect(await acme.send(`${path}/${name}`)).toMatchObject({ status: 200, text: 'ok' });
    const direct = await host.send('GET', `${path}?verbose`);
    expect(String(direct.body)).toContain('etcd');
  });
});
