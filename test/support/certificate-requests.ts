/** PKCS #10 requests, as clients send them to have a certificate signed. */
import { webcrypto } from 'node:crypto';
import '../../src/lib/reflect-polyfill.ts';
import * as x509 from '@peculiar/x509';

export const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
export const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
} as const;

export interface Requested {
  readonly pem: string;
  /** PKCS #8. */
  readonly keyPem: string;
}

/** @param subject `CN=alice, O=devs` */
export async function certificateRequest(subject: string, algorithm: typeof EC | typeof RSA = EC): Promise<Requested> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { pem: request.toString('pem'), keyPem: x509.PemConverter.encode(key, x509.PemConverter.PrivateKeyTag) };
}
