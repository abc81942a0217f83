import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, ScriptedUpstream, textOf } from '../../test/support/scripted-upstream.ts';
import type { Authenticated } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { serviceAccountAuthenticator } from './service-account.ts';

const ISSUER = 'https://host.example';
const ACME: Tenant = {
  id: 'acme' as TenantId,
  uid: 'u1',
  createdAt: '2026-01-01T00:00:00Z',
  phase: 'Active',
  clientCaPem: 'ca',
  policy: 'default',
};
const REVIEW = 'POST /apis/authentication.k8s.io/v1/tokenreviews';
const ACCOUNT = 'GET /api/v1/namespaces/acme--web/serviceaccounts/bot';
const POD = 'GET /api/v1/namespaces/acme--web/pods/bot-1';

let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let nowMs: number;
/** What the host has: uids by request; a path without one is 404. */
let uids: Map<string, string>;
let reviewed: JsonObject;
let status: number;
let upstream: ScriptedUpstream;
let authenticate: (token: string, audiences?: readonly string[]) => Promise<Authenticated>;

beforeAll(async () => {
  keys = await generateKeyPair('ES256');
});

beforeEach(async () => {
  nowMs = 1_800_000_000_000;
  uids = new Map([
    [ACCOUNT, 'bot-uid'],
    [POD, 'pod-uid'],
  ]);
  status = 200;
  reviewed = { authenticated: true, user: { username: 'system:serviceaccount:acme--web:bot', uid: 'bot-uid' } };
  upstream = new ScriptedUpstream((request) => {
    const asked = textOf(request);
    if (status !== 200) return { status, body: { kind: 'Status' } };
    if (asked === REVIEW) return { status: 201, body: { status: reviewed } };
    const uid = uids.get(asked);
    return uid === undefined ? { status: 404, body: {} } : { status: 200, body: { metadata: { uid } } };
  });
  const find = createLocalJWKSet({ keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'ES256' }] });
  authenticate = serviceAccountAuthenticator({
    upstream,
    tenants: { get: (id) => (id === ACME.id ? ACME : undefined), all: () => [ACME] },
    keys: { about: async () => ISSUER, key: (header, input) => find(header, input) },
    nowMs: () => nowMs,
  });
});

interface Claims {
  readonly audience?: string;
  readonly pod?: boolean;
  readonly bound?: JsonObject;
}

function token({ audience = 'kubeveil.dev/u1', pod = false, bound }: Claims = {}): Promise<string> {
  const names = {
    namespace: 'acme--web',
    serviceaccount: { name: 'bot', uid: 'bot-uid' },
    ...(pod ? { pod: { name: 'bot-1', uid: 'pod-uid' } } : {}),
  };
  return new SignJWT({ 'kubernetes.io': bound ?? names })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(ISSUER)
    .setSubject('system:serviceaccount:acme--web:bot')
    .setAudience(audience)
    .setExpirationTime(nowMs / 1_000 + 3_600)
    .sign(keys.privateKey);
}

const refused = (why: string, code = 401) => expect.objectContaining({ status: code, why });
const count = (asked: string): number => upstream.texts().filter((text) => text === asked).length;

