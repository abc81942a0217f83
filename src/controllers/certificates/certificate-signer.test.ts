import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { certificateRequest } from '../../../test/support/certificate-requests.ts';
import { cloneJson } from '../../codec/json.ts';
import type { InformerEvent } from '../../k8s/informer.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { type CertificatePair, createAuthority } from '../../pki/certificates.ts';
import type { TenantId } from '../../tenancy/names.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { startCertificateSigner } from './certificate-signer.ts';

const acme = { id: 'acme' as TenantId, phase: 'Active' } as Tenant;
const NOW_MS = Date.parse('2026-01-01T00:00:00Z');
const SIGNER = 'kubernetes.io/kube-apiserver-client';
const APPROVED = { type: 'Approved', status: 'True', lastUpdateTime: '2026-01-01T00:00:00Z' };
let authority: CertificatePair;
let alice: string;

beforeAll(async () => {
  authority = await createAuthority([{ CN: ['test-ca'] }]);
  alice = (await certificateRequest('CN=alice, O=devs')).pem;
});

interface Asked {
  readonly pem?: string;
  readonly spec?: JsonObject;
  readonly conditions?: JsonObject[];
  readonly metadata?: JsonObject;
  readonly tenant?: Tenant;
  readonly nowMs?: number;
}

/** What the signer does with one request until there is nothing left to do. */
async function settled({ pem = alice, spec = {}, conditions = [APPROVED], metadata = {}, ...rest }: Asked) {
  const request = encoded(pem);
  const object: JsonObject = {
    metadata: {
      name: 'acme--csr',
      uid: 'u',
      resourceVersion: '7',
      labels: { 'kubeveil.dev/tenant': 'acme' },
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { request, usages: ['client auth'], signerName: SIGNER, ...spec },
    status: { conditions },
  };
  const written: [name: string, merge: JsonObject][] = [];
  const removed: [name: string, uid: string][] = [];
  let tell: (event: InformerEvent) => void = () => {};
  const signer = startCertificateSigner({
    requests: {
      get: () => cloneJson(object),
      subscribe(listener) {
        tell = listener;
        return () => {};
      },
    },
    tenants: { get: () => rest.tenant ?? acme },
    authority: async () => authority,
    async writeStatus(_tenant, name, merge) {
      written.push([name, merge]);
    },
    async remove(_tenant, name, uid) {
      removed.push([name, uid]);
    },
    nowMs: () => rest.nowMs ?? NOW_MS,
    onError: (_what, error) => expect.fail(String(error)),
  });
  tell({ type: 'added', object });
  await signer.stop();
  const [name, merge = {}] = written[0] ?? [];
  const status = child(merge, 'status');
  const certificate = text(status, 'certificate');
  return {
    name,
    metadata: merge['metadata'],
    failed: (Array.isArray(status['conditions']) ? status['conditions'] : []).slice(1),
    certificate: certificate === '' ? undefined : new X509Certificate(Buffer.from(certificate, 'base64')),
    writes: written.length,
    removed,
  };
}

function encoded(pem: string): string {
  return Buffer.from(pem).toString('base64');
}

describe('an approved request for a client certificate', () => {
  it('is signed with the CA of its tenant, for the state that was seen', async () => {
    const { name, metadata, certificate, writes } = await settled({});
    expect({ name, metadata, writes }).toEqual({
      name: 'csr',
      metadata: { uid: 'u', resourceVersion: '7' },
      writes: 1,
    });
    expect(certificate?.toLegacyObject().subject).toEqual({ CN: 'alice', O: 'devs' });
    expect(certificate?.verify(new X509Certificate(authority.certPem).publicKey)).toBe(true);
  });

  it.each([
    ['twelve hours when it does not say how long', {}, 12 * 3600],
    ['as long as it asks', { expirationSeconds: 600 }, 600],
    ['thirty days at most', { expirationSeconds: 10_000_000 }, 30 * 86_400],
  ])('holds %s', async (_name, spec, seconds) => {
    const { certificate } = await settled({ spec });
    const leftSeconds = ((certificate?.validToDate.getTime() ?? 0) - Date.now()) / 1000;
    expect(Math.round(leftSeconds / 60)).toBe(Math.round(seconds / 60));
  });

  it.each([
    ['other usages', { usages: ['client auth', 'server auth'] }, 'invalid usage for client certificate: server auth'],
    [
      'no client’s usage',
      { usages: ['digital signature'] },
      'missing required usage for client certificate: client auth',
    ],
    ['something unreadable', { request: encoded('nothing') }, 'PEM block type must be CERTIFICATE REQUEST'],
  ])('fails with %s', async (_name, spec, message) => {
    const { certificate, failed } = await settled({ spec });
    expect(certificate).toBeUndefined();
    expect(failed).toMatchObject([{ type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message }]);
  });

  it.each([
    [
      'the administrators',
      'CN=alice, O=system:masters',
      'certificates of the group system:masters are not signed on request',
    ],
    ['nobody', 'O=devs', 'the subject must have one common name (CN)'],
    ['two users', 'CN=alice, CN=bob', 'the subject must have one common name (CN)'],
  ])('fails for %s', async (_name, subject, message) => {
    const { certificate, failed } = await settled({ pem: (await certificateRequest(subject)).pem });
    expect(certificate).toBeUndefined();
    expect(failed).toMatchObject([{ message }]);
  });
});

describe('a request is left alone', () => {
  it.each<[string, Asked]>([
    ['that nobody has approved', { conditions: [] }],
    ['that was denied', { conditions: [{ ...APPROVED, type: 'Denied' }] }],
    ['that failed', { conditions: [APPROVED, { ...APPROVED, type: 'Failed' }] }],
    ['of another signer', { spec: { signerName: 'example.com/signer' } }],
    ['of a tenant that is not in service', { tenant: { ...acme, phase: 'Suspended' } }],
    ['whose name and label say two tenants', { metadata: { labels: { 'kubeveil.dev/tenant': 'globex' } } }],
  ])('%s', async (_name, asked) => {
    expect(await settled(asked)).toMatchObject({ writes: 0, removed: [] });
  });
});

it('a request that has had its time is deleted, and that one alone', async () => {
  const { removed, writes } = await settled({ nowMs: NOW_MS + 25 * 3_600_000 });
  expect({ removed, writes }).toEqual({ removed: [['csr', 'u']], writes: 0 });
});
