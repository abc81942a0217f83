import { describe, expect, it } from 'vitest';
import { Feed, type Scripted, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { UpstreamRequest } from '../ports.ts';
import { phaseOf, Tenants, wordOf } from './tenants.ts';

function tenant(more: JsonObject = {}): JsonObject {
  return { metadata: { name: 'acme', uid: 'u1', resourceVersion: '5' }, ...more };
}

function status(code: number, message = 'no'): Scripted {
  return { status: code, body: { kind: 'Status', message, reason: 'Some' } };
}

/** Answers by method and path; anything else is a 404. */
function tenantsOf(answers: Record<string, Scripted>): { tenants: Tenants; upstream: ScriptedUpstream } {
  const upstream = new ScriptedUpstream(({ method, path }: UpstreamRequest) => {
    return answers[`${method} ${path}`] ?? status(404);
  });
  return { tenants: new Tenants(upstream), upstream };
}

const TENANTS = '/apis/kubeveil.dev/v1alpha1/tenants';
const CA = '/api/v1/namespaces/kubeveil-system/secrets/tenant-ca-acme';

describe('creating a tenant', () => {
  it('sends a Tenant with its policy', async () => {
    const { tenants, upstream } = tenantsOf({ [`POST ${TENANTS}`]: { status: 201, body: tenant() } });
    await tenants.create('acme', { policy: 'strict' });
    expect(JSON.parse(String(upstream.requests[0]?.body))).toMatchObject({
      kind: 'Tenant',
      metadata: { name: 'acme' },
      spec: { policy: 'strict' },
    });
  });

  it.each([
    ['is there', tenant(), 'exists already'],
    ['goes', tenant({ metadata: { name: 'acme', deletionTimestamp: '2026-01-01T00:00:00Z' } }), 'still being deleted'],
  ])('tells that the id is taken by one that %s', async (_what, stored, message) => {
    const { tenants } = tenantsOf({
      [`POST ${TENANTS}`]: status(409),
      [`GET ${TENANTS}/acme`]: { status: 200, body: stored },
    });
    await expect(tenants.create('acme', { policy: 'default' })).rejects.toThrow(message);
  });

  it('refuses an id that is none before anything is sent', async () => {
    const { tenants, upstream } = tenantsOf({});
    await expect(tenants.create('A', { policy: 'default' })).rejects.toThrow('must have 3 to 20 characters');
    expect(upstream.requests).toEqual([]);
  });

  it('tells what the host said, and what may be missing on it', async () => {
    await expect(tenantsOf({}).tenants.create('acme', { policy: 'default' })).rejects.toThrow(
      /kubectl apply -f deploy/,
    );
    const { tenants } = tenantsOf({ [`POST ${TENANTS}`]: status(403, 'not yours') });
    await expect(tenants.create('acme', { policy: 'default' })).rejects.toThrow(/could not be created: .*not yours/);
  });
});

describe('deleting a tenant', () => {
  it('deletes the very tenant that was read', async () => {
    const { tenants, upstream } = tenantsOf({
      [`GET ${TENANTS}/acme`]: { status: 200, body: tenant() },
      [`DELETE ${TENANTS}/acme`]: { status: 200, body: {} },
    });
    expect(await tenants.delete('acme')).toEqual(tenant());
    expect(JSON.parse(String(upstream.requests[1]?.body))).toMatchObject({ preconditions: { uid: 'u1' } });
  });

  it('tells that there is none', async () => {
    await expect(tenantsOf({}).tenants.delete('acme')).rejects.toThrow('there is no tenant acme');
  });
});

describe('waiting for a tenant', () => {
  it('follows its changes until it is as it should be', async () => {
    const active = tenant({ status: { phase: 'Active' } });
    const feed = new Feed().send(
      { type: 'MODIFIED', object: tenant({ status: { phase: 'Pending' } }) },
      { type: 'MODIFIED', object: active },
    );
    const { tenants } = tenantsOf({
      [`GET ${TENANTS}/acme`]: { status: 200, body: tenant() },
      [`GET ${TENANTS}`]: { status: 200, body: feed },
    });
    expect(await tenants.waitFor('acme', (seen) => phaseOf(seen) === 'Active', 10_000)).toEqual(active);
  });
});

describe('the CA of a tenant', () => {
  const data = { 'tls.crt': Buffer.from('cert').toString('base64'), 'tls.key': Buffer.from('key').toString('base64') };

  it('is read where it is of this very tenant', async () => {
    const secret = { metadata: { ownerReferences: [{ uid: 'u1' }] }, data };
    const { tenants } = tenantsOf({ [`GET ${CA}`]: { status: 200, body: secret } });
    expect(await tenants.clientCa(tenant())).toEqual({ certPem: 'cert', keyPem: 'key' });
  });

  it.each([
    ['of an earlier tenant', { status: 200, body: { metadata: { ownerReferences: [{ uid: 'u0' }] }, data } }],
    ['of nobody', { status: 200, body: { metadata: {}, data } }],
    ['absent', status(404)],
  ])('is refused when it is %s', async (_what, answer) => {
    await expect(tenantsOf({ [`GET ${CA}`]: answer }).tenants.clientCa(tenant())).rejects.toThrow('is not there yet');
  });
});

describe('wordOf', () => {
  it('tells the conditions that do not hold', () => {
    const conditions = [
      { type: 'Ready', status: 'False', message: 'there is no policy strict' },
      { type: 'Other', status: 'True', message: 'fine' },
    ];
    expect(wordOf(tenant({ status: { conditions } }))).toBe('Ready: there is no policy strict');
  });

  it('asks whether there is a proxy when nobody has said anything', () => {
    expect(wordOf(tenant())).toContain('is "kubeveil serve" running?');
  });
});
