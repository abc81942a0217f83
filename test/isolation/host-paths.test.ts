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

  it.each(['/healthz', '/livez', '/readyz'])('%s is answered by the proxy, in a word', async (path) => {
    for (const query of ['', '?verbose', '?verbose=true']) {
      expect(await acme.send(`${path}${query}`)).toMatchObject({ status: 200, text: 'ok' });
    }
    const direct = await host.send('GET', `${path}?verbose`);
    expect(String(direct.body)).toContain('etcd');
  });
});
