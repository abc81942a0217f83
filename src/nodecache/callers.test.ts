import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { bodyOf, type Scripted, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { type CertificatePair, createAuthority, issueClient, issueServer } from '../pki/certificates.ts';
import { createCallers } from './callers.ts';
import { authoritiesOf } from './certificates.ts';

const NODE = { user: 'system:node:a', groups: ['system:nodes'] };
const USER = {
  username: 'system:serviceaccount:logs:agent',
  uid: 'u1',
  groups: ['system:authenticated'],
  extra: { k: ['v'] },
};

let cluster: CertificatePair;
let other: CertificatePair;
beforeAll(async () => {
  cluster = await createAuthority([{ CN: ['kubernetes-ca'] }]);
  other = await createAuthority([{ CN: ['kubernetes-ca'] }]);
});

function lab(answer: () => Scripted = () => reviewed(USER)) {
  const clock = { nowMs: Date.now() };
  const upstream = new ScriptedUpstream(answer);
  const identify = createCallers({
    upstream,
    authorities: () => authoritiesOf(cluster.certPem),
    nowMs: () => clock.nowMs,
  });
  const byToken = (token: string) =>
    identify({ headers: new Map([['authorization', `Bearer ${token}`]]), peerCertificate: undefined });
  const byCertificate = (pem: string) => identify({ headers: new Map(), peerCertificate: der(pem) });
  return { clock, upstream, identify, byToken, byCertificate };
}

function reviewed(user: Record<string, unknown> | undefined): Scripted {
  return {
    status: 201,
    body: { kind: 'TokenReview', status: user === undefined ? {} : { authenticated: true, user } } as never,
  };
}

function der(pem: string): Uint8Array {
  return new X509Certificate(pem).raw;
}

describe('a client certificate', () => {
  it('of the cluster names user and groups', async () => {
    const { certPem } = await issueClient(cluster, NODE);
    expect(await lab().byCertificate(certPem)).toEqual({
      username: 'system:node:a',
      groups: ['system:nodes', 'system:authenticated'],
      uid: '',
      extra: {},
      how: 'certificate',
    });
  });

  it('of another authority of the same name does not count', async () => {
    const { certPem } = await issueClient(other, NODE);
    await expect(lab().byCertificate(certPem)).rejects.toThrow('not of an authority that the cluster trusts');
  });

  it('that is one for servers does not count', async () => {
    const { certPem } = await issueServer(cluster, { commonName: 'system:node:a', dnsNames: ['a'], ipAddresses: [] });
    await expect(lab().byCertificate(certPem)).rejects.toThrow('not one for clients');
  });

  it('of an authority itself does not count', async () => {
    await expect(lab().byCertificate(cluster.certPem)).rejects.toThrow('not one for clients');
  });

  it('counts until it ends, and not before it begins', async () => {
    const { certPem } = await issueClient(cluster, { ...NODE, ttlMs: 60_000 });
    const one = lab();
    expect(await one.byCertificate(certPem)).toMatchObject({ username: 'system:node:a' });
    one.clock.nowMs += 61_000;
    await expect(one.byCertificate(certPem)).rejects.toThrow('has expired');
    one.clock.nowMs -= 3_600_000;
    await expect(one.byCertificate(certPem)).rejects.toThrow('not valid yet');
  });

  it('beside a token is refused', async () => {
    const { certPem } = await issueClient(cluster, NODE);
    const headers = new Map([['authorization', 'Bearer t']]);
    await expect(lab().identify({ headers, peerCertificate: der(certPem) })).rejects.toThrow(
      'a client certificate and a token',
    );
  });

  it('that cannot be read is refused', async () => {
    await expect(lab().identify({ headers: new Map(), peerCertificate: Buffer.from('odd') })).rejects.toThrow(
      'cannot be read',
    );
  });
});

describe('a token', () => {
  it('is whose the API server says it is', async () => {
    const { byToken, upstream } = lab();
    expect(await byToken('t')).toEqual({ ...USER, how: 'token' });
    expect(bodyOf(upstream.requests[0])).toMatchObject({ kind: 'TokenReview', spec: { token: 't' } });
  });

  it('is nobody’s when the API server says so', async () => {
    expect(await lab(() => reviewed(undefined)).byToken('t')).toBeUndefined();
  });

  it('is asked about again after ten seconds, and each token by itself', async () => {
    const { byToken, upstream, clock } = lab();
    await Promise.all([byToken('t'), byToken('t')]);
    await byToken('t');
    expect(upstream.requests).toHaveLength(1);
    await byToken('another');
    expect(upstream.requests).toHaveLength(2);
    clock.nowMs += 10_000;
    await byToken('t');
    expect(upstream.requests).toHaveLength(3);
  });

  it('is not known while the API server does not say, and then asked about again', async () => {
    const answers: Scripted[] = [{ status: 503, body: {} }, reviewed(USER)];
    const { byToken } = lab(() => answers.shift() as Scripted);
    await expect(byToken('t')).rejects.toThrow('answered with 503');
    expect(await byToken('t')).toMatchObject({ username: USER.username });
  });
});

it('who shows nothing is nobody', async () => {
  const { identify, upstream } = lab();
  expect(await identify({ headers: new Map(), peerCertificate: undefined })).toBeUndefined();
  expect(
    await identify({ headers: new Map([['authorization', 'Basic eDp5']]), peerCertificate: undefined }),
  ).toBeUndefined();
  expect(upstream.requests).toEqual([]);
});
