/**
 * The CA that signs a tenant's client certificates. Its name says the tenant and the tenant's uid, so a certificate of an
 * earlier tenant of the same id is never one of this. The key stays in a Secret that only the provisioner reads.
 *
 *   subject  CN=kubeveil tenant acme, OU=<uid>
 *   Secret   kubeveil-system/tenant-ca-acme: tls.crt, tls.key (PKCS #8)
 */
import { annotationOf, labelsOf, metadataOf } from '../../k8s/meta.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { type CertificatePair, createAuthority } from '../../pki/certificates.ts';
import { clientCaCommonName, clientCaSecretName, OWN_API_VERSION, PROXY_NAMESPACE } from '../../tenancy/host-names.ts';
import { TENANT_LABEL, type TenantId } from '../../tenancy/names.ts';
import { TENANT_UID_ANNOTATION, type Tenant } from '../../tenancy/tenant.ts';
import { type HostClient, HostError } from '../../upstream/host-client.ts';
import { PATHS } from '../host/host-objects.ts';

interface Owner {
  readonly id: TenantId;
  readonly uid: string;
}

/** Makes a CA that only this tenant has. */
export async function createClientCa(tenant: Owner): Promise<CertificatePair> {
  return await createAuthority([{ CN: [clientCaCommonName(tenant.id)] }, { OU: [tenant.uid] }]);
}

/**
 * The CA certificate of this tenant, made when there is none, and made anew when the Secret is of an earlier tenant.
 * Two replicas that make one at the same time end with the one that was stored.
 */
export async function ensureClientCa(
  client: HostClient,
  tenant: Owner,
  options: { isLikelyNew: boolean },
): Promise<string> {
  const path = `${PATHS.secrets}/${clientCaSecretName(tenant.id)}`;
  const stored = options.isLikelyNew ? undefined : await client.get(path);
  const known = stored && certificateIn(stored, tenant);
  if (known !== undefined) return known;
  if (stored !== undefined) await client.remove(path, String(metadataOf(stored)['uid']));
  const made = await createClientCa(tenant);
  try {
    await client.create(PATHS.secrets, secretObject(tenant, made));
    return made.certPem;
  } catch (error) {
    if (!(error instanceof HostError) || error.reason !== 'AlreadyExists') throw error;
    if (options.isLikelyNew) return ensureClientCa(client, tenant, { isLikelyNew: false });
    throw error;
  }
}

/**
 * The CA of this tenant with its key, to sign with.
 * @throws {Error} when there is none, or one that is not the tenant's
 */
export async function readClientCa(client: HostClient, tenant: Tenant): Promise<CertificatePair> {
  const secret = await client.get(`${PATHS.secrets}/${clientCaSecretName(tenant.id)}`);
  const certPem = secret && certificateIn(secret, tenant);
  const key = secret === undefined ? '' : text(child(secret, 'data'), 'tls.key');
  // Another than the one in service would sign what nobody takes.
  if (certPem === undefined || certPem !== tenant.clientCaPem || key === '') {
    throw new Error(`the CA of tenant ${tenant.id} is not there yet`);
  }
  return { certPem, keyPem: Buffer.from(key, 'base64').toString('utf8') };
}

function certificateIn(secret: JsonObject, tenant: Owner): string | undefined {
  const certificate = text(child(secret, 'data'), 'tls.crt');
  const isOurs =
    labelsOf(secret)[TENANT_LABEL] === tenant.id && annotationOf(secret, TENANT_UID_ANNOTATION) === tenant.uid;
  return isOurs && certificate !== '' ? Buffer.from(certificate, 'base64').toString('utf8') : undefined;
}

function secretObject(tenant: Owner, ca: CertificatePair): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: {
      name: clientCaSecretName(tenant.id),
      namespace: PROXY_NAMESPACE,
      labels: { [TENANT_LABEL]: tenant.id },
      annotations: { [TENANT_UID_ANNOTATION]: tenant.uid },
      ownerReferences: [{ apiVersion: OWN_API_VERSION, kind: 'Tenant', name: tenant.id, uid: tenant.uid }],
    },
    stringData: { 'tls.crt': ca.certPem, 'tls.key': ca.keyPem },
  };
}
