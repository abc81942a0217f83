import { describe, expect, it } from 'vitest';
import type { Identity, RequestHead } from '../exchange.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { AuditEntry } from './audit.ts';
import { auditEvent } from './event.ts';

const ALICE: Identity = { username: 'alice', groups: ['devs'], uid: '7', extra: { 'example.com/team': ['red'] } };
const BOB: Identity = { username: 'bob', groups: [], uid: '', extra: {}, impersonator: ALICE };

function event(part: Partial<AuditEntry> & { target?: string; trail?: RequestHead['trail'] } = {}) {
  const { target = '/apis/apps/v1/namespaces/web/deployments/a/scale?dryRun=All&access_token=hunter2', ...rest } = part;
  const head = {
    id: 'the-id',
    method: 'PATCH',
    target,
    headers: new Map([
      ['user-agent', 'kubectl'],
      ['authorization', 'Bearer hunter2'],
    ]),
    trail: part.trail ?? {},
  } as unknown as RequestHead;
  const info = parseRequestInfo('PATCH', target);
  const written = { status: 200, bodyBytes: 12 };
  const entry = { head, info, remoteAddress: '10.0.0.1', written, durationMs: 1500, ...rest };
  return auditEvent(entry, 'ResponseComplete', Date.parse('2026-01-01T00:00:02Z')) as Record<string, unknown>;
}

describe('an audit event', () => {
  it('is one of Kubernetes: who asked for what, when, and what came of it', () => {
    const tenant = { id: 'acme' as TenantId, uid: 'u' };
    const allowedBy = 'RBAC: allowed by RoleBinding "a/web" of Role "b" to User "alice"';
    const how = 'client-certificate';
    expect(event({ identity: ALICE, tenant, allowedBy, how, trail: { upstreamStatus: 200 } })).toEqual({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: 'the-id',
      stage: 'ResponseComplete',
      requestURI: '/apis/apps/v1/namespaces/web/deployments/a/scale?dryRun=All&access_token=(hidden)',
      verb: 'patch',
      user: { username: 'alice', uid: '7', groups: ['devs'], extra: { 'example.com/team': ['red'] } },
      sourceIPs: ['10.0.0.1'],
      userAgent: 'kubectl',
      objectRef: {
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'web',
        name: 'a',
        apiGroup: 'apps',
        apiVersion: 'v1',
      },
      responseStatus: { metadata: {}, code: 200 },
      requestReceivedTimestamp: '2026-01-01T00:00:00.500000Z',
      stageTimestamp: '2026-01-01T00:00:02.000000Z',
      annotations: {
        'authorization.k8s.io/decision': 'allow',
        'authorization.k8s.io/reason': allowedBy,
        'kubeveil.dev/tenant': 'acme',
        'kubeveil.dev/tenant-uid': 'u',
        'kubeveil.dev/credential': how,
        'kubeveil.dev/latency-ms': '1500.0',
        'kubeveil.dev/response-bytes': '12',
        'kubeveil.dev/upstream-status': '200',
      },
    });
  });

  it('tells as whom somebody acts', () => {
    expect(event({ identity: BOB })).toMatchObject({
      user: { username: 'alice' },
      impersonatedUser: { username: 'bob', groups: [] },
    });
    expect(event({ identity: ALICE })).not.toHaveProperty('impersonatedUser');
  });

  it('tells why somebody was refused, and by whom', () => {
    const refused = (why: string, status: number) => event({ written: { status, bodyBytes: 0, why } });
    expect(refused('rbac', 403)).toMatchObject({
      responseStatus: { code: 403, reason: 'rbac' },
      annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' },
    });
    const { annotations, user, responseStatus } = refused('no-credential', 401);
    expect({ user, responseStatus }).toMatchObject({
      user: {},
      responseStatus: { code: 401, reason: 'no-credential' },
    });
    expect(annotations).not.toHaveProperty(['authorization.k8s.io/decision']);
  });

  it('has no answer yet when the answer begins', () => {
    const begun = event({ written: undefined });
    expect(begun).not.toHaveProperty('responseStatus');
    expect(begun['annotations']).not.toHaveProperty(['kubeveil.dev/response-bytes']);
  });

  it('holds no secret and is no longer than an event may be, whatever a client sends', () => {
    const long = 'x'.repeat(10_000);
    const odd: Identity = { username: long, groups: Array(1_000).fill(long), uid: long, extra: { [long]: [long] } };
    const text = JSON.stringify(event({ identity: odd, target: `/api/v1/pods?${long}` }));
    expect(text.length).toBeLessThan(200_000);
    expect(JSON.stringify(event({ identity: ALICE }))).not.toContain('hunter2');
  });
});
