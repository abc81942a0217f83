/**
 * The rules that are generated from the table of kinds, on the live API server: an identity that holds them in one
 * namespace can write any Role and name any role there, as a tenant's administrator must, and nothing elsewhere.
 */
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { KubeClient } from '../../src/dev/kube-client.ts';
import { guardRules, type HostRule } from '../../src/kinds/guard-rules.ts';
import { adminClient } from '../support/control-plane.ts';
import { eventually } from '../support/processes.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ROLES = `/apis/${RBAC}/v1`;
const GUARDED = 'guard-rules-test';
const WEAK = 'guard-rules-test-weak';
const GROUP = 'guard-rules-test:tenant';

let client: KubeClient;

beforeAll(async () => {
  client = adminClient(inject('controlPlane'));
  await guard(GUARDED, guardRules());
  await guard(
    WEAK,
    guardRules()
      .map(withoutGrants)
      .filter((rule) => rule.verbs.length > 0),
  );
});

afterAll(async () => {
  for (const namespace of [GUARDED, WEAK]) {
    await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
    await client.send('DELETE', `${ROLES}/clusterroles/${namespace}`);
  }
  client.close();
});

/** Makes a namespace in which the test's group holds these rules. */
async function guard(namespace: string, rules: readonly HostRule[]): Promise<void> {
  await client.create('/api/v1/namespaces', { metadata: { name: namespace } });
  await client.create(`${ROLES}/clusterroles`, { metadata: { name: namespace }, rules });
  await client.create(`${ROLES}/namespaces/${namespace}/rolebindings`, {
    metadata: { name: 'guard' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: namespace },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: GROUP }],
  });
  await eventually(`the rights in ${namespace}`, async () => (await asTenant('get', 'pods', '-n', namespace)).ok);
}

function withoutGrants(rule: HostRule): HostRule {
  return { ...rule, verbs: rule.verbs.filter((verb) => verb !== 'bind' && verb !== 'escalate') };
}

/** kubectl under a name that holds nothing but the guard. */
function asTenant(...args: string[]): Promise<{ ok: boolean; text: string }> {
  const { kubectlPath, adminKubeconfigPath } = inject('controlPlane');
  const as = ['--kubeconfig', adminKubeconfigPath, '--as=guard-rules-test', `--as-group=${GROUP}`];
  return new Promise((resolve) => {
    execFile(kubectlPath, [...as, ...args], (error, stdout, stderr) => {
      resolve({ ok: error === null, text: `${stdout}${stderr}` });
    });
  });
}

function createRole(namespace: string): Promise<{ ok: boolean; text: string }> {
  return asTenant('create', 'role', 'any', '-n', namespace, '--verb=*', '--resource=*.*');
}

function createBinding(namespace: string): Promise<{ ok: boolean; text: string }> {
  return asTenant('create', 'rolebinding', 'any', '-n', namespace, '--clusterrole=acme--missing', '--user=nobody');
}

describe('the guard', () => {
  it('lets a Role hold rules that nobody upstream holds, and a binding name a role that is not there', async () => {
    expect(await createRole(GUARDED)).toMatchObject({ ok: true });
    expect(await createBinding(GUARDED)).toMatchObject({ ok: true });
  });
  it('would not without escalate and bind', async () => {
    expect((await createRole(WEAK)).text).toContain('attempting to grant RBAC permissions not currently held');
    expect((await createBinding(WEAK)).ok).toBe(false);
  });
  it.each([
    ['create', 'configmap', 'x', '-n', 'default'],
    ['get', 'secrets', '-n', 'kube-system'],
    ['create', 'rolebinding', 'x', '-n', 'default', '--clusterrole=cluster-admin', `--group=${GROUP}`],
    ['create', 'clusterrolebinding', 'x', '--clusterrole=cluster-admin', `--group=${GROUP}`],
    ['create', 'clusterrole', 'x', '--verb=get', '--resource=pods'],
    ['create', 'namespace', 'x'],
    ['delete', 'namespace', GUARDED],
    ['get', 'nodes'],
    ['get', 'pods', '-A'],
  ])('refuses to %s %s', async (...args) => {
    const { ok, text } = await asTenant(...args);
    expect({ ok, forbidden: text.includes('is forbidden') }).toEqual({ ok: false, forbidden: true });
  });
  it('lets a namespace’s own objects be written', async () => {
    expect(await asTenant('create', 'configmap', 'x', '-n', GUARDED)).toMatchObject({ ok: true });
    expect(await asTenant('create', 'deployment', 'x', '-n', GUARDED, '--image=nginx')).toMatchObject({ ok: true });
    expect(await asTenant('delete', 'configmaps', '--all', '-n', GUARDED)).toMatchObject({ ok: true });
  });
});