describe('a token of a service account', () => {
  it('is its tenant’s, in the tenant’s terms', async () => {
    const { identity, ...rest } = await authenticate(await token());
    expect(identity).toMatchObject({ username: 'system:serviceaccount:web:bot', uid: 'bot-uid' });
    expect(rest).toMatchObject({ tenant: 'acme', tenantUid: 'u1', how: 'service-account-token' });
    expect(bodyOf(upstream.requests.find((request) => textOf(request) === REVIEW))).toMatchObject({
      spec: { audiences: ['kubeveil.dev/u1'] },
    });
    expect(upstream.requests.every(({ identity }) => identity.as === 'reader')).toBe(true);
  });

  it('for others is one for who asks with their audience, and none for requests', async () => {
    const vault = 'kubeveil.dev/u1/vault';
    const forVault = await token({ audience: vault });
    await expect(authenticate(forVault)).rejects.toThrow(refused('token-invalid'));
    await expect(authenticate(forVault, ['kubeveil.dev/u1'])).rejects.toThrow(refused('token-invalid'));
    expect(await authenticate(forVault, ['kubeveil.dev/u1/x', vault])).toMatchObject({ audiences: [vault] });
    expect(bodyOf(upstream.requests.find((request) => textOf(request) === REVIEW))).toMatchObject({
      spec: { audiences: ['kubeveil.dev/u1/x', vault] },
    });
    // Not remembered for any other.
    await expect(authenticate(forVault)).rejects.toThrow(refused('token-invalid'));
  });

  it('is none for another audience, or once it is over', async () => {
    await expect(authenticate(await token({ audience: 'kubeveil.dev/u0' }))).rejects.toThrow(refused('token-invalid'));
    const late = await token();
    nowMs += 3_601_000;
    await expect(authenticate(late)).rejects.toThrow(refused('token-expired'));
    expect(upstream.requests).toEqual([]);
  });

  it('is over at its time, though it held a moment before', async () => {
    const one = await token();
    nowMs += 3_599_500;
    await expect(authenticate(one)).resolves.toBeDefined();
    nowMs += 499;
    await expect(authenticate(one)).resolves.toBeDefined();
    nowMs += 1;
    await expect(authenticate(one)).rejects.toThrow(refused('token-expired'));
  });

  it('does not hold when the host says so', async () => {
    reviewed = { authenticated: false };
    await expect(authenticate(await token())).rejects.toThrow(refused('token-revoked'));
  });

  it.each<[string, () => void]>([
    ['the account is gone', () => uids.delete(ACCOUNT)],
    ['another account has its name', () => uids.set(ACCOUNT, 'other-uid')],
    ['the pod is gone', () => uids.delete(POD)],
    ['another pod has its name', () => uids.set(POD, 'other-uid')],
  ])('does not hold when %s, though the host’s review still says so', async (_what, change) => {
    const bound = await token({ pod: true });
    await authenticate(bound);
    change();
    nowMs += 1_001;
    await expect(authenticate(bound)).rejects.toThrow(refused('token-revoked'));
    expect(count(REVIEW)).toBe(1);
  });

  it.each([{}, { namespace: 'acme--web', serviceaccount: { name: 'bot' } }])(
    'is none that names no account: %j',
    async (bound) => {
      await expect(authenticate(await token({ bound }))).rejects.toThrow(refused('token-revoked'));
    },
  );

  it('is not believed while the host does not tell, and asked about again at once', async () => {
    const one = await token();
    status = 503;
    await expect(authenticate(one)).rejects.toThrow(refused('token-review', 503));
    status = 200;
    await expect(authenticate(one)).resolves.toBeDefined();
  });
});

describe('the host', () => {
  it('is asked once for all who wait, and not again for a moment', async () => {
    const one = await token();
    await Promise.all(Array.from({ length: 50 }, () => authenticate(one)));
    await authenticate(one);
    expect([count(REVIEW), count(ACCOUNT)]).toEqual([1, 1]);
    nowMs += 1_001;
    await authenticate(one);
    expect([count(REVIEW), count(ACCOUNT)]).toEqual([1, 2]);
    nowMs += 1_001;
    await authenticate(one);
    expect([count(REVIEW), count(ACCOUNT)]).toEqual([2, 3]);
  });

  it('is asked once about an account with many tokens', async () => {
    const tokens = await Promise.all([token(), token({ pod: true })]);
    await Promise.all(tokens.map((one) => authenticate(one)));
    expect([count(REVIEW), count(ACCOUNT), count(POD)]).toEqual([2, 1, 1]);
  });

  it('is not asked again for each request with a token that it refused', async () => {
    const one = await token();
    uids.delete(ACCOUNT);
    for (let request = 0; request < 5; request++) {
      await expect(authenticate(one)).rejects.toThrow(refused('token-revoked'));
    }
    expect([count(REVIEW), count(ACCOUNT)]).toEqual([1, 1]);
  });
});
