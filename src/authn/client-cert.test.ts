import { createHash, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CertificatePair, createAuthority, issueClient, issueServer } from '../pki/certificates.ts';
import type { TenantId } from '../tenancy/names.ts';
import { certificateSerial, type Tenant } from '../tenancy/tenant.ts';
import { subjectOf } from './certificate.ts';
import { clientCertAuthenticator } from './client-cert.ts';

let ca: CertificatePair;
let earlierCa: CertificatePair;
let forgedCa: CertificatePair;
let hostCa: CertificatePair;

beforeAll(async () => {
  ca = await createAuthority([{ CN: ['kubeveil tenant acme'] }, { OU: ['u1'] }]);
  earlierCa = await createAuthority([{ CN: ['kubeveil tenant acme'] }, { OU: ['u0'] }]);
  forgedCa = await createAuthority([{ CN: ['kubeveil tenant acme'] }, { OU: ['u1'] }]);
  hostCa = await createAuthority([{ CN: ['kubernetes'] }]);
});

function tenants(overrides: Partial<Tenant> = {}) {
  const acme: Tenant = {
    id: 'acme' as TenantId,
    uid: 'u1',
    createdAt: '',
    phase: 'Active',
    clientCaPem: ca.certPem,
    policy: 'default',
    ...overrides,
  };
  return { get: (id: TenantId) => (id === acme.id ? acme : undefined), all: () => [acme] };
}

function der(pair: CertificatePair): Uint8Array {
  return new X509Certificate(pair.certPem).raw;
}

function authenticator(nowMs = Date.now(), registry = tenants()) {
  return clientCertAuthenticator({ tenants: registry, nowMs: () => nowMs });
}

