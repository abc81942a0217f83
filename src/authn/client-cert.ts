/**
 * Client certificates. The tenant is whoever's CA signed: each tenant has a CA of its own, so no field of the
 * certificate itself is believed before the signature is checked with the key of the one CA that could have made it.
 *
 *   subject  CN=alice, O=devs, O=system:masters   -> user alice, groups devs and system:masters, inside the tenant
 *   issuer   CN=kubeveil tenant acme, OU=<uid>    -> tenant acme, as it is now; a CA of an earlier acme is not its CA
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates
 */
import { createHash, X509Certificate } from 'node:crypto';
import '../lib/reflect-polyfill.ts';
import { type Name, X509Certificate as ParsedCertificate } from '@peculiar/x509';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors.ts';
import type { Authenticated } from '../exchange.ts';
import type { TenantRegistry } from '../ports.ts';
import { tenantOfClientCa } from '../tenancy/host-names.ts';
import { certificateSerial, type Tenant } from '../tenancy/tenant.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const REMEMBERED = 10_000;

export interface ClientCertOptions {
  tenants: TenantRegistry;
  nowMs: () => number;
}

type Checked = Authenticated & { readonly notBeforeMs: number; readonly caPem: string; readonly serial: string };

/** Authenticates a certificate, given as DER. What was checked once is remembered by its hash, under the same CA. */
export function clientCertAuthenticator({ tenants, nowMs }: ClientCertOptions): (der: Uint8Array) => Authenticated {
  const remembered = new LRUCache<string, Checked>({ max: REMEMBERED });
  /** A connection shows the same bytes with each request, and with each time that its watches are judged. */
  const hashes = new WeakMap<Uint8Array, string>();
  return (der) => {
    const hash = hashes.get(der) ?? createHash('sha256').update(der).digest('base64');
    hashes.set(der, hash);
    let checked = remembered.get(hash);
    if (checked === undefined || tenants.get(checked.tenant)?.clientCaPem !== checked.caPem) {
      checked = check(der, tenants);
      remembered.set(hash, checked);
    }
    if (tenants.get(checked.tenant)?.revokedCertificates?.has(checked.serial)) {
      throw refused('the client certificate was revoked; ask for a new kubeconfig', 'certificate-revoked');
    }
    if (nowMs() >= checked.expiresAtMs)
      throw refused('the client certificate has expired; ask for a new kubeconfig', 'certificate-expired');
    if (nowMs() < checked.notBeforeMs) throw refused('the client certificate is not valid yet', 'certificate-early');
    return checked;
  };
}

function check(der: Uint8Array, tenants: TenantRegistry): Checked {
  let certificate: X509Certificate;
  let names: { subject: Name; issuer: Name };
  try {
    certificate = new X509Certificate(der);
    // Node prints names as text, which cannot be taken apart again for every name; these come from the DER itself.
    const parsed = new ParsedCertificate(new Uint8Array(der));
    names = { subject: parsed.subjectName, issuer: parsed.issuerName };
  } catch (cause) {
    throw refused('the client certificate cannot be read', 'certificate-unreadable', cause);
  }
  const tenant = signerOf(names.issuer, tenants);
  const authority = new X509Certificate(tenant.clientCaPem);
  if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey)) throw foreign();
  if (certificate.ca || !(certificate.keyUsage ?? []).includes(CLIENT_AUTH)) {
    throw refused('the certificate is not one for clients', 'certificate-usage');
  }
  const users = names.subject.getField('CN');
  const username = users[0];
  if (users.length !== 1 || username === undefined || username === '') {
    throw refused('the client certificate must name one user (CN)', 'certificate-subject');
  }
  return {
    identity: { username, groups: names.subject.getField('O'), uid: '', extra: {} },
    tenant: tenant.id,
    tenantUid: tenant.uid,
    how: 'client-certificate',
    caPem: tenant.clientCaPem,
    serial: certificateSerial(certificate.serialNumber) ?? '',
    notBeforeMs: Date.parse(certificate.validFrom),
    expiresAtMs: Date.parse(certificate.validTo),
  };
}

/** The tenant whose CA the certificate names as its issuer. The claim is proven by the signature afterwards. */
function signerOf(issuer: Name, tenants: TenantRegistry): Tenant {
  const [name] = issuer.getField('CN');
  const [uid] = issuer.getField('OU');
  const id = name === undefined ? undefined : tenantOfClientCa(name);
  const tenant = id && tenants.get(id);
  if (tenant === undefined || tenant.uid !== uid || tenant.clientCaPem === '') throw foreign();
  return tenant;
}

function foreign(): ApiError {
  return refused('the client certificate is not of a tenant here; ask for a new kubeconfig', 'certificate-foreign');
}

function refused(message: string, why: string, cause?: unknown): ApiError {
  return new ApiError('ERR_UNAUTHORIZED', `Unauthorized: ${message}`, { why, cause });
}
