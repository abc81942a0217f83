/**
 * Tokens of issuers, against kube-apiserver's own reading of them: both are given the same authentication file and the same
 * tokens, and say alike whose they are, or take them alike for none. The product stands in front of that API server.
 */
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { exportJWK, exportSPKI, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { ControlPlaneFacts } from '../support/control-plane.ts';
import { adminClient, factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { jsonOf, type RawAnswer, requestOnce } from '../support/http.ts';
import { issuersFile } from '../support/issuers-file.ts';
import { eventually } from '../support/processes.ts';
import { type ProductFacts, startProduct } from '../support/product.ts';
import { startIssuer, type TestIssuer } from '../support/test-issuer.ts';

const DOMAIN = 'kubeveil.example.com';
const stack = new AsyncDisposableStack();
let plane: ControlPlaneFacts;
let product: ProductFacts;
let file: string;
/** Plain claims; expressions and rules. */
let simple: TestIssuer;
let rich: TestIssuer;
afterAll(() => stack.disposeAsync());

const config = () => issuersFile(simple, rich);

beforeAll(async () => {
  simple = stack.use(await startIssuer());
  rich = stack.use(await startIssuer('/realm'));
  const whole = config();
  const jwt = whole.jwt.map(({ tenant: _ours, ...entry }) => entry);
  file = join(process.env['TMPDIR'] ?? '/tmp', `kubeveil-oidc-${process.pid}.yaml`);
  writeFileSync(`${file}.plain`, stringify({ ...whole, jwt }));
  writeFileSync(file, stringify(whole));
  const extraArgs = { 'kube-apiserver': [`--authentication-config=${file}.plain`] };
  const controlPlane = stack.use(await startPrivateControlPlane({ extraArgs, nodes: 0 }));
  plane = factsOf(controlPlane);
  const started = await startProduct(plane, ['--authentication', file, `--public-url=https://${DOMAIN}:8443`]);
  stack.defer(() => started.stop());
  product = started.facts;
  // The API server reads an issuer's keys in the background.
  const token = await simple.token(GOOD);
  await eventually('the API server has the keys', async () => (await plain(token)).status === 201);
  const other = await rich.token(RICH);
  await eventually('and those of the other issuer', async () => (await plain(other)).status === 201);
});

const GOOD = {
  aud: 'kubeveil',
  sub: 's1',
  email: 'alice@example.com',
  hd: 'example.com',
  tenant: 'acme',
  groups: ['a', 'b'],
};
const RICH = { aud: ['kubeveil'], sub: 'bob', roles: ['x', 'y'], team: 'red', tenants: ['acme', 'globex'] };
const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });

async function plain(token: string): Promise<RawAnswer> {
  return await requestOnce({ method: 'POST', path: WHOAMI, body, token, server: plane.server, caPem: plane.caPem });
}
async function ours(token: string, prefix = '/tenants/acme'): Promise<RawAnswer> {
  const path = `${prefix}${WHOAMI}`;
  return await requestOnce({ method: 'POST', path, body, token, server: product.server, caPem: product.caPem });
}
function who(answer: RawAnswer): unknown {
  return answer.status === 201 ? jsonOf<{ status: JsonObject }>(answer).status : answer.status;
}

