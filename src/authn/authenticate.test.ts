import { describe, expect, it } from 'vitest';
import type { Authenticated, RequestHead } from '../exchange.ts';
import type { TenantId } from '../tenancy/names.ts';
import { authenticate } from './authenticate.ts';

function credential(username: string, part: Partial<Authenticated> = {}): Authenticated {
  return {
    identity: { username, groups: ['devs'], uid: '', extra: {} },
    tenant: 'acme' as TenantId,
    tenantUid: 'u1',
    how: 'client-certificate',
    expiresAtMs: 1,
    ...part,
  };
}

interface Sent {
  authorization?: string;
  certificate?: true;
  user?: string;
  onReview?: () => void;
}

/** @param byToken whose the token is, of an issuer or of a service account; by certificate it is `user` of the tenant u1 */
function ask(
  { authorization, certificate, user = 'alice', onReview }: Sent,
  byToken = credential('alice', { how: 'oidc-token' }),
): Promise<Authenticated> {
  const headers = new Map(authorization === undefined ? [] : [['authorization', authorization]]);
  const head = { headers, peerCertificate: certificate && new Uint8Array(1) } as unknown as RequestHead;
  return authenticate(
    head,
    { tenant: undefined },
    {
      clientCertificate: () => credential(user),
      issuerToken: async () => (byToken.how === 'oidc-token' ? byToken : undefined),
      serviceAccountToken: async () => {
        onReview?.();
        return byToken;
      },
    },
  );
}

const refused = (why: string) => expect.objectContaining({ status: 401, why });

describe('authenticate', () => {
  it('takes one credential, and two of the same user', async () => {
    expect((await ask({ certificate: true })).identity.username).toBe('alice');
    expect((await ask({ authorization: 'Bearer a.b' }, credential('bob'))).identity.username).toBe('bob');
    expect((await ask({ authorization: 'bearer a.b', certificate: true })).identity.username).toBe('alice');
  });

  it('adds the implicit groups, and changes nothing else', async () => {
    const { identity, ...rest } = await ask({ certificate: true });
    expect(identity).toEqual({ username: 'alice', groups: ['devs', 'system:authenticated'], uid: '', extra: {} });
    expect(rest).toEqual({ tenant: 'acme', tenantUid: 'u1', how: 'client-certificate', expiresAtMs: 1 });
    const bot = await ask({ authorization: 'Bearer a.b' }, credential('system:serviceaccount:web:bot'));
    expect(bot.identity.groups).toEqual(['devs', 'system:authenticated']);
  });

  it('refuses a request without a credential', async () => {
    await expect(ask({})).rejects.toThrow(refused('no-credential'));
  });

  it.each(['Basic YTpi', 'Bearer', 'Bearer a b', 'Bearer a,b', '', 'a.b'])(
    'knows no header %j',
    async (authorization) => {
      await expect(ask({ authorization })).rejects.toThrow(refused('authorization-malformed'));
    },
  );

  it.each([
    ['user', credential('bob', { how: 'oidc-token' })],
    ['tenant', credential('alice', { how: 'oidc-token', tenantUid: 'u2' })],
    ['sort of user', credential('system:serviceaccount:web:bot', { how: 'service-account-token' })],
  ])('refuses two credentials of another %s', async (_what, byToken) => {
    const sent: Sent = { authorization: 'Bearer a.b', certificate: true };
    await expect(ask(sent, byToken)).rejects.toThrow(refused('two-credentials'));
  });

  it('asks about a service account’s token only where it can be of the same user', async () => {
    const name = 'system:serviceaccount:web:bot';
    const account = credential(name, { how: 'service-account-token' });
    let reviews = 0;
    const sent: Sent = { authorization: 'Bearer a.b', certificate: true, onReview: () => (reviews += 1) };
    await expect(ask(sent, account)).rejects.toThrow(refused('two-credentials'));
    expect(reviews).toBe(0);
    expect((await ask({ ...sent, user: name }, account)).identity.username).toBe(name);
    expect(reviews).toBe(1);
  });
});
