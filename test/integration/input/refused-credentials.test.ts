/**
 * Credentials that are nobody's, made up in every way that has opened something somewhere: each is refused, and the host
 * hears of none. Its audit log shows that: no request for what they asked for, and no question about a token.
 */
import { createSecretKey, webcrypto, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createAuthority, issueClient, issueServer } from '../../../src/pki/certificates.ts';
import { certificateSerial } from '../../../src/tenancy/tenant.ts';
import { type SendOptions, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { cli } from '../../support/cli.ts';
import { jsonOf } from '../../support/http.ts';
import { runKubectl } from '../../support/kubectl.ts';
import { eventually } from '../../support/processes.ts';
import { makeTenant } from '../../support/product.ts';

const { acme, globex, host, facts } = useProduct();
const { auditLogPath, adminCertPem, adminKeyPem, caCertPath, caKeyPath } = inject('controlPlane');
const MARK = `refused-${Date.now()}`;
const PATH = `/api/v1/namespaces/${MARK}/configmaps`;
const NO_CERTIFICATE: SendOptions = { certPem: undefined, keyPem: undefined };

type Sort = [what: string, make: () => Promise<SendOptions & { readonly path?: string }>];

interface Entry {
  readonly requestURI: string;
  readonly verb: string;
  readonly objectRef?: { readonly resource?: string };
}

function entries(): Entry[] {
  const lines = readFileSync(auditLogPath, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Entry);
}

function reviews(): number {
  return entries().filter(({ verb, objectRef }) => verb === 'create' && objectRef?.resource === 'tokenreviews').length;
}

/** One that is served shows that the log is as far as everything before it. */
async function logIsFull(): Promise<void> {
  const seen = `seen-${crypto.randomUUID()}`;
  await globex.json(`/api/v1/namespaces/${seen}/configmaps`);
  await eventually('the log is that far', () => entries().some(({ requestURI }) => requestURI.includes(seen)));
}

let good: { readonly header: object; readonly claims: Record<string, unknown>; readonly text: string };

beforeAll(async () => {
  const text = await acme.kubectl('create token default -n default');
  const [header = '', claims = ''] = text.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  good = { header: JSON.parse(header), claims: JSON.parse(claims), text };
});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (text: string): SendOptions => ({ ...NO_CERTIFICATE, token: text });
const withHeader = (authorization: string): SendOptions => ({ ...NO_CERTIFICATE, headers: { authorization } });
/** Of the good token, with another head or other claims, and the good one's signature. */
function changed(header: object, claims: object = {}): SendOptions {
  const signature = good.text.split('.')[2] ?? '';
  return token([encoded({ ...good.header, ...header }), encoded({ ...good.claims, ...claims }), signature].join('.'));
}
async function signedBy(caOf: TenantClient, user: string, groups: string[] = []): Promise<SendOptions> {
  const { caCertPem: certPem, caKeyPem: keyPem } = caOf.facts;
  return await issueClient({ certPem, keyPem }, { user, groups, ttlMs: 60_000 });
}

const SORTS: readonly Sort[] = [
  ['no credential', async () => NO_CERTIFICATE],
  ['an empty token', async () => withHeader('Bearer ')],
  ['a scheme with a tab', async () => withHeader('bearer\tx')],
  ['Basic', async () => withHeader('Basic YWRtaW46YWRtaW4=')],
  ['two headers', async () => ({ ...NO_CERTIFICATE, headers: { authorization: [`Bearer ${good.text}`, 'Bearer x'] } })],
  ['a token in the query', async () => ({ ...NO_CERTIFICATE, path: `${PATH}?access_token=${good.text}` })],
  [
    'a token among sub-protocols, without an upgrade',
    async () => {
      const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from(good.text).toString('base64url')}`;
      return { ...NO_CERTIFICATE, headers: { 'sec-websocket-protocol': protocol } };
    },
  ],
  [
    'a certificate of acme and a token of globex',
    async () => ({ token: await globex.kubectl('create token default -n default') }),
  ],
  [
    'a certificate of globex and a token of acme',
    async () => {
      const { certPem, keyPem } = globex.facts;
      return { certPem, keyPem, token: good.text };
    },
  ],
  ['a certificate and a token of two users of acme', async () => ({ token: good.text })],
  ['a certificate and a token that is none', async () => ({ token: 'x' })],
  ['a token without a signature', async () => token(`${encoded({ alg: 'none' })}.${encoded(good.claims)}.`)],
  [
    'a token signed with the public key as a secret',
    async () => {
      const secret = createSecretKey(Buffer.from(readFileSync(caCertPath)));
      return token(await new SignJWT(good.claims).setProtectedHeader({ ...good.header, alg: 'HS256' }).sign(secret));
    },
  ],
  [
    'a token of another key',
    async () => {
      const algorithm = {
        name: 'RSASSA-PKCS1-v1_5',
        modulusLength: 2_048,
        publicExponent: new Uint8Array([1, 0, 1]),
        hash: 'SHA-256',
      };
      const { privateKey } = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      return token(
        await new SignJWT(good.claims).setProtectedHeader({ ...good.header, alg: 'RS256' }).sign(privateKey),
      );
    },
  ],
  ['a key id that is a path', async () => changed({ kid: '../../dev/null' })],
  ['a key id that is a query', async () => changed({ kid: "' or '1'='1" })],
  [
    'a token that says where its key is',
    async () => changed({ jku: 'http://127.0.0.1:1/', x5u: 'http://127.0.0.1:1/' }),
  ],
  ['a token that must be understood', async () => changed({ crit: ['x'], x: 1 })],
  ['a token that is packed', async () => changed({ zip: 'DEF' })],
  ['a token without an end', async () => changed({}, { exp: undefined })],
  ['a token for all audiences', async () => changed({}, { aud: ['https://kubernetes.default.svc', '*'] })],
  ['a token of globex, as it says', async () => changed({}, { sub: 'system:serviceaccount:globex--default:default' })],
  ['a token of nobody', async () => changed({}, { sub: '__proto__' })],
  ['a token whose user is a list', async () => changed({}, { sub: ['system:serviceaccount:acme--default:default'] })],
  [
    'a token that is encrypted and would take long to open',
    async () => token(`${encoded({ alg: 'PBES2-HS256+A128KW', enc: 'A128CBC-HS256', p2c: 2 ** 31 })}.a.b.c.d`),
  ],
  ['a token that is too long', async () => token('a'.repeat(20_000))],
  ['a certificate of the host’s administrator', async () => ({ certPem: adminCertPem, keyPem: adminKeyPem })],
  [
    'a certificate of the host’s CA for one of acme',
    async () => {
      const pem = (path: string) => readFileSync(path, 'utf8');
      return await issueClient(
        { certPem: pem(caCertPath), keyPem: pem(caKeyPath) },
        { user: 'admin', groups: ['system:masters'] },
      );
    },
  ],
  [
    'a certificate of a CA that calls itself acme’s',
    async () => {
      const own = await createAuthority([{ CN: ['kubeveil tenant acme'] }, { OU: [acme.facts.uid] }]);
      return await issueClient(own, { user: 'admin', groups: ['system:masters'] });
    },
  ],
  [
    'a certificate for servers',
    async () => {
      const { caCertPem: certPem, caKeyPem: keyPem } = acme.facts;
      return await issueServer(
        { certPem, keyPem },
        { commonName: 'admin', dnsNames: ['a.example.com'], ipAddresses: [] },
      );
    },
  ],
  ['the certificate of acme’s CA itself', async () => ({ certPem: acme.facts.caCertPem, keyPem: acme.facts.caKeyPem })],
  ['a certificate without a user', async () => await signedBy(acme, '')],
  ['another tenant in the path', async () => ({ path: `/tenants/globex${PATH}`, typed: ['globex'] })],
  ['nobody in the path', async () => ({ path: `/tenants/initech${PATH}`, typed: ['initech'] })],
  [
    'a user of globex who is called as one of acme',
    async () => ({
      ...(await signedBy(globex, 'admin', ['system:masters'])),
      path: `/tenants/acme${PATH}`,
      typed: ['acme'],
    }),
  ],
  [
    'an identity of the host to act as',
    async () => ({
      headers: { 'impersonate-user': 'system:admin', 'impersonate-group': 'system:masters' },
      ...(await signedBy(acme, 'nobody')),
    }),
  ],
];

async function expectRefused([, make]: Sort): Promise<void> {
  const { path = PATH, ...options } = await make();
  const answer = await acme.send(path, options);
  const refused = [400, 401, 403].includes(answer.status);
  expect({ refused, kind: jsonOf(answer)['kind'] }).toEqual({ refused: true, kind: 'Status' });
}

describe('a credential that is nobody’s', () => {
  let before: number;
  beforeAll(async () => {
    await logIsFull();
    before = reviews();
  });

  it.each(SORTS)('is refused: %s', async (...sort) => await expectRefused(sort));

  it('is not heard of by the host, as one that is somebody’s is', async () => {
    await logIsFull();
    expect(entries().filter(({ requestURI }) => requestURI.includes(MARK))).toEqual([]);
    expect(reviews()).toBe(before);
    expect((await acme.send(PATH)).status).toBe(200);
    // The host has not yet been asked about this one.
    const other = await acme.kubectl('create token default -n default');
    expect((await acme.send(PATH, token(other))).status).toBe(403);
    await logIsFull();
    expect(entries().some(({ requestURI }) => requestURI.includes(MARK))).toBe(true);
    expect(reviews()).toBe(before + 1);
  });
});

describe('a session of TLS that is taken up again', () => {
  interface Pair {
    readonly certPem: string;
    readonly keyPem: string;
  }

  /** The status of the answer, and the session by which the next connection may skip the certificate. */
  async function over(
    session: Buffer | undefined,
    pair: Pair,
    { server, caPem }: Pick<typeof facts, 'server' | 'caPem'> = facts,
  ) {
    const { hostname, port } = new URL(server);
    const options = { host: hostname, port: Number(port), ca: caPem, cert: pair.certPem, key: pair.keyPem };
    const socket = connect({ ...options, ...(session !== undefined && { session }), ALPNProtocols: ['http/1.1'] });
    const next = Promise.withResolvers<Buffer>();
    socket.once('session', next.resolve);
    let isResumed = false;
    socket.once('secureConnect', () => {
      isResumed = socket.isSessionReused();
    });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.write(`GET /api/v1/namespaces HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`);
    const closed = Promise.withResolvers<void>();
    socket.once('close', () => closed.resolve()).once('error', closed.reject);
    await closed.promise;
    return { status: Number(text.split(' ')[1]), isResumed, session: await next.promise };
  }

  it('begins anew, with its certificate, and does not where the host’s API server is asked', async () => {
    const first = await over(undefined, acme.facts);
    expect(await over(first.session, acme.facts)).toMatchObject({ status: 200, isResumed: false });
    const { server, caPem } = inject('controlPlane');
    const administrator = { certPem: adminCertPem, keyPem: adminKeyPem };
    const native = await over(undefined, administrator, { server, caPem });
    expect(await over(native.session, administrator, { server, caPem })).toMatchObject({
      status: 200,
      isResumed: true,
    });
  });

  it('is nobody’s when its certificate has been revoked since', async () => {
    const { caCertPem: certPem, caKeyPem: keyPem } = globex.facts;
    const pair = await issueClient(
      { certPem, keyPem },
      { user: 'resumed', groups: ['system:masters'], ttlMs: 600_000 },
    );
    const first = await over(undefined, pair);
    expect(first.status).toBe(200);
    const second = await over(first.session, pair);
    expect(second.status).toBe(200);
    const serial = certificateSerial(new X509Certificate(pair.certPem).serialNumber);
    const tenant = '/apis/kubeveil.dev/v1alpha1/tenants/globex';
    const revoke = (revokedCertificates: unknown[]) =>
      host.send('PATCH', tenant, { spec: { revokedCertificates } }, 'application/merge-patch+json');
    try {
      expect((await revoke([serial])).status).toBe(200);
      await expect.poll(async () => (await over(second.session, pair)).status).toBe(401);
    } finally {
      await revoke([]);
    }
  });

  it('is nobody’s when its tenant has got another CA since', async () => {
    const plane = inject('controlPlane');
    const tenant = await makeTenant(plane, 'resumes', join(plane.workDir, 'resumes.kubeconfig'));
    const first = await over(undefined, tenant);
    const second = await over(first.session, tenant);
    expect([first.status, second.status]).toEqual([200, 200]);
    await host.send('DELETE', '/api/v1/namespaces/kubeveil-system/secrets/tenant-ca-resumes');
    const rotated = { metadata: { annotations: { rotated: 'once' } } };
    const path = '/apis/kubeveil.dev/v1alpha1/tenants/resumes';
    await host.send('PATCH', path, rotated, 'application/merge-patch+json');
    await expect.poll(async () => (await over(second.session, tenant)).status, { timeout: 10_000 }).toBe(401);
    const file = join(plane.workDir, 'resumes-again.kubeconfig');
    await cli(['kubeconfig', 'resumes', '--out', file, '--kubeconfig', plane.adminKubeconfigPath]);
    expect((await runKubectl(file, ['get', 'namespaces'])).code).toBe(0);
  });
});
