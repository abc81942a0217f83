import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { Authenticated, RequestHead, RequestInfo } from '../exchange.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import type { Judge } from '../limit/open-streams.ts';
import type { Incoming } from '../listen/options.ts';
import type { Held } from '../pipeline.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createHold } from './hold.ts';

const ACME: Tenant = {
  id: 'acme' as TenantId,
  uid: 'u1',
  createdAt: '2026-01-01T00:00:00Z',
  phase: 'Active',
  clientCaPem: 'ca',
  policy: 'default',
};
const SECRETS = { kind: { namespaced: true, verbs: ['get', 'list', 'watch'] } } as unknown as KindAtVersion;
const IDENTITY = { username: 'alice', groups: [], uid: '', extra: {} };
const AUTHENTICATED: Authenticated = {
  identity: IDENTITY,
  tenant: ACME.id,
  tenantUid: 'u1',
  how: 'client-certificate',
  expiresAtMs: 10_000,
};
const WATCH = parseRequestInfo('GET', '/api/v1/namespaces/web/secrets?watch=true');

/** The world as it is; each test changes what it is about. */
let world: {
  tenant: Tenant | undefined;
  kind: KindAtVersion | undefined;
  allowed: boolean;
  nowMs: number;
  certificate: () => Authenticated;
  token: () => Authenticated;
};
let judge: Judge | undefined;
let left: boolean;
beforeEach(() => {
  world = {
    tenant: ACME,
    kind: SECRETS,
    allowed: true,
    nowMs: 0,
    certificate: () => AUTHENTICATED,
    token: () => AUTHENTICATED,
  };
  judge = undefined;
  left = false;
});

function hold(info: RequestInfo = WATCH, by: 'certificate' | 'token' = 'certificate'): Held | undefined {
  const head = {
    peerCertificate: by === 'certificate' ? new Uint8Array(1) : undefined,
    impersonate: new Map(),
    headers: new Map(by === 'token' ? [['authorization', 'Bearer a.b']] : []),
  } as unknown as RequestHead;
  const stage = createHold({
    tenants: { get: () => world.tenant, all: () => [] },
    authenticators: {
      clientCertificate: () => world.certificate(),
      issuerToken: async () => undefined,
      serviceAccountToken: async () => world.token(),
    },
    authorizer: {
      decide: (_tenant, { username }) => ({ allowed: world.allowed && username === 'alice', reason: '' }),
      rulesFor: () => ({ granted: [], errors: [] }),
      roleRules: () => [],
    },
    kinds: { byResource: () => world.kind },
    streams: {
      enter(asked) {
        judge = asked;
        return { until: new AbortController().signal, mayGoOn: () => true, leave: () => (left = true) };
      },
    },
    nowMs: () => world.nowMs,
  });
  return stage({
    incoming: { head } as Incoming,
    startedMs: 0,
    info,
    claim: { tenant: undefined },
    authenticated: AUTHENTICATED,
    tenant: ACME,
  });
}

const refusal = (status: number, why: string) => expect.objectContaining({ status, why });

describe('an answer', () => {
  it('that does not last is not held', () => {
    expect(hold(parseRequestInfo('GET', '/api/v1/namespaces/web/secrets'))).toBeUndefined();
    expect(judge).toBeUndefined();
  });

  it.each(['secrets', 'secrets?watch=true'])('to %s is none of a tenant that is gone meanwhile', (target) => {
    const info = parseRequestInfo('GET', `/api/v1/namespaces/web/${target}`);
    for (const tenant of [undefined, { ...ACME, uid: 'u2' }]) {
      world.tenant = tenant;
      expect(() => hold(info)).toThrow(refusal(401, 'tenant-gone'));
    }
  });

  it('that was found before its tenant was suspended is given', () => {
    world.tenant = { ...ACME, phase: 'Suspended' };
    expect(hold(parseRequestInfo('GET', '/api/v1/namespaces/web/secrets'))).toBeUndefined();
  });

  it('that lasts is held, and let go', () => {
    hold()?.release();
    expect(left).toBe(true);
  });
});

describe('a watch may go on', () => {
  it('while all is as it was', () => {
    hold();
    expect(() => judge?.now()).not.toThrow();
    expect(() => judge?.tenant()).not.toThrow();
    expect(judge?.credential).toBeUndefined();
  });

  it.each<[string, number, string, () => void]>([
    ['the tenant is gone', 401, 'tenant-gone', () => (world.tenant = undefined)],
    ['another tenant has its name', 401, 'tenant-gone', () => (world.tenant = { ...ACME, uid: 'u2' })],
    ['it is suspended', 403, 'tenant-not-active', () => (world.tenant = { ...ACME, phase: 'Suspended' })],
    ['it is going', 403, 'tenant-not-active', () => (world.tenant = { ...ACME, phase: 'Terminating' })],
  ])('not when %s, which is asked before each event too', (_what, status, why, change) => {
    hold();
    change();
    expect(() => judge?.now()).toThrow(refusal(status, why));
    expect(() => judge?.tenant()).toThrow(refusal(status, why));
  });

  it.each<[string, number, string, () => void]>([
    ['the roles do not allow it', 403, 'rbac', () => (world.allowed = false)],
    ['the kind is not offered', 404, 'not-offered', () => (world.kind = undefined)],
    ['the credential is over', 401, 'credential-expired', () => (world.nowMs = 10_000)],
    [
      'the CA did not sign the certificate',
      401,
      'certificate-foreign',
      () => {
        world.certificate = () => {
          throw new ApiError('ERR_UNAUTHORIZED', 'no', { why: 'certificate-foreign' });
        };
      },
    ],
  ])('not when %s any more', (_what, status, why, change) => {
    hold();
    change();
    expect(() => judge?.now()).toThrow(refusal(status, why));
  });
});

describe('a watch by token', () => {
  const credential = (): NonNullable<Judge['credential']> => {
    hold(WATCH, 'token');
    if (judge?.credential === undefined) throw new Error('the host is not asked');
    return judge.credential;
  };

  it('is asked about at the host, with all others of that token', async () => {
    const { key, check } = credential();
    expect(key).toBe('Bearer a.b');
    await expect(check()).resolves.toBeUndefined();
  });

  it('is over when the token is, or when it is another’s', async () => {
    const { check } = credential();
    world.token = () => ({ ...AUTHENTICATED, identity: { ...IDENTITY, username: 'bob' } });
    await expect(check()).rejects.toThrow(refusal(401, 'credential-changed'));
    world.token = () => ({ ...AUTHENTICATED, tenantUid: 'u2' });
    await expect(check()).rejects.toThrow(refusal(401, 'credential-changed'));
    world.token = () => {
      throw new ApiError('ERR_UNAUTHORIZED', 'no', { why: 'token-revoked' });
    };
    await expect(check()).rejects.toThrow(refusal(401, 'token-revoked'));
  });
});
