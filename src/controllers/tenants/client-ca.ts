/**
 * The CA that signs a tenant's client certificates. Its name says the tenant and the tenant's uid, so a certificate of an
 * earlier tenant of the same id is never one of this. The key stays in a Secret that only the provisioner reads.
 *
 *   subject  CN=kubeveil tenant acme, OU=<uid>
 *   Secret   kubeveil-system/tenant-ca-acme: tls.crt, tls.key (PKCS #8)
 */
import { randomBytes, webcrypto } from 'node:crypto';
import '../../lib/reflect-polyfill.ts';
import * as x509 from '@peculiar/x509';
import { labelsOf, metadataOf } from '../../k8s/meta.ts';
import { isObject, type JsonObject } from '../../k8s/types.ts';
import { TENANT_LABEL, type TenantId } from '../../tenancy/names.ts';
import { TENANT_UID_ANNOTATION } from '../../tenancy/tenant.ts';
import { type HostClient, HostError } from '../../upstream/host-client.ts';
import { annotationOf, PATHS, SYSTEM_NAMESPACE } from '../host/host-objects.ts';

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const TTL_MS = 10 * 365 * 86_400_000;
/** Clocks of the proxy and of its clients differ by a little. */
const BACKDATE_MS = 5 * 60_000;

interface Owner {
  readonly id: TenantId;
  readonly uid: string;
}

export function clientCaSecretName(tenant: TenantId): string {
  return `tenant-ca-${tenant}`;
}
/** Makes a self-signed CA that may sign leaf certificates only. PEM texts. */
export async function createClientCa(tenant: Owner, nowMs: number): Promise<{ certPem: string; keyPem: string }> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const serial = randomBytes(16);
  // Positive and of full length, as RFC 5280 section 4.1.2.2 asks.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial.toString('hex'),
    name: [{ CN: [`kubeveil tenant ${tenant.id}`] }, { OU: [tenant.uid] }],
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + TTL_MS),
    signingAlgorithm: EC,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const keyPem = x509.PemConverter.encode(der, x509.PemConverter.PrivateKeyTag);
  return { certPem: `${certificate.toString('pem')}\n`, keyPem: `${keyPem}\n` };
}

/**
 * The CA certificate of this tenant, made when there is none, and made anew when the Secret is of an earlier tenant.
 * Two replicas that make one at the same time end with the one that was stored.
 */
export async function ensureClientCa(
  client: HostClient,
  tenant: Owner,
  nowMs: number,
  options: { isLikelyNew: boolean },
): Promise<string> {
  const path = `${PATHS.secrets}/${clientCaSecretName(tenant.id)}`;
  const stored = options.isLikelyNew ? undefined : await client.get(path);
  const known = stored && certificateIn(stored, tenant);
  if (known !== undefined) return known;
  if (stored !== undefined) await client.remove(path, String(metadataOf(stored)['uid']));
  const made = await createClientCa(tenant, nowMs);
  try {
    await client.create(PATHS.secrets, secretObject(tenant, made));
    return made.certPem;
  } catch (error) {
    if (!(error instanceof HostError) || error.reason !== 'AlreadyExists') throw error;
    if (options.isLikelyNew) return ensureClientCa(client, tenant, nowMs, { isLikelyNew: false });
    throw error;
  }
}

function certificateIn(secret: JsonObject, tenant: Owner): string | undefined {
  const data = isObject(secret['data']) ? secret['data'] : {};
  const certificate = data['tls.crt'];
  const isOurs =
    labelsOf(secret)[TENANT_LABEL] === tenant.id && annotationOf(secret, TENANT_UID_ANNOTATION) === tenant.uid;
  return isOurs && typeof certificate === 'string' ? Buffer.from(certificate, 'base64').toString('utf8') : undefined;
}

function secretObject(tenant: Owner, ca: { certPem: string; keyPem: string }): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: {
      name: clientCaSecretName(tenant.id),
      namespace: SYSTEM_NAMESPACE,
      labels: { [TENANT_LABEL]: tenant.id },
      annotations: { [TENANT_UID_ANNOTATION]: tenant.uid },
      ownerReferences: [{ apiVersion: 'kubeveil.dev/v1alpha1', kind: 'Tenant', name: tenant.id, uid: tenant.uid }],
    },
    stringData: { 'tls.crt': ca.certPem, 'tls.key': ca.keyPem },
  };
}
