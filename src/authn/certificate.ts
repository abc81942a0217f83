/**
 * A client certificate as it is written. Anybody may send one. So its size is bounded, and only OpenSSL reads it until it
 * is known that an authority of ours has signed it; whom it names is taken apart here after that.
 */
import { X509Certificate } from 'node:crypto';
import '../lib/reflect-polyfill.ts';
import { X509Certificate as ParsedCertificate } from '@peculiar/x509';

/** Room for hundreds of groups. */
const MOST_BYTES = 32 * 1024;

/** @throws {Error} for what is too large, or no certificate */
export function openCertificate(der: Uint8Array): X509Certificate {
  if (der.byteLength > MOST_BYTES) throw new Error(`a client certificate has at most ${MOST_BYTES} bytes`);
  return new X509Certificate(der);
}

export interface Subject {
  /** All that it has of CN and O. */
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** From the DER itself: Node prints names as text, which cannot be taken apart again for every name. */
export function subjectOf(certificate: X509Certificate): Subject {
  const { subjectName } = new ParsedCertificate(new Uint8Array(certificate.raw));
  return { users: subjectName.getField('CN'), groups: subjectName.getField('O') };
}

/**
 * The common name in what is printed of a certificate's issuer: a line of its own. It says which authority to ask, which
 * then proves it or not, so a name that looks like two is only refused.
 */
export function issuerOf(certificate: X509Certificate): string {
  return /^CN=(.*)$/m.exec(certificate.issuer)?.[1] ?? '';
}
