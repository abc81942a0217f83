/**
 * Client certificates as the API server takes them: signed by an authority of its client CA bundle, for clients, and in
 * their time. CN is the user, each O a group. A certificate that an intermediate authority signed is not taken: what an
 * intermediate may sign is not judged here.
 *
 * @see k8s.io/apiserver pkg/authentication/request/x509/x509.go at v0.36
 */
import { X509Certificate } from 'node:crypto';
import '../lib/reflect-polyfill.ts';
import { X509Certificate as ParsedCertificate } from '@peculiar/x509';
import { ApiError } from '../errors.ts';
import type { Caller } from './caller.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** @param bundlePem one or more certificates */
export function authoritiesOf(bundlePem: string): X509Certificate[] {
  return (bundlePem.match(PEM) ?? []).map((pem) => new X509Certificate(pem));
}

/** @throws {ApiError} ERR_UNAUTHORIZED */
export function callerOfCertificate(der: Uint8Array, authorities: readonly X509Certificate[], nowMs: number): Caller {
  const certificate = read(der);
  const isSigned = authorities.some(
    (authority) => authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
  );
  if (!isSigned) throw refused('the client certificate is not of an authority that the cluster trusts');
  if (!(certificate.keyUsage ?? []).includes(CLIENT_AUTH)) throw refused('the certificate is not one for clients');
  if (nowMs >= Date.parse(certificate.validTo) || nowMs < Date.parse(certificate.validFrom)) {
    throw refused('the client certificate has expired, or is not valid yet');
  }
  // Node prints names as text, which cannot be taken apart again for every name; these come from the DER itself.
  const { subjectName } = new ParsedCertificate(new Uint8Array(der));
  const [username = '', ...more] = subjectName.getField('CN');
  if (username === '' || more.length > 0) throw refused('the client certificate must name one user (CN)');
  const groups = [...subjectName.getField('O'), 'system:authenticated'];
  return { username, groups, uid: '', extra: {}, how: 'certificate' };
}

function read(der: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch (cause) {
    throw refused('the client certificate cannot be read', cause);
  }
}

function refused(message: string, cause?: unknown): ApiError {
  return new ApiError('ERR_UNAUTHORIZED', `Unauthorized: ${message}`, { why: 'certificate', cause });
}
