import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { TenantId } from '../../tenancy/names.ts';
import { createClientCa } from './client-ca.ts';

const acme = { id: 'acme' as TenantId, uid: '3f0c5a8e-5d0a-4a34-8ed0-0d7d6b1f1d11' };

describe('the CA of a tenant', () => {
  it('says the tenant and its uid, and signs itself', async () => {
    const { certPem } = await createClientCa(acme);
    const certificate = new X509Certificate(certPem);
    expect(certificate.subject.split('\n')).toEqual([`CN=kubeveil tenant acme`, `OU=${acme.uid}`]);
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
  });

  it('is another each time, with its own key', async () => {
    const [a, b] = await Promise.all([createClientCa(acme), createClientCa(acme)]);
    expect(new X509Certificate(a.certPem).checkPrivateKey(createPrivateKey(a.keyPem))).toBe(true);
    expect(new X509Certificate(a.certPem).checkPrivateKey(createPrivateKey(b.keyPem))).toBe(false);
  });
});
