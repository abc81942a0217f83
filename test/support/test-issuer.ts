/**
 * An issuer of tokens on loopback: discovery, keys over https with a certificate of its own CA, and tokens signed with
 * them. It can be down, have new keys, and count who asks.
 */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { createAuthority, issueServer } from '../../src/pki/certificates.ts';

interface Key {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

export interface TestIssuer extends AsyncDisposable {
  readonly url: string;
  readonly caPem: string;
  readonly key: Key;
  /** Requests so far, by path. */
  readonly asked: Map<string, number>;
  /** What is answered instead, by path: a status, or a place to go to. */
  readonly instead: Map<string, { status: number; location?: string; body?: string }>;
  /** Signs with a new key from now on; the old one is published no more. */
  rotate(): Promise<void>;
  /** A token of this issuer for five minutes, unless the claims say otherwise. */
  token(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>;
}

export async function startIssuer(path = ''): Promise<TestIssuer> {
  const authority = await createAuthority([{ CN: ['test issuer'] }]);
  const { certPem, keyPem } = await issueServer(authority, {
    commonName: 'issuer',
    dnsNames: [],
    ipAddresses: ['127.0.0.1'],
  });
  let key = await newKey();
  const asked = new Map<string, number>();
  const instead: TestIssuer['instead'] = new Map();
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    const url = request.url ?? '';
    asked.set(url, (asked.get(url) ?? 0) + 1);
    const odd = instead.get(url);
    if (odd !== undefined) {
      response.writeHead(odd.status, odd.location === undefined ? {} : { location: odd.location }).end(odd.body ?? '');
      return;
    }
    void answer(url).then((body) => {
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${base}${path}`;

  async function answer(asked: string): Promise<object | undefined> {
    if (asked === '/jwks')
      return { keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'ES256', use: 'sig' }] };
    if (!asked.endsWith('/.well-known/openid-configuration')) return undefined;
    return { issuer: url, jwks_uri: `${base}/jwks`, id_token_signing_alg_values_supported: ['ES256'] };
  }

  return {
    url,
    caPem: authority.certPem,
    asked,
    instead,
    get key() {
      return key;
    },
    async rotate() {
      key = await newKey();
    },
    async token(claims, header = {}) {
      const now = Math.floor(Date.now() / 1_000);
      return await new SignJWT({ iss: url, iat: now, exp: now + 300, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

let made = 0;
async function newKey(): Promise<Key> {
  made += 1;
  return { kid: `key-${made}`, ...(await generateKeyPair('ES256', { extractable: true })) };
}
