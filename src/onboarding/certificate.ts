/**
 * Issues client certificates with a tenant's CA. Short-lived: they are not renewed but made anew, and end with the CA
 * when the tenant goes.
 */
import { randomBytes, webcrypto } from 'node:crypto';
import '../lib/reflect-polyfill.ts';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** Clocks of two machines differ by a little. */
const BACKDATE_MS = 5 * 60_000;

export interface CaPair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface ClientRequest {
  readonly user: string;
  readonly groups: readonly string[];
  readonly ttlMs: number;
  readonly nowMs: number;
}

/** @returns PEM of the certificate and of its PKCS #8 key */
export async function issueClientCertificate(ca: CaPair, request: ClientRequest): Promise<CaPair> {
  const issuer = new X509Certificate(ca.certPem);
  const [der] = PemConverter.decode(ca.keyPem);
  if (der === undefined) throw new Error('the key of the tenant’s CA is not PEM');
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, EC, false, ['sign']);
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create({
    // Positive, as RFC 5280 wants it.
    serialNumber: `4${randomBytes(15).toString('hex')}`,
    subject: [{ CN: [request.user] }, ...request.groups.map((group) => ({ O: [group] }))],
    issuer: issuer.subjectName,
    notBefore: new Date(request.nowMs - BACKDATE_MS),
    notAfter: new Date(request.nowMs + request.ttlMs),
    signingAlgorithm: EC,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certPem: certificate.toString('pem'), keyPem: PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}
