import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createServiceAccountKey } from '../dev/service-account-key.ts';
import { type CertificatePair, createAuthority, issueClient, issueServer } from './certificates.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

let authority: CertificatePair;

beforeAll(async () => {
  authority = await createAuthority([{ CN: ['test-ca'] }]);
});

function isSignedBy(pair: CertificatePair, ca: CertificatePair): boolean {
  const certificate = new X509Certificate(pair.certPem);
  const issuer = new X509Certificate(ca.certPem);
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

describe('the certificates', () => {
  it('of an authority sign themselves and belong to its key', () => {
    const certificate = new X509Certificate(authority.certPem);
    expect(certificate.ca).toBe(true);
    expect(isSignedBy(authority, authority)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(authority.keyPem))).toBe(true);
  });

  it('of a client name its user and groups, as they are', async () => {
    const client = await issueClient(authority, { user: 'ann', groups: ['system:masters', 'a,b=c'] });
    const certificate = new X509Certificate(client.certPem);
    expect(certificate.toLegacyObject().subject).toEqual({ CN: 'ann', O: ['system:masters', 'a,b=c'] });
    expect(certificate.keyUsage).toEqual([CLIENT_AUTH]);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkPrivateKey(createPrivateKey(client.keyPem))).toBe(true);
    expect(isSignedBy(client, authority)).toBe(true);
    expect(isSignedBy(client, await createAuthority([{ CN: ['test-ca'] }]))).toBe(false);
  });

  it('of a client live as long as asked, beginning a little in the past', async () => {
    const beforeMs = Date.now();
    const { certPem } = await issueClient(authority, { user: 'ann', ttlMs: 3_600_000 });
    const { validFromDate, validToDate } = new X509Certificate(certPem);
    expect(validFromDate.getTime()).toBeLessThan(beforeMs);
    expect(validToDate.getTime()).toBeGreaterThanOrEqual(beforeMs + 3_599_000);
    expect(validToDate.getTime()).toBeLessThanOrEqual(Date.now() + 3_600_000);
  });

  it('of a server name its hosts and addresses', async () => {
    const subject = { commonName: 's', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] };
    const server = new X509Certificate((await issueServer(authority, subject)).certPem);
    expect(server.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1');
    expect(server.keyUsage).toEqual([SERVER_AUTH]);
    const peer = new X509Certificate((await issueServer(authority, { ...subject, alsoClient: true })).certPem);
    expect(peer.keyUsage).toEqual([SERVER_AUTH, CLIENT_AUTH]);
  });

  it('have serial numbers of their own', async () => {
    const pairs = await Promise.all([1, 2, 3].map(() => issueClient(authority, { user: 'ann' })));
    expect(new Set(pairs.map(({ certPem }) => new X509Certificate(certPem).serialNumber)).size).toBe(3);
  });
});

describe('createServiceAccountKey', () => {
  it('makes an RSA pair', async () => {
    const { keyPem, publicPem } = await createServiceAccountKey();
    expect(createPrivateKey(keyPem).asymmetricKeyType).toBe('rsa');
    expect(createPublicKey(keyPem).export({ type: 'spki', format: 'pem' })).toBe(publicPem);
  });
});
