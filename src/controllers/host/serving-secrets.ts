/**
 * What all replicas of the proxy share, kept as Secrets in `kubeveil-system`: the CA that signs its serving certificates
 * and the key that seals continue tokens. Whoever comes first makes them. Where tenants reach the proxy, and the CA to
 * trust, is told in the ConfigMap `kubeveil-public`.
 */
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { child } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { type CertificatePair, createAuthority, issueServer } from '../../pki/certificates.ts';
import { PROXY_NAMESPACE, PROXY_NAMESPACE_PATH, PUBLIC_CONFIG_MAP, RELAY_SECRET } from '../../tenancy/host-names.ts';
import { type HostClient, HostError } from '../../upstream/host-client.ts';

const CA_SECRET = 'kubeveil-serving-ca';
const SEAL_SECRET = 'kubeveil-seal';

/** The CA that signs the serving certificates of all replicas. */
export async function servingCa(host: HostClient): Promise<CertificatePair> {
  const data = await sharedSecret(host, CA_SECRET, async () => {
    const made = await createAuthority([{ CN: ['kubeveil serving'] }]);
    return { 'tls.crt': made.certPem, 'tls.key': made.keyPem };
  });
  return { certPem: decoded(data['tls.crt']), keyPem: decoded(data['tls.key']) };
}

/** 32 bytes; the newest key first. */
export async function sealKeys(host: HostClient): Promise<Uint8Array[]> {
  const data = await sharedSecret(host, SEAL_SECRET, async () => ({ 'key-1': randomBytes(32).toString('base64') }));
  return Object.keys(data)
    .sort()
    .reverse()
    .map((name) => Buffer.from(decoded(data[name]), 'base64'));
}

/** The newest, and the one before it. Whatever else is in the Secret opens nothing. */
const TOKENS = ['token', 'previous'] as const;

/** What the host's API server shows when it asks; none where the operator has not set up the relay. */
export async function relayTokens(host: HostClient): Promise<string[]> {
  const data = child(await host.get(`${PROXY_NAMESPACE_PATH}/secrets/${RELAY_SECRET}`), 'data');
  return TOKENS.map((name) => decoded(data[name])).filter((token) => token !== '');
}

/** A certificate for this process: for the names and addresses under which it is reached. */
export function servingCertificate(ca: CertificatePair, names: readonly string[]): Promise<CertificatePair> {
  const unique = [...new Set([...names, 'localhost', '127.0.0.1', '::1'])];
  return issueServer(ca, {
    commonName: 'kubeveil',
    dnsNames: unique.filter((name) => isIP(name) === 0),
    ipAddresses: unique.filter((name) => isIP(name) !== 0),
  });
}

/** Tells where tenants reach the proxy. @param server its URL */
export async function publish(host: HostClient, server: string, caPem: string): Promise<void> {
  await host.apply(`${PROXY_NAMESPACE_PATH}/configmaps/${PUBLIC_CONFIG_MAP}`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: PUBLIC_CONFIG_MAP, namespace: PROXY_NAMESPACE },
    data: { server, 'ca.crt': caPem },
  });
}

/** The data of a Secret, made if there is none; of two replicas that make it at once, the first one's holds. */
async function sharedSecret(
  host: HostClient,
  name: string,
  make: () => Promise<Record<string, string>>,
): Promise<JsonObject> {
  const path = `${PROXY_NAMESPACE_PATH}/secrets/${name}`;
  const known = await host.get(path);
  if (known !== undefined) return child(known, 'data');
  try {
    const stringData = await make();
    const metadata = { name, namespace: PROXY_NAMESPACE };
    const made = await host.create(`${PROXY_NAMESPACE_PATH}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      type: 'Opaque',
      stringData,
    });
    return child(made, 'data');
  } catch (error) {
    if (!(error instanceof HostError) || error.reason !== 'AlreadyExists') throw error;
    const stored = await host.get(path);
    if (stored === undefined) throw error;
    return child(stored, 'data');
  }
}

function decoded(value: unknown): string {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
}
