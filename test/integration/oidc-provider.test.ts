/**
 * Users who log in at a real OpenID Connect provider, and what becomes of their tokens when its keys change, when it is
 * away, and when clocks differ. What the API server makes of the same is in oidc.test.ts.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { jwtAuthenticator } from '../../src/authn/jwt/authenticator.ts';
import { parseAuthentication } from '../../src/authn/jwt/load.ts';
import type { Authenticated } from '../../src/exchange.ts';
import type { TenantId } from '../../src/tenancy/names.ts';
import type { Tenant } from '../../src/tenancy/tenant.ts';
import { startRealIssuer } from '../support/real-issuer.ts';

const acme: Tenant = {
  id: 'acme' as TenantId,
  uid: 'u',
  createdAt: '',
  phase: 'Active',
  clientCaPem: '',
  policy: 'default',
};
const issuer = await startRealIssuer((user) => ({
  email: `${user}@example.com`,
  groups: ['devs'],
  tenant: user === 'stranger' ? 'initech' : 'acme',
}));
afterAll(() => issuer[Symbol.asyncDispose]());

/** How far the proxy's clock is from the provider's. */
let aheadMs: number;
let authenticate: (token: string) => Promise<Authenticated | undefined>;
/** One that knows nothing yet, as after a start. */
function fresh() {
  const nowMs = () => Date.now() + aheadMs;
  const file = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: issuer.url, certificateAuthority: issuer.caPem, audiences: [issuer.clientId] },
        claimMappings: {
          username: { claim: 'email', prefix: 'id:' },
          groups: { claim: 'groups', prefix: 'id:' },
          uid: { claim: 'sub' },
        },
        tenant: { claim: 'tenant' },
      },
    ],
  };
  const issuers = parseAuthentication(JSON.stringify(file), 'test', nowMs);
  const tenants = { get: (id: TenantId) => (id === acme.id ? acme : undefined), all: () => [acme] };
  const byToken = jwtAuthenticator({ issuers: () => issuers, tenants, nowMs, onRefused: () => {} });
  return (token: string) => byToken(token, { tenant: undefined });
}

beforeEach(() => {
  aheadMs = 0;
  authenticate = fresh();
});

const refused = (why: string, status = 401) => expect.objectContaining({ status, why });

describe('a user who has logged in', () => {
  it('is whom the provider says, in the tenant that it says', async () => {
    expect(await authenticate(await issuer.login('alice'))).toMatchObject({
      identity: { username: 'id:alice@example.com', groups: ['id:devs'], uid: 'alice' },
      tenant: 'acme',
      how: 'oidc-token',
    });
    await expect(authenticate(await issuer.login('stranger'))).rejects.toThrow(refused('token-no-tenant'));
  });

  it('is nobody with a token that was changed', async () => {
    const [head, claims = '', signature] = (await issuer.login('alice')).split('.');
    const other = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const changed = Buffer.from(JSON.stringify({ ...other, email: 'root@example.com' })).toString('base64url');
    await expect(authenticate([head, changed, signature].join('.'))).rejects.toThrow(refused('token-invalid'));
  });
});

describe('when the provider signs with a new key', () => {
  it('both keys count while it publishes both', async () => {
    const before = await issuer.login('alice');
    await authenticate(before);
    await issuer.rotate(true);
    // The keys are asked for again no sooner than this after they were read.
    aheadMs = 60_000;
    const after = await issuer.login('bob');
    expect(await authenticate(after)).toMatchObject({ identity: { uid: 'bob' } });
    expect(await fresh()(before)).toMatchObject({ identity: { uid: 'alice' } });
  });

  it('the old one stops counting when it is not published any more', async () => {
    const before = await issuer.login('alice');
    await issuer.rotate(false);
    await expect(authenticate(before)).rejects.toThrow(refused('token-invalid'));
    expect(await authenticate(await issuer.login('alice'))).toMatchObject({ identity: { uid: 'alice' } });
  });
});

describe('while the provider is away', () => {
  it('tokens are good by the keys that are known, and cannot be checked without', async () => {
    const token = await issuer.login('alice');
    await authenticate(token);
    const other = await issuer.login('bob');
    await issuer.setAway(true);
    try {
      expect(await authenticate(other)).toMatchObject({ identity: { uid: 'bob' } });
      await expect(fresh()(token)).rejects.toThrow(refused('issuer-down', 503));
    } finally {
      await issuer.setAway(false);
    }
    expect(await fresh()(token)).toMatchObject({ identity: { uid: 'alice' } });
  });
});

describe('when the clocks differ', () => {
  it.each([
    ['a little behind', -45_000],
    ['a little ahead', 45_000],
  ])('the proxy’s may be %s', async (_how, ms) => {
    aheadMs = ms;
    expect(await authenticate(await issuer.login('alice'))).toMatchObject({ identity: { uid: 'alice' } });
  });

  it('what has expired by the proxy’s clock has expired', async () => {
    const token = await issuer.login('alice');
    aheadMs = 301_000;
    await expect(authenticate(token)).rejects.toThrow(refused('token-expired'));
  });
});
