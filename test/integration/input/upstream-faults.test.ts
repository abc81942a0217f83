/**
 * The host's API server gone, and the host's API server silent: every request is answered with a `Status` that says so,
 * the proxy lives, and serves again by itself once the host does. Has a control plane of its own to break.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ControlPlane } from '../../../src/dev/control-plane.ts';
import { clientOf, expectStatus, type KubeObject, type TenantClient } from '../../support/as-tenant.ts';
import { factsOf, startPrivateControlPlane } from '../../support/control-plane.ts';
import { eventually } from '../../support/processes.ts';
import { type Product, startProduct } from '../../support/product.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

let controlPlane: ControlPlane;
let product: Product;
let acme: TenantClient;

beforeAll(async () => {
  controlPlane = await startPrivateControlPlane();
  product = await startProduct(factsOf(controlPlane), ['--request-timeout=3s']);
  acme = clientOf(product.facts, 'acme');
});

afterAll(async () => {
  await product?.stop();
  await controlPlane?.stop();
});

function configMap(name: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
}

function isAlive(): boolean {
  return process.kill(product.facts.pid, 0);
}

async function names(): Promise<string[]> {
  return (await acme.json(MAPS)).items.map(({ metadata }: KubeObject) => metadata.name);
}

async function recovers(name: string): Promise<void> {
  await eventually('the proxy serves again', async () => {
    return (await acme.send(MAPS, { method: 'POST', body: configMap(name) })).status === 201;
  });
  expect(await names()).toContain(name);
  expect((await acme.send('/readyz')).status).toBe(200);
}

/** Reads and writes of each way through the proxy. */
const REQUESTS = [
  { what: 'a get', path: `${MAPS}/kube-root-ca.crt` },
  { what: 'a list', path: MAPS },
  { what: 'a list of all namespaces', path: '/api/v1/configmaps' },
  { what: 'a list of cluster-scoped objects', path: '/apis/rbac.authorization.k8s.io/v1/clusterroles' },
  { what: 'a watch', path: `${MAPS}?watch=true&timeoutSeconds=1` },
  { what: 'a write', path: MAPS, method: 'POST', body: configMap('half-written') },
  { what: 'a deletion', path: `${MAPS}/kube-root-ca.crt`, method: 'DELETE' },
] as const;

describe('while the API server is down', () => {
  beforeAll(() => controlPlane.kill('kube-apiserver'));

  it.each(REQUESTS)('$what is 503', async ({ what: _what, path, ...options }) => {
    const answer = await acme.send(path, options);
    const status = expectStatus(answer, 503, 'ServiceUnavailable');
    expect(status.message).toMatch(/try again/);
    expect(answer.headers['retry-after']).toBe('1');
  });

  it('who has no credential is told so, not more', async () => {
    expectStatus(await acme.send(MAPS, { certPem: undefined, keyPem: undefined }), 401, 'Unauthorized');
  });

  it('the process says that it lives', async () => {
    expect(await acme.send('/livez')).toMatchObject({ status: 200, text: 'ok' });
  });

  it('and when it is back, the proxy serves again, and nothing was half-written', async () => {
    expect(isAlive()).toBe(true);
    await controlPlane.restart('kube-apiserver');
    await recovers('after-down');
    expect(await names()).not.toContain('half-written');
  });
});

describe('while the API server is silent', () => {
  beforeAll(() => controlPlane.freeze('kube-apiserver'));

  // One after the other, so the first is asked before the proxy has noticed that it can no longer vouch for the host.
  it.each(REQUESTS)('$what is told that it took too long', async ({ what, path, ...options }) => {
    const answer = await acme.send(path, options);
    if (what === 'a get') expectStatus(answer, 504, 'Timeout');
    else expectStatus(answer, answer.status, answer.status === 503 ? 'ServiceUnavailable' : 'Timeout');
    expect([503, 504]).toContain(answer.status);
  });

  it('the process says that it lives', async () => {
    expect(await acme.send('/livez')).toMatchObject({ status: 200, text: 'ok' });
  });

  it('and when it speaks again, the proxy serves again', async () => {
    expect(isAlive()).toBe(true);
    controlPlane.thaw('kube-apiserver');
    await recovers('after-silence');
  });
});

describe('a watch', () => {
  it('ends when the API server goes, so that its client begins anew', async () => {
    using watch = await acme.watch(`${MAPS}?watch=true&timeoutSeconds=600`);
    await watch.until('"kube-root-ca.crt"');
    await controlPlane.kill('kube-apiserver');
    await eventually('the watch ends', () => watch.ended !== undefined);
    expect(watch.status).toBe(200);
    acme.mustBeClean(watch.text);
    await controlPlane.restart('kube-apiserver');
    await recovers('after-watch');
  });
});
