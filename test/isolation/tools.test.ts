/** The tools that the isolation tests stand on can fail: each finds what is planted, and only that. */
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { faultsIn } from '../support/alive.ts';
import { useProduct } from '../support/as-tenant.ts';
import { expectClean, forbiddenTo, leaksIn } from '../support/canary.ts';
import { expectHostUnchanged } from '../support/host-diff.ts';
import { CANARY, HOST_NAMESPACE } from '../support/seed-words.ts';

const { acme, globex, host } = useProduct();
const forbidden = forbiddenTo({ own: 'acme', foreign: ['globex', CANARY], host: [HOST_NAMESPACE] });

function answer(body: Buffer | string, rawHeaders: string[] = []) {
  return { statusText: 'OK', rawHeaders, body: Buffer.from(body) };
}

function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}.c2lnbmF0dXJlLW9mLWE`;
}

describe('the canary check', () => {
  it.each([
    ['plain text', `{"metadata":{"name":"${CANARY}"}}`],
    ['another spelling', CANARY.toUpperCase()],
    ['gzip', gzipSync(CANARY)],
    ['base64', `{"data":{"key":"${Buffer.from(`a ${CANARY} inside`).toString('base64')}"}}`],
    ['base64 of gzip, as Helm has it', Buffer.from(gzipSync(CANARY)).toString('base64')],
    ['base64 of base64', Buffer.from(Buffer.from(`of ${CANARY}`).toString('base64')).toString('base64')],
    ['a token', jwt({ sub: `system:serviceaccount:globex--web:bot` })],
    ['JSON escapes', '{"name":"\\u0067lobex"}'],
    ['the id of another tenant', 'namespaces "globex" not found'],
    ['another tenant in a reversed group', 'com.example.globex--stable.v1.Foo'],
    ['its own upstream name', 'pods "web" in namespace "acme--web"'],
    ['its own group in reversed form', 'com.example.acme--stable.v1.Foo'],
    ['its own group in camel case', 'createAcmeStableExampleComV1Foo'],
    ['the host', `namespace ${HOST_NAMESPACE}`],
    ['a label of ours', 'kubeveil.dev/tenant: x'],
    ['the user that requests run as', 'User "kubeveil:x" cannot get'],
    ['the group of virtual kinds', 'clusterroles.virtual.kubeveil.dev'],
  ])('finds %s', (_what, body) => {
    expect(leaksIn(body, forbidden)).not.toEqual([]);
    expect(() => expectClean(answer(body), forbidden)).toThrow('must not see');
  });

  it('finds it in headers, names and values', () => {
    expect(() => expectClean(answer('', ['Warning', `299 - "${CANARY}"`]), forbidden)).toThrow('header');
    expect(() => expectClean(answer('', ['X-Globex', 'a']), forbidden)).toThrow('header');
    expect(() => expectClean({ ...answer(''), statusText: 'globex' }, forbidden)).toThrow('header');
  });

  it.each([
    ['an ordinary object', '{"metadata":{"name":"web","namespace":"default"},"data":{"a":"YWNtZS1ub3Q="}}'],
    ['words that only resemble', 'acmeist placebo, globular exchange; acm'],
    [
      'the audience of its tokens',
      jwt({ aud: ['kubeveil.dev/0b7cb3ee-95f4-4ff0-9c36-b9e1f8d24bd5'], sub: 'acme--web' }),
    ],
    ['bytes that are no text', Buffer.from([0x1f, 0x8b, 0, 0xff, 0xfe, 0x80])],
    ['nothing', ''],
  ])('lets %s be', (_what, body) => {
    expect(leaksIn(body, forbidden)).toEqual([]);
    expect(() => expectClean(answer(body, ['Content-Type', 'application/json']), forbidden)).not.toThrow();
  });

  it('lets a tenant see again what it typed, and no more', () => {
    const typed = { typed: ['globex--web'] };
    expect(leaksIn('namespaces "globex--web" not found', forbidden, typed)).toEqual([]);
    expect(leaksIn('namespaces "globex--web" not found in globex', forbidden, typed)).toHaveLength(1);
  });

  it('finds what globex has, in what globex reads: the seed is there', async () => {
    const answers = await globex.send('/api/v1/secrets');
    expect(leaksIn(answers.body, acme.forbidden)).not.toEqual([]);
    await expect(
      globex.kubectl('get configmaps -A').then((text) => leaksIn(text, acme.forbidden)),
    ).resolves.not.toEqual([]);
  });
});

describe('the host-diff check', () => {
  const path = '/api/v1/namespaces/default/configmaps';
  const object = (data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'host-diff' },
    data,
  });
  afterAll(async () => void (await host.send('DELETE', `${path}/host-diff`).catch(() => {})));

  it('finds an object that is made, changed or removed, on the host and in another tenant', async () => {
    const made = expectHostUnchanged(host, 'acme', () => host.send('POST', path, object({ a: '1' })));
    await expect(made).rejects.toThrow('+ /configmaps default/host-diff');
    const changed = expectHostUnchanged(host, 'acme', () => host.send('PUT', `${path}/host-diff`, object({ a: '2' })));
    await expect(changed).rejects.toThrow('~ /configmaps default/host-diff');
    const removed = expectHostUnchanged(host, 'acme', () => host.send('DELETE', `${path}/host-diff`));
    await expect(removed).rejects.toThrow('- /configmaps default/host-diff');
    const foreign = expectHostUnchanged(host, 'acme', () => globex.kubectl('create configmap host-diff -n web'));
    await expect(foreign).rejects.toThrow('+ /configmaps globex--web/host-diff');
  });

  it('lets be what a tenant does in its own', async () => {
    const names = await expectHostUnchanged(host, 'acme', async () => {
      await acme.kubectl('create namespace host-diff');
      await acme.kubectl('create deployment web -n host-diff --image=nginx');
      await acme.kubectl('expose deployment web -n host-diff --port=80');
      await acme.kubectl('rollout status deployment/web -n host-diff --timeout=120s');
      await acme.kubectl('create clusterrole host-diff --verb=get --resource=pods');
      return await acme.kubectl('get pods -n host-diff -o name');
    });
    expect(names).toMatch(/^pod\/web-/);
  });
});

describe('the fault finder', () => {
  it('knows a fault from a refusal', () => {
    expect(faultsIn('{"level":"error","msg":"a request failed"}\n{"level":"info","msg":"request"}')).toHaveLength(1);
    expect(faultsIn('{"level":"info","status":500,"msg":"request"}\n{"level":"warn","msg":"retrying"}')).toEqual([]);
  });
});
