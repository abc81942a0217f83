import { createSign, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certificateRequest, EC, RSA } from '../../test/support/certificate-requests.ts';
import { createAuthority, signClientRequest } from './certificates.ts';
import { readSigningRequest, SigningRequestError } from './signing-request.ts';

async function requested(...asked: Parameters<typeof certificateRequest>): Promise<string> {
  return (await certificateRequest(...asked)).pem;
}

/** The same request with its last byte, which is of the signature, changed. */
function forged(pem: string): string {
  const der = Buffer.from(pem.replaceAll(/-----.*-----/g, ''), 'base64');
  const at = der.length - 1;
  der[at] = (der[at] ?? 0) ^ 1;
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}

function refusal(pem: string): string {
  try {
    readSigningRequest(pem);
  } catch (error) {
    if (error instanceof SigningRequestError) return error.message;
    throw error;
  }
  return 'taken';
}

describe('a certificate request', () => {
  it.each([
    ['ECDSA', EC],
    ['RSA', RSA],
  ])('with a key of %s is read when it is signed with it', async (_name, algorithm) => {
    const pem = await requested('CN=alice, O=devs, O=ops, C=DE', algorithm);
    expect(readSigningRequest(`some words before\n${pem}`)).toMatchObject({
      users: ['alice'],
      groups: ['devs', 'ops'],
    });
  });

  it.each([
    ['ECDSA', EC, 'x509: ECDSA verification failure'],
    ['RSA', RSA, 'crypto/rsa: verification error'],
  ])('of %s is refused when it is signed with another', async (_name, algorithm, message) => {
    expect(refusal(forged(await requested('CN=alice', algorithm)))).toBe(message);
  });

  it('is refused when it is something else, cut off, or too large', async () => {
    const pem = await requested('CN=alice');
    const cut = pem
      .split('\n')
      .filter((_line, at) => at !== 3)
      .join('\n');
    expect(refusal('')).toBe('PEM block type must be CERTIFICATE REQUEST');
    expect(refusal(pem.replaceAll(' REQUEST', ''))).toBe('PEM block type must be CERTIFICATE REQUEST');
    expect(refusal(cut)).toMatch(/^asn1: structure error/);
    expect(refusal(`${'#'.repeat(65_536)}\n${pem}`)).toBe('must have at most 65536 bytes');
  });

  it('of deeply nested or endless DER is refused', () => {
    const nested = Buffer.alloc(40_000, Buffer.from([0x30, 0x80]));
    const text = `-----BEGIN CERTIFICATE REQUEST-----\n${nested.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(refusal(text)).toMatch(/^asn1: structure error/);
  });

  it('with a key that Kubernetes does not take is refused', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    expect(refusal(bySecp256k1(privateKey, publicKey))).toBe('x509: unsupported elliptic curve');
  });
});

describe('what is signed of it', () => {
  it('is a client certificate for its key and the user and groups that it names, and nothing else', async () => {
    const authority = await createAuthority([{ CN: ['test-ca'] }]);
    const request = readSigningRequest(await requested('CN=alice, O=devs, C=DE'));
    const certificate = new X509Certificate(await signClientRequest(authority, request, 600_000));
    expect(certificate.toLegacyObject().subject).toEqual({ CN: 'alice', O: 'devs' });
    expect(certificate.verify(new X509Certificate(authority.certPem).publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.publicKey.export({ format: 'der', type: 'spki' })).toEqual(Buffer.from(request.publicKeyDer));
    expect(certificate.validToDate.getTime()).toBeLessThanOrEqual(Date.now() + 600_000);
  });

  it('holds no longer than the authority', async () => {
    const authority = await createAuthority([{ CN: ['test-ca'] }]);
    const request = readSigningRequest(await requested('CN=alice'));
    const certificate = new X509Certificate(await signClientRequest(authority, request, 100 * 365 * 86_400_000));
    expect(certificate.validTo).toBe(new X509Certificate(authority.certPem).validTo);
  });
});

/** A request for CN=alice, put together by hand: the library knows no such curve. */
function bySecp256k1(privateKey: KeyObject, publicKey: KeyObject): string {
  const tlv = (tag: number, ...parts: Uint8Array[]) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from(body.length < 128 ? [tag, body.length] : [tag, 0x81, body.length]), body]);
  };
  const ecdsaWithSha256 = tlv(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
  const name = tlv(0x30, tlv(0x31, tlv(0x30, Buffer.from('0603550403', 'hex'), tlv(0x0c, Buffer.from('alice')))));
  const info = tlv(
    0x30,
    Buffer.from('020100', 'hex'),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    Buffer.from('a000', 'hex'),
  );
  const signature = createSign('sha256').update(info).sign(privateKey);
  const der = tlv(0x30, info, ecdsaWithSha256, tlv(0x03, Buffer.from([0]), signature));
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}
