/**
 * What a policy has each namespace of a tenant say, and that nobody makes it say less.
 * @see deploy/50-wall-namespaces.yaml, src/tenancy/host-guards.ts
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type PolicyTenants, preparePolicyTenants, upstreamNamespace } from '../support/policy-tenants.ts';
import { eventually } from '../support/processes.ts';
import { expectDone, expectRefused, MERGE } from '../support/walls.ts';

const ENFORCE = 'pod-security.kubernetes.io/enforce';
const VERSION = 'pod-security.kubernetes.io/enforce-version';
const FLOOR = 'kubeveil.dev/pod-security';

let tenants: PolicyTenants;

beforeAll(async () => {
  tenants = await preparePolicyTenants(inject('controlPlane'), {
    default: '',
    strict: 'profile: restricted',
    open: 'profile: trusted',
  });
  await Promise.all([
    tenants.make('lev-base', 'default'),
    tenants.make('lev-open', 'open'),
    tenants.make('lev-moves', 'default'),
  ]);
});
afterAll(() => tenants[Symbol.asyncDispose]());

async function read(tenant: string): Promise<{ labels: Record<string, string>; annotations: Record<string, string> }> {
  const { body } = await tenants.admin('GET', upstreamNamespace(tenant));
  const { metadata } = body as { metadata: { labels: Record<string, string>; annotations: Record<string, string> } };
  return metadata;
}

const label = (tenant: string, labels: Record<string, string | null>) =>
  tenants.admin('PATCH', upstreamNamespace(tenant), { metadata: { labels } }, MERGE);

describe('the level of a namespace', () => {
  it('is that of the policy from the start', async () => {
    expect(await read('lev-base')).toMatchObject({
      labels: { [ENFORCE]: 'baseline' },
      annotations: { [FLOOR]: 'baseline' },
    });
    const open = await read('lev-open');
    expect(open.annotations[FLOOR]).toBe('privileged');
    expect(open.labels[ENFORCE]).toBeUndefined();
  });

  it('may be stricter and not looser, whoever writes it', async () => {
    expectDone(await label('lev-base', { [ENFORCE]: 'restricted' }));
    expectRefused(await label('lev-base', { [ENFORCE]: 'privileged' }), /must be baseline or restricted/);
    expectRefused(await label('lev-base', { [ENFORCE]: null }), /must be baseline or restricted/);
    expectDone(await label('lev-base', { [ENFORCE]: 'baseline' }));
    expectDone(await label('lev-open', { [ENFORCE]: 'baseline' }));
    expectDone(await label('lev-open', { [ENFORCE]: 'privileged' }));
    expectDone(await label('lev-open', { [ENFORCE]: null }));
  });

  it('is not of an older version, which may be looser', async () => {
    expectRefused(await label('lev-base', { [VERSION]: 'v1.20' }), /must be latest/);
    expectDone(await label('lev-base', { [VERSION]: 'latest' }));
    expectDone(await label('lev-base', { [VERSION]: null }));
    expectDone(await label('lev-open', { [VERSION]: 'v1.20' }));
    expectDone(await label('lev-open', { [VERSION]: null }));
  });

  it('is for nobody but the provisioner to set the floor of', async () => {
    const annotate = (value: string | null) =>
      tenants.admin('PATCH', upstreamNamespace('lev-base'), { metadata: { annotations: { [FLOOR]: value } } }, MERGE);
    expectRefused(await annotate('privileged'), /only kubeveil-provisioner/);
    expectRefused(await annotate(null), /only kubeveil-provisioner|does not go/);
  });

  it('follows another policy of the tenant, up and down again', async () => {
    const level = async () => {
      const { labels, annotations } = await read('lev-moves');
      return `${labels[ENFORCE]} ${annotations[FLOOR]} ${annotations['kubeveil.dev/policy']}`;
    };
    await tenants.setPolicy('lev-moves', 'strict');
    await eventually('restricted', async () => (await level()) === 'restricted restricted strict');
    await tenants.setPolicy('lev-moves', 'default');
    await eventually('baseline', async () => (await level()) === 'baseline baseline default');
    await tenants.setPolicy('lev-moves', 'open');
    await eventually('none', async () => (await level()) === 'undefined privileged open');
  });

  it('follows a policy file that changes, and keeps what was tightened', async () => {
    expectDone(await label('lev-base', { [ENFORCE]: 'restricted' }));
    tenants.rewrite('default', 'podSecurity: privileged\nservices: {nodePorts: true}');
    await eventually('the floor is down', async () => (await read('lev-base')).annotations[FLOOR] === 'privileged');
    expect(await read('lev-base')).toMatchObject({
      labels: { [ENFORCE]: 'restricted' },
      annotations: { 'kubeveil.dev/may': expect.stringContaining('node-ports') },
    });
    tenants.rewrite('default', '');
    await eventually('the floor is up', async () => (await read('lev-base')).annotations[FLOOR] === 'baseline');
    expect((await read('lev-base')).annotations['kubeveil.dev/may']).not.toContain('node-ports');
  });
});
