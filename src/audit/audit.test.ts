import { describe, expect, it } from 'vitest';
import type { RequestHead, Written } from '../exchange.ts';
import type { Logger } from '../observe/log.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import type { TenantId } from '../tenancy/names.ts';
import { type AuditEntry, auditRequest } from './audit.ts';

function line(
  part: Omit<Partial<AuditEntry>, 'written'> & Partial<Written> & Pick<RequestHead, 'trail'>,
  target = '/api/v1/pods?token=hunter2',
): Record<string, unknown> {
  const lines: Record<string, unknown>[] = [];
  const log = { info: (entry: Record<string, unknown>) => lines.push(entry) } as unknown as Logger;
  const head = {
    id: 'the-id',
    method: 'GET',
    target,
    headers: new Map([
      ['user-agent', 'x'.repeat(1_000)],
      ['authorization', 'Bearer hunter2'],
    ]),
  } as unknown as RequestHead;
  const { status = 200, bodyBytes = 5, why, trail, ...rest } = part;
  const written = { status, bodyBytes, ...(why === undefined ? {} : { why }) };
  auditRequest(log, {
    head: { ...head, trail: trail ?? {} },
    remoteAddress: '10.0.0.1',
    written,
    durationMs: 1.26,
    ...rest,
  });
  expect(lines).toHaveLength(1);
  return lines[0] ?? {};
}

describe('auditRequest', () => {
  it('says who did what, and what came of it', () => {
    const info = parseRequestInfo('PATCH', '/apis/apps/v1/namespaces/web/deployments/a/scale');
    const identity = { username: 'alice', groups: [], uid: '', extra: {} };
    expect(
      line({ info, identity, tenant: { id: 'acme' as TenantId, uid: 'u' }, status: 403, why: 'rbac' }),
    ).toMatchObject({
      id: 'the-id',
      from: '10.0.0.1',
      tenant: 'acme',
      user: 'alice',
      verb: 'patch',
      group: 'apps',
      version: 'v1',
      resource: 'deployments/scale',
      namespace: 'web',
      name: 'a',
      status: 403,
      bytes: 5,
      ms: 1.3,
      why: 'rbac',
    });
  });

  it('says what it can of a request that was never understood, without its query, headers and length', () => {
    const entry = line({ status: 400 });
    expect(entry).toMatchObject({ method: 'GET', path: '/api/v1/pods', status: 400 });
    expect(JSON.stringify(entry)).not.toContain('hunter2');
    expect(String(entry['agent']).length).toBeLessThan(140);
    expect(String(line({}, `/${'a'.repeat(10_000)}`)['path']).length).toBeLessThan(300);
  });

  it('says as whom somebody acts, by what credential, and what the roles said', () => {
    const alice = { username: 'alice', groups: [], uid: '', extra: {} };
    const identity = { ...alice, username: 'bob', impersonator: alice };
    const how = 'oidc-token';
    const allowedBy = 'RBAC: allowed by ClusterRoleBinding "a" of ClusterRole "b" to User "bob"';
    expect(line({ identity, how, allowedBy })).toMatchObject({
      user: 'alice',
      as: 'bob',
      by: how,
      decision: 'allow',
      reason: allowedBy,
    });
    expect(line({ identity: alice, allowedBy: '' })).toMatchObject({ user: 'alice', decision: 'allow' });
    expect(line({ identity: alice, status: 403, why: 'rbac' })).toMatchObject({ decision: 'deny' });
    expect(line({ identity: alice, status: 401, why: 'token-expired' })).not.toHaveProperty('decision');
  });

  it('says what the host answered, where it was asked', () => {
    expect(line({ status: 404 })).not.toHaveProperty('upstream');
    expect(line({ status: 404, trail: { upstreamStatus: 403 } })).toMatchObject({ status: 404, upstream: 403 });
  });

  it('tells what is no resource by its path', () => {
    expect(line({ info: parseRequestInfo('GET', '/version') })).toMatchObject({ verb: 'get', path: '/version' });
  });
});
