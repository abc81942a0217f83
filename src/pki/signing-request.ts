/**
 * PKCS #10 certificate requests, as a CertificateSigningRequest holds one in `spec.request`. Read before anybody has
 * approved it, so nothing in it is believed: the size is bounded, the signature is checked with the key that it names.
 *
 * Of the subject only CN and O are kept: they are all that a client certificate says here.
 *
 * @see RFC 2986, RFC 7468
 * @see k8s.io/kubernetes pkg/apis/certificates/helpers.go at v1.36
 */
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import '../lib/reflect-polyfill.ts';
import * as x509 from '@peculiar/x509';

/** A request for a client certificate has a few hundred bytes; with the largest key that is taken, some thousand. */
const MAX_BYTES = 64 * 1024;
const MAX_RSA_BITS = 8192;
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
const HASHES: ReadonlySet<string> = new Set(['SHA-256', 'SHA-384', 'SHA-512']);
const LABEL = 'CERTIFICATE REQUEST';
const BLOCK = /-----BEGIN ([^\n-]*)-----[ \t\r]*\n([\s\S]*?)\n?-----END \1-----/;

export interface SigningRequest {
  /** Each CN of the subject. */
  readonly users: readonly string[];
  /** Each O of the subject. */
  readonly groups: readonly string[];
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKeyDer: Uint8Array;
}

/** Why a request cannot be taken, in the words of the API server where it has some. */
export class SigningRequestError extends Error {}

/**
 * @param pem the text that is base64 in `spec.request`
 * @throws {SigningRequestError} when it is none, or not signed with its own key
 */
export function readSigningRequest(pem: string): SigningRequest {
  if (pem.length > MAX_BYTES) throw new SigningRequestError(`must have at most ${MAX_BYTES} bytes`);
  const block = BLOCK.exec(pem);
  if (block?.[1] !== LABEL) throw new SigningRequestError(`PEM block type must be ${LABEL}`);
  const der = Buffer.from((block[2] ?? '').replace(/^[^\n]*:[^\n]*$/gm, ''), 'base64');
  try {
    const request = new x509.Pkcs10CertificateRequest(new Uint8Array(der));
    const publicKeyDer = new Uint8Array(request.publicKey.rawData);
    checkSignature(
      request,
      signedPart(der),
      createPublicKey({ key: Buffer.from(publicKeyDer), format: 'der', type: 'spki' }),
    );
    const { subjectName } = request;
    return { users: subjectName.getField('CN'), groups: subjectName.getField('O'), publicKeyDer };
  } catch (cause) {
    if (cause instanceof SigningRequestError) throw cause;
    throw new SigningRequestError('asn1: structure error: it is no certificate request', { cause });
  }
}

function checkSignature(request: x509.Pkcs10CertificateRequest, signed: Uint8Array, key: KeyObject): void {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {};
  const signature = new Uint8Array(request.signature);
  const { hash } = request.signatureAlgorithm;
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      if (verify(null, signed, key, signature)) return;
      throw new SigningRequestError('x509: Ed25519 verification failure');
    case 'ec':
      if (namedCurve === undefined || !CURVES.has(namedCurve)) {
        throw new SigningRequestError('x509: unsupported elliptic curve');
      }
      if (verify(hashOf(hash), signed, key, signature)) return;
      throw new SigningRequestError('x509: ECDSA verification failure');
    case 'rsa':
      if ((modulusLength ?? 0) > MAX_RSA_BITS) throw new SigningRequestError('x509: RSA key is too large');
      if (verify(hashOf(hash), signed, { key, padding: constants.RSA_PKCS1_PADDING }, signature)) return;
      throw new SigningRequestError('crypto/rsa: verification error');
    default:
      throw new SigningRequestError('x509: cannot verify signature: algorithm unimplemented');
  }
}

/** Node's name of a hash that is still good. */
function hashOf(hash: x509.HashedAlgorithm['hash'] | undefined): string {
  const name = hash?.name ?? '';
  if (!HASHES.has(name)) throw new SigningRequestError('x509: cannot verify signature: algorithm unimplemented');
  return name.replace('-', '').toLowerCase();
}

/** The first part of the outer SEQUENCE, with its header: what is signed. */
function signedPart(der: Uint8Array): Uint8Array {
  const outer = headerOf(der, 0);
  const inner = headerOf(der, outer.bodyAt);
  return der.subarray(outer.bodyAt, inner.bodyAt + inner.length);
}

/** Where the body of the DER element at `at` begins, and how long it is. The DER was parsed before. */
function headerOf(der: Uint8Array, at: number): { bodyAt: number; length: number } {
  const first = der[at + 1] ?? 0;
  if (first < 0x80) return { bodyAt: at + 2, length: first };
  const bytes = first & 0x7f;
  let length = 0;
  for (let index = 0; index < bytes; index += 1) length = length * 256 + (der[at + 2 + index] ?? 0);
  return { bodyAt: at + 2 + bytes, length };
}
