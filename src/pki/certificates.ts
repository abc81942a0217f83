/**
 * X.509 certificates, all keys ECDSA P-256: authorities that may sign leaves only, and leaves for servers and clients.
 * @see RFC 5280
 */
import { randomBytes, webcrypto } from 'node:crypto';
import '../lib/reflect-polyfill.ts';
import * as x509 from '@peculiar/x509';
import type { SigningRequest } from './signing-request.ts';

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** Backdated, because clocks of containers and their hosts differ by a little. */
const BACKDATE_MS = 5 * 60_000;
const CA_TTL_MS = 10 * 365 * 86_400_000;
const LEAF_TTL_MS = 365 * 86_400_000;
const CLIENT_USAGE = [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])];

/** PEM texts: a certificate and its PKCS #8 private key. */
export interface CertificatePair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Who a client certificate stands for: CN is the user, each O a group. */
export interface ClientSubject {
  readonly user: string;
  readonly groups?: readonly string[];
  /** Default: one year. */
  readonly ttlMs?: number;
}

export interface ServerSubject {
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** etcd's own peers and its gateway use the server certificate as a client too. */
  readonly alsoClient?: boolean;
  /** Default: one year. */
  readonly ttlMs?: number;
}

/** Makes a self-signed CA that may sign leaf certificates only. */
export async function createAuthority(name: x509.JsonName): Promise<CertificatePair> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name,
    ...validity(CA_TTL_MS),
    signingAlgorithm: EC,
    keys: keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certPem: `${certificate.toString('pem')}\n`, keyPem: await privatePem(keys.privateKey) };
}

/** Signs a client certificate. Anything may be asked for, `system:masters` too: whoever holds the CA is the cluster. */
export function issueClient(authority: CertificatePair, subject: ClientSubject): Promise<CertificatePair> {
  const name = clientName([subject.user], subject.groups ?? []);
  return issue(authority, name, subject.ttlMs ?? LEAF_TTL_MS, CLIENT_USAGE);
}

/**
 * Signs what somebody asks for with a key of their own: a client certificate, PEM, for the subject of the request. Whether
 * they may have it is for the caller to know.
 * @param ttlMs how long it holds; never longer than the authority
 */
export async function signClientRequest(
  authority: CertificatePair,
  { users, groups, publicKeyDer }: SigningRequest,
  ttlMs: number,
): Promise<string> {
  const name = clientName(users, groups);
  return await sign(authority, name, new x509.PublicKey(publicKeyDer.slice().buffer), ttlMs, CLIENT_USAGE);
}

/** Signs a server certificate for the given host names and addresses. */
export function issueServer(authority: CertificatePair, subject: ServerSubject): Promise<CertificatePair> {
  const usages = [x509.ExtendedKeyUsage.serverAuth, ...(subject.alsoClient ? [x509.ExtendedKeyUsage.clientAuth] : [])];
  return issue(authority, [{ CN: [subject.commonName] }], subject.ttlMs ?? LEAF_TTL_MS, [
    new x509.ExtendedKeyUsageExtension(usages),
    new x509.SubjectAlternativeNameExtension([
      ...subject.dnsNames.map((value) => ({ type: 'dns' as const, value })),
      ...subject.ipAddresses.map((value) => ({ type: 'ip' as const, value })),
    ]),
  ]);
}

function clientName(users: readonly string[], groups: readonly string[]): x509.Name {
  return new x509.Name([
    ...users.map((user) => ({ CN: [text(user)] })),
    ...groups.map((group) => ({ O: [text(group)] })),
  ]);
}

async function issue(
  authority: CertificatePair,
  subject: x509.JsonName | x509.Name,
  ttlMs: number,
  extensions: readonly x509.Extension[],
): Promise<CertificatePair> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certPem = await sign(authority, subject, keys.publicKey, ttlMs, extensions);
  return { certPem, keyPem: await privatePem(keys.privateKey) };
}

/** A leaf, PEM. */
async function sign(
  authority: CertificatePair,
  subject: x509.JsonName | x509.Name,
  publicKey: x509.PublicKeyType,
  ttlMs: number,
  extensions: readonly x509.Extension[],
): Promise<string> {
  const issuer = new x509.X509Certificate(authority.certPem);
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(authority.keyPem),
    EC,
    false,
    ['sign'],
  );
  const { notBefore, notAfter } = validity(ttlMs);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject,
    issuer: issuer.subject,
    notBefore,
    notAfter: new Date(Math.min(notAfter.getTime(), issuer.notAfter.getTime())),
    signingAlgorithm: EC,
    publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...extensions,
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** As plain text: a bare string would be read as RFC 4514 has it, with `\\` and `#` of a meaning of their own. */
function text(value: string): { utf8String: string } {
  return { utf8String: value };
}

function validity(ttlMs: number): { notBefore: Date; notAfter: Date } {
  const nowMs = Date.now();
  return { notBefore: new Date(nowMs - BACKDATE_MS), notAfter: new Date(nowMs + ttlMs) };
}

/** 127 random bits: positive, as RFC 5280 section 4.1.2.2 asks. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  return `${x509.PemConverter.encode(der, x509.PemConverter.PrivateKeyTag)}\n`;
}