describe('client certificates', () => {
  it('say user, groups and, by their signer, the tenant', async () => {
    const pair = await issueClient(ca, { user: 'alice', groups: ['devs', 'system:masters'], ttlMs: 60_000 });
    const found = authenticator()(der(pair));
    expect(found.identity.username).toBe('alice');
    expect(found.identity.groups).toEqual(['devs', 'system:masters']);
    const hash = createHash('sha256').update(der(pair)).digest('hex');
    expect(found.identity.extra).toEqual({ 'authentication.kubernetes.io/credential-id': [`X509SHA256=${hash}`] });
    expect(found).toMatchObject({ tenant: 'acme', tenantUid: 'u1', how: 'client-certificate' });
  });

  it.each([
    ['comma', 'al,ice'],
    ['plus', 'al+ice'],
    ['equals', 'CN=root'],
    ['a second name within', 'alice\nO=system:masters'],
    ['quote and backslash', 'a"b\\c'],
    ['umlaut', 'älice'],
  ])('keep a user name with %s as it is', async (_what, user) => {
    const pair = await issueClient(ca, { user, groups: ['devs'], ttlMs: 60_000 });
    const { identity } = authenticator()(der(pair));
    expect(identity.username).toBe(user);
    expect(identity.groups).toEqual(['devs']);
  });

  it('end when they expire, also when they were checked before', async () => {
    const pair = await issueClient(ca, { user: 'alice', ttlMs: 60_000 });
    let nowMs = Date.now();
    const authenticate = clientCertAuthenticator({ tenants: tenants(), nowMs: () => nowMs });
    expect(authenticate(der(pair)).identity.username).toBe('alice');
    nowMs += 120_000;
    expect(() => authenticate(der(pair))).toThrow(expect.objectContaining({ status: 401, why: 'certificate-expired' }));
  });

  it('end when the tenant gets another CA, also when they were checked before', async () => {
    const pair = await issueClient(ca, { user: 'alice', ttlMs: 60_000 });
    let registry = tenants();
    const authenticate = clientCertAuthenticator({
      tenants: { get: (id) => registry.get(id), all: () => registry.all() },
      nowMs: Date.now,
    });
    expect(authenticate(der(pair)).tenant).toBe('acme');
    registry = tenants({ clientCaPem: forgedCa.certPem });
    expect(() => authenticate(der(pair))).toThrow(expect.objectContaining({ status: 401 }));
  });

  it('end when they are revoked, each alone, also when they were checked before', async () => {
    const pair = await issueClient(ca, { user: 'alice', ttlMs: 60_000 });
    const other = await issueClient(ca, { user: 'alice', ttlMs: 60_000 });
    let registry = tenants();
    const authenticate = clientCertAuthenticator({
      tenants: { get: (id) => registry.get(id), all: () => registry.all() },
      nowMs: Date.now,
    });
    expect(authenticate(der(pair)).tenant).toBe('acme');
    const serial = certificateSerial(new X509Certificate(pair.certPem).serialNumber) ?? '';
    registry = tenants({ revokedCertificates: new Set([serial]) });
    expect(() => authenticate(der(pair))).toThrow(expect.objectContaining({ status: 401, why: 'certificate-revoked' }));
    expect(authenticate(der(other)).tenant).toBe('acme');
  });

  it.each([
    ['0A:bC', 'abc'],
    ['00', '0'],
    ['', undefined],
    ['0x1', undefined],
  ])('have serial numbers that are written in one way: %s', (text, serial) => {
    expect(certificateSerial(text)).toBe(serial);
  });

  it.each([
    ['of an earlier tenant of the same id', () => issueClient(earlierCa, { user: 'alice' })],
    ['of a CA that only calls itself the tenant’s', () => issueClient(forgedCa, { user: 'alice' })],
    ['of the host', () => issueClient(hostCa, { user: 'alice', groups: ['system:masters'] })],
    ['for servers', () => issueServer(ca, { commonName: 'alice', dnsNames: ['a.example.com'], ipAddresses: [] })],
  ])('are refused when they are %s', async (_what, issue) => {
    const pair = await issue();
    expect(() => authenticator()(der(pair))).toThrow(expect.objectContaining({ status: 401 }));
  });

  it('are refused when they are a CA themselves', () => {
    expect(() => authenticator()(der(ca))).toThrow(expect.objectContaining({ status: 401 }));
  });

  it('have room for hundreds of groups, and are refused unread when they are larger', async () => {
    const groups = (count: number) => Array.from({ length: count }, (_, at) => `a-group-of-the-directory-${at}`);
    const usual = await issueClient(ca, { user: 'alice', groups: groups(500), ttlMs: 60_000 });
    expect(authenticator()(der(usual)).identity.groups).toHaveLength(500);
    const large = await issueClient(ca, { user: 'alice', groups: groups(1_000), ttlMs: 60_000 });
    expect(() => authenticator()(der(large))).toThrow(
      expect.objectContaining({
        status: 401,
        why: 'certificate-unreadable',
        cause: expect.objectContaining({ message: expect.stringContaining('at most 32768 bytes') }),
      }),
    );
  });

  it('are taken apart when a CA of a tenant has signed them, and no sooner', async () => {
    const opened: string[] = [];
    const authenticate = clientCertAuthenticator({
      tenants: tenants(),
      nowMs: Date.now,
      namesIn(certificate) {
        opened.push(certificate.subject);
        return subjectOf(certificate);
      },
    });
    for (const authority of [hostCa, earlierCa, forgedCa]) {
      const pair = await issueClient(authority, { user: 'mallory' });
      expect(() => authenticate(der(pair))).toThrow(expect.objectContaining({ status: 401 }));
    }
    expect(() => authenticate(Buffer.from('nonsense'))).toThrow(expect.objectContaining({ status: 401 }));
    const pair = await issueClient(ca, { user: 'alice', ttlMs: 60_000 });
    for (let request = 0; request < 3; request += 1) authenticate(der(pair));
    expect(opened).toEqual(['CN=alice']);
  });

  it.each([
    ['two names', [{ CN: ['kubeveil tenant globex'] }, { CN: ['kubeveil tenant acme'] }]],
    ['a name of two lines', [{ CN: ['x\nCN=kubeveil tenant acme'] }]],
    ['no name', [{ OU: ['u1'] }]],
  ])('are nobody’s when their CA has %s', async (_what, name) => {
    const pair = await issueClient(await createAuthority(name), { user: 'alice' });
    expect(() => authenticator()(der(pair))).toThrow(
      expect.objectContaining({ status: 401, why: 'certificate-foreign' }),
    );
  });

  it('of nobody are somebody’s as soon as the tenant is there', async () => {
    const pair = await issueClient(ca, { user: 'alice', ttlMs: 60_000 });
    let registry: ReturnType<typeof tenants> = { get: () => undefined, all: () => [] };
    const authenticate = clientCertAuthenticator({
      tenants: { get: (id) => registry.get(id), all: () => registry.all() },
      nowMs: Date.now,
    });
    expect(() => authenticate(der(pair))).toThrow(expect.objectContaining({ status: 401 }));
    registry = tenants();
    expect(authenticate(der(pair)).tenant).toBe('acme');
  });

  it('are refused when they are not certificates', () => {
    for (const bytes of [new Uint8Array(), Buffer.from('nonsense')]) {
      expect(() => authenticator()(bytes)).toThrow(
        expect.objectContaining({ status: 401, why: 'certificate-unreadable' }),
      );
    }
  });
});