describe('a token', () => {
  it.each<[string, Record<string, unknown>]>([
    ['with all claims', {}],
    ['without groups', { groups: undefined }],
    ['with one group as a text', { groups: 'a' }],
    ['with groups that are none', { groups: [1] }],
    ['without a name', { email: undefined }],
    ['with a name that is a number', { email: 7 }],
    ['with an address that is verified', { email_verified: true }],
    ['with an address that is not', { email_verified: false }],
    ['with an id of its own', { jti: 'token-1' }],
    ['without the claim that is required', { hd: undefined }],
    ['with another value in it', { hd: 'example.org' }],
    ['without a uid', { sub: undefined }],
    ['for somebody else', { aud: 'other' }],
    ['for several', { aud: ['other', 'kubeveil'] }],
    ['for nobody', { aud: undefined }],
    ['that has expired', { exp: 1_700_000_000 }],
    ['that never expires', { exp: undefined }],
    ['of a clock that is a little ahead', { nbf: Math.floor(Date.now() / 1_000) + 30 }],
    ['of the same issuer with a slash', { iss: 'slash' }],
  ])('of plain claims, %s, is read alike', async (_what, claims) => {
    const more = claims['iss'] === 'slash' ? { iss: `${simple.url}/` } : claims;
    const token = await simple.token({ ...GOOD, ...more } as JWTPayload);
    expect(who(await ours(token))).toEqual(who(await plain(token)));
  });

  it.each<[string, Record<string, unknown>]>([
    ['with all claims', {}],
    ['of the other audience alone', { aud: 'other' }],
    ['that lives too long', { exp: Math.floor(Date.now() / 1_000) + 7_200 }],
    ['with an id', { id: 'u-7' }],
    ['with an empty role', { roles: ['a', '', 'b'] }],
    ['with too many roles', { roles: ['a', 'b', 'c', 'd'] }],
    ['with roles that are none', { roles: [1] }],
    ['without roles', { roles: undefined }],
    ['with a list for a team', { team: ['red', '', 'blue'] }],
    ['with a number for a team', { team: 7 }],
    ['with no team', { team: null }],
    ['of a user that the rules refuse', { sub: 'x-root' }],
    ['with a name that must be escaped', { 'a.b': 'dotted' }],
  ])('of expressions, %s, is read alike', async (_what, claims) => {
    const token = await rich.token({ ...RICH, ...claims } as JWTPayload);
    expect(who(await ours(token))).toEqual(who(await plain(token)));
  });
});

