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
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors.ts';
import type { Authenticated } from '../exchange.ts';
import type { TenantRegistry } from '../ports.ts';
import { tenantOfClientCa } from '../tenancy/host-names.ts';
import { certificateSerial, type Tenant } from '../tenancy/tenant.ts';
import { issuerOf, openCertificate, subjectOf } from './certificate.ts';
import { CREDENTIAL_ID } from './credential-id.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const REMEMBERED = 10_000;

export interface ClientCertOptions {
  tenants: TenantRegistry;
  nowMs: () => number;
  /** Takes apart whom a certificate names, which is done for those alone that a tenant's CA has signed. */
  namesIn?: typeof subjectOf;
}

type Checked = Authenticated & { readonly notBeforeMs: number; readonly caPem: string; readonly serial: string };

/** Authenticates a certificate, given as DER. What was checked once is remembered by its hash, under the same CA. */
export function clientCertAuthenticator({
  tenants,
  nowMs,
  namesIn = subjectOf,
}: ClientCertOptions): (der: Uint8Array) => Authenticated {
  const remembered = new LRUCache<string, Checked>({ max: REMEMBERED });
  /** A connection shows the same bytes with each request, and with each time that its watches are judged. */
  const hashes = new WeakMap<Uint8Array, string>();
  return (der) => {
    const hash = hashes.get(der) ?? sha256(der, 'base64');
    hashes.set(der, hash);
    let checked = remembered.get(hash);
    if (checked === undefined || tenants.get(checked.tenant)?.clientCaPem !== checked.caPem) {
      checked = check(der, tenants, namesIn);
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

function check(der: Uint8Array, tenants: TenantRegistry, namesIn: typeof subjectOf): Checked {
  const certificate = opened(der);
  const tenant = signerOf(certificate, tenants);
  const authority = new X509Certificate(tenant.clientCaPem);
  if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey)) throw foreign();
  if (certificate.ca || !(certificate.keyUsage ?? []).includes(CLIENT_AUTH)) {
    throw refused('the certificate is not one for clients', 'certificate-usage');
  }
  const { users, groups } = namesIn(certificate);
  const username = users[0];
  if (users.length !== 1 || username === undefined || username === '') {
    throw refused('the client certificate must name one user (CN)', 'certificate-subject');
  }
  return {
    identity: { username, groups, uid: '', extra: { [CREDENTIAL_ID]: [`X509SHA256=${sha256(der, 'hex')}`] } },
    tenant: tenant.id,
    tenantUid: tenant.uid,
    how: 'client-certificate',
    caPem: tenant.clientCaPem,
    serial: certificateSerial(certificate.serialNumber) ?? '',
    notBeforeMs: Date.parse(certificate.validFrom),
    expiresAtMs: Date.parse(certificate.validTo),
  };
}

function sha256(der: Uint8Array, as: 'hex' | 'base64'): string {
  return createHash('sha256').update(der).digest(as);
}

function opened(der: Uint8Array): X509Certificate {
  try {
    return openCertificate(der);
  } catch (cause) {
    throw refused('the client certificate cannot be read', 'certificate-unreadable', cause);
  }
}

/**
 * The tenant whose CA the certificate names as its issuer. The claim is proven by the signature afterwards, with the key of
 * the CA that the tenant has now: an earlier tenant of this id had another.
 */
function signerOf(certificate: X509Certificate, tenants: TenantRegistry): Tenant {
  const id = tenantOfClientCa(issuerOf(certificate));
  const tenant = id && tenants.get(id);
  if (tenant === undefined || tenant.clientCaPem === '') throw foreign();
  return tenant;
}

function foreign(): ApiError {
  return refused('the client certificate is not of a tenant here; ask for a new kubeconfig', 'certificate-foreign');
}

function refused(message: string, why: string, cause?: unknown): ApiError {
  return new ApiError('ERR_UNAUTHORIZED', `Unauthorized: ${message}`, { why, cause });
}