describe('a forged token', () => {
  const none = (claims: object, header: object) =>
    `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
  const whole = () => ({ ...GOOD, iss: simple.url, iat: now(), exp: now() + 600 });
  const now = () => Math.floor(Date.now() / 1_000);
  /** By the issuer's own key, with whatever header and contents. */
  const signed = async (header: object, payload: string | Uint8Array) => {
    const { kid, privateKey } = simple.key;
    const head = Buffer.from(JSON.stringify({ alg: 'ES256', kid, ...header })).toString('base64url');
    const text = `${head}.${Buffer.from(payload).toString('base64url')}`;
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
    const signature = await webcrypto.subtle.sign(algorithm, privateKey as webcrypto.CryptoKey, Buffer.from(text));
    return `${text}.${Buffer.from(signature).toString('base64url')}`;
  };

  it('is not one that is signed like those: the twin of what follows', async () => {
    const token = await signed({}, JSON.stringify(whole()));
    expect([(await ours(token)).status, (await plain(token)).status]).toEqual([201, 201]);
  });

  it.each<[string, () => Promise<string>]>([
    ['of another key', async () => await (await startIssuer()).token({ ...GOOD, iss: simple.url })],
    ['without a signature', async () => none({ ...GOOD, iss: simple.url, exp: 4_000_000_000 }, { alg: 'none' })],
    ['with a key id that is a path', () => simple.token(GOOD, { kid: '../../dev/null' })],
    [
      'signed with the public key as a secret',
      async () =>
        await new SignJWT({ ...GOOD, iss: simple.url, exp: 4_000_000_000 })
          .setProtectedHeader({ alg: 'HS256', kid: simple.key.kid })
          .sign(Buffer.from(await exportSPKI(simple.key.publicKey))),
    ],
    [
      'that says where its key is',
      async () => {
        const other = stack.use(await startIssuer());
        const token = await other.token(
          { ...GOOD, iss: simple.url },
          { jku: `${other.url}/jwks`, x5u: `${other.url}/x` },
        );
        return token;
      },
    ],
    ['that must be understood', () => signed({ crit: ['x'], x: 1 }, JSON.stringify(whole()))],
    [
      'that brings its key along',
      async () => {
        const other = stack.use(await startIssuer());
        return await other.token({ ...GOOD, iss: simple.url }, { jwk: await exportJWK(other.key.publicKey) });
      },
    ],
    ['without an end', () => simple.token({ ...GOOD, exp: undefined as never })],
    ['for another audience', () => simple.token({ ...GOOD, aud: ['other', 'another'] })],
    ['of an issuer that is called so but for a slash', () => simple.token({ ...GOOD, iss: `${simple.url}/` })],
    [
      'that is encrypted, and would take long to open',
      async () => {
        const header = { alg: 'PBES2-HS256+A128KW', enc: 'A128CBC-HS256', p2c: 2 ** 31, p2s: 'c2FsdHNhbHQ' };
        return [Buffer.from(JSON.stringify(header)).toString('base64url'), 'a', 'b', 'c', 'd'].join('.');
      },
    ],
    ['within a token', async () => signed({ cty: 'JWT' }, await simple.token(GOOD))],
    ['that is packed', async () => signed({ zip: 'DEF' }, deflateRawSync(JSON.stringify(whole())))],
    [
      'that is encrypted, and would be large when it is opened',
      async () => {
        const header = { alg: 'dir', enc: 'A256GCM', zip: 'DEF', kid: simple.key.kid };
        const parts = [JSON.stringify(header), '', 'iv', deflateRawSync(' '.repeat(1_000_000)), 'tag'];
        return parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
      },
    ],
    ['of an unknown issuer', () => simple.token({ ...GOOD, iss: 'https://127.0.0.1:1' })],
  ])('%s is none, and at once', async (_what, make) => {
    const token = await make();
    const startedMs = performance.now();
    expect((await ours(token)).status).toBe(401);
    expect((await plain(token)).status).toBe(401);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('with a made-up key id does not make the proxy ask for keys each time', async () => {
    const before = simple.asked.get('/jwks') ?? 0;
    for (let at = 0; at < 30; at += 1) {
      expect((await ours(await simple.token(GOOD, { kid: `made-up-${at}` }))).status).toBe(401);
    }
    expect((simple.asked.get('/jwks') ?? 0) - before).toBeLessThan(30);
  });
});

describe('whose user it is', () => {
  it.each<[string, unknown]>([
    ['no tenant', undefined],
    ['a tenant that is not there', 'initech'],
    ['in capitals', 'ACME'],
    ['with a blank', 'acme '],
    ['with a NUL', 'acme\u0000'],
    ['in Cyrillic', '\u0430cme'],
    ['a property of every object', '__proto__'],
    ['the constructor', 'constructor'],
    ['an object', { toString: 'acme' }],
    ['a long text', 'a'.repeat(4_000)],
  ])('as %s is nobody’s', async (_what, tenant) => {
    const token = await simple.token({ ...GOOD, tenant } as JWTPayload);
    for (const prefix of ['', '/tenants/acme', '/tenants/globex']) expect((await ours(token, prefix)).status).toBe(401);
  });

  it('of one tenant needs no choice, and has none', async () => {
    const token = await simple.token(GOOD);
    expect((await ours(token, '')).status).toBe(201);
    expect((await ours(token, '/tenants/acme')).status).toBe(201);
    expect((await ours(token, '/tenants/globex')).status).toBe(403);
    expect((await ours(token, '/tenants/initech')).status).toBe(403);
  });

  it('of several tenants is chosen by the path', async () => {
    const token = await rich.token(RICH);
    expect((await ours(token, '')).status).toBe(403);
    expect((await ours(token, '/tenants/acme')).status).toBe(201);
    expect((await ours(token, '/tenants/globex')).status).toBe(201);
    expect((await ours(token, '/tenants/initech')).status).toBe(403);
  });
});

describe('the name of the server', () => {
  const named = async (token: string, host: string, prefix = '') => {
    const headers = { host, 'content-type': 'application/json' };
    const answer = await requestOnce({
      server: product.server,
      caPem: product.caPem,
      method: 'POST',
      path: `${prefix}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      token,
      headers,
    });
    return answer.status;
  };

  it('chooses among the tenants of a user, as the path does', async () => {
    const token = await rich.token(RICH);
    expect(await named(token, `acme.${DOMAIN}`)).toBe(201);
    expect(await named(token, `globex.${DOMAIN}:8443`)).toBe(201);
    expect(await named(token, `Globex.${DOMAIN.toUpperCase()}`)).toBe(201);
    expect(await named(token, DOMAIN)).toBe(403);
    expect(await named(token, `initech.${DOMAIN}`)).toBe(403);
  });

  it('gives nobody another tenant than the credential does, and must agree with the path', async () => {
    const token = await simple.token(GOOD);
    expect(await named(token, `acme.${DOMAIN}`)).toBe(201);
    expect(await named(token, `globex.${DOMAIN}`)).toBe(403);
    const both = await rich.token(RICH);
    expect(await named(both, `acme.${DOMAIN}`, '/tenants/acme')).toBe(201);
    expect(await named(both, `acme.${DOMAIN}`, '/tenants/globex')).toBe(403);
  });

  it('must be one, wherever HTTP/2 and TLS say it', async () => {
    const token = await rich.token(RICH);
    const over = async (servername: string, names: Record<string, string>): Promise<unknown> => {
      const session = connectHttp2(product.server, {
        ca: product.caPem,
        servername,
        checkServerIdentity: () => undefined,
      });
      const path = '/apis/authentication.k8s.io/v1/namespaces';
      const stream = session.request({ ':path': path, authorization: `Bearer ${token}`, ...names });
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      session.destroy();
      return headers[':status'];
    };
    const [acme, globex] = [`acme.${DOMAIN}`, `globex.${DOMAIN}`];
    expect(await over(acme, { ':authority': acme })).toBe(404);
    expect(await over(acme, { ':authority': acme, host: acme })).toBe(404);
    expect(await over(acme, { ':authority': acme, host: globex })).toBe(403);
    expect(await over(globex, { ':authority': acme })).toBe(403);
    const plain = await simple.token(GOOD);
    expect(await named(plain, globex)).toBe(403);
    const target = `https://${globex}/apis`;
    const absolute = { server: product.server, caPem: product.caPem, path: target, token: plain };
    expect((await requestOnce(absolute)).status).toBe(400);
  });
});

describe('a group that administers a tenant', () => {
  it('may everything in it, for as long as the Tenant says so, and nothing in another', async () => {
    const token = await rich.token({ ...RICH, roles: ['boss'] });
    const admin = adminClient(plane);
    stack.defer(() => admin.close());
    const secrets = async (tenant: string) => {
      const path = `/tenants/${tenant}/api/v1/namespaces/default/secrets`;
      return (await requestOnce({ path, token, server: product.server, caPem: product.caPem })).status;
    };
    const administeredBy = (administratorGroups: string[]) =>
      admin.send(
        'PATCH',
        '/apis/kubeveil.dev/v1alpha1/tenants/acme',
        { spec: { administratorGroups } },
        'application/merge-patch+json',
      );
    expect(await secrets('acme')).toBe(403);
    await administeredBy(['boss']);
    await eventually('it administers', async () => (await secrets('acme')) === 200);
    expect(await secrets('globex')).toBe(403);
    await administeredBy([]);
    await eventually('it does not any more', async () => (await secrets('acme')) === 403);
  });
});

describe('the file', () => {
  it('that is not valid any more changes nothing, and one that is valid again counts', async () => {
    const token = await simple.token(GOOD);
    writeFileSync(file, 'jwt: [{}]');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect((await ours(token)).status).toBe(201);
    writeFileSync(file, stringify({ ...config(), jwt: [config().jwt[1]] }));
    await eventually('the issuer is not there', async () => (await ours(token)).status === 401);
    writeFileSync(file, stringify(config()));
    await eventually('the issuer is back', async () => (await ours(token)).status === 201);
  });
});
