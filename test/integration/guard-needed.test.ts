/**
 * What the proxy may do in a tenant's name is what it needs, verb by verb and kind by kind. Two tenants, one of them trusted,
 * use all that their clusters have; the host's audit log says which rights that took. Then one verb after the other is taken
 * out of the guard, and what takes it is refused.
 *
 * What the accounts may in their own names is in `rights-needed.test.ts`, and that they may no more in `accounts.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient } from '../../src/dev/kube-client.ts';
import { strings } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { VIRTUAL_GROUP } from '../../src/kinds/kind.ts';
import { KINDS } from '../../src/kinds/table.ts';
import { type Right, rightsOfRole, textOf } from '../support/account-rights.ts';
import { everyClass } from '../support/class-samples.ts';
import { adminClient, type ControlPlaneFacts, factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { runKubectl } from '../support/kubectl.ts';
import { eventually } from '../support/processes.ts';
import { makeTenant, type ProductFacts, startProduct, type TenantFacts } from '../support/product.ts';
import { asManifest, samples } from '../support/samples.ts';
import { everyUse, type Use, useAll } from '../support/use-everything.ts';
import { virtualSamples } from '../support/virtual-vectors.ts';

const GUARD = '/apis/rbac.authorization.k8s.io/v1/clusterroles/kubeveil:guard';
const NAMESPACE = 'guard-needed';
/**
 * No request of this file is for these: the host asks for them beside a write, of an owner, a role, or the status of a
 * claim; and to OPTIONS it gives a verb without a name, which its audit log does not tell. What an adapter measures is asked
 * for where there is one: `test/clients/slow/custom-metrics.test.ts`.
 */
function isBeside({ verb, group, resource }: Right): boolean {
  if (group === 'custom.metrics.k8s.io') return true;
  const synthetic = verb === '' || ['resourceclaims/binding', 'resourceclaims/driver'].includes(resource);
  return synthetic || resource.endsWith('/finalizers') || ['escalate', 'bind'].includes(verb);
}

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let plane: ControlPlaneFacts;
let product: ProductFacts;
let admin: KubeClient;
let uses: Use[];

beforeAll(async () => {
  plane = factsOf(stack.use(await startPrivateControlPlane({ nodes: 0 })));
  const started = await startProduct(plane);
  stack.defer(() => started.stop());
  product = started.facts;
  admin = adminClient(plane);
  stack.defer(() => admin.close());
  const trustee = await makeTenant(plane, 'trustee', join(plane.workDir, 'trustee.kubeconfig'), 'trusted');
  uses = [
    ...(await usesOf(product.acme, [...virtualSamples('sample'), ...clusterSamples()])),
    ...(await usesOf(trustee, [...everyClass('sample'), ...virtualSamples('sample', 'trusted')])),
  ];
});

function clusterSamples(): JsonObject[] {
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name: 'sample' };
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const schema = { openAPIV3Schema: { type: 'object' } };
  return [
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'sample' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'jane' }],
    },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'samples.needed.example.com' },
      spec: {
        group: 'needed.example.com',
        scope: 'Namespaced',
        names: { plural: 'samples', kind: 'Sample' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
  ];
}

/** Everything that a tenant can do, with one object of each kind that it may make. */
async function usesOf(tenant: TenantFacts, cluster: readonly JsonObject[]): Promise<Use[]> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  for (const made of [[namespace], samples(NAMESPACE), cluster]) {
    const { code, stderr } = await runKubectl(tenant.kubeconfigPath, ['create', '-n', NAMESPACE, '-f', '-'], {
      stdin: asManifest(made),
    });
    expect(code, stderr).toBe(0);
  }
  const { server, caPem } = product;
  const { certPem, keyPem } = tenant;
  return await everyUse({ server, caPem, certPem, keyPem }, NAMESPACE);
}

interface AuditEvent {
  readonly verb: string;
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** As `textOf` has it, what the host let through in tenants' names. */
function allowed(): Set<string> {
  const lines = readFileSync(plane.auditLogPath, 'utf8').split('\n').slice(0, -1);
  const passed = lines
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ impersonatedUser }) => impersonatedUser?.username.startsWith('kubeveil:'))
    .filter(({ annotations }) => annotations?.['authorization.k8s.io/decision'] === 'allow');
  return new Set(
    passed.map(({ verb, objectRef: { apiGroup = '', resource, subresource } = {} }) =>
      [`${verb} ${apiGroup}/${resource}`, ...(subresource === undefined ? [] : [subresource])].join('/'),
    ),
  );
}

/** What a use takes on the host. */
function rightFor({ verb, what }: Pick<Use, 'verb' | 'what'>): string {
  const [group = '', resource, ...rest] = what.split('/');
  const isVirtual = KINDS.some(
    (kind) => kind.group === group && kind.resource === resource && kind.classes.trusted === 'virtual',
  );
  return `${verb} ${[isVirtual ? VIRTUAL_GROUP : group, resource, ...rest].join('/')}`;
}

it('everything that a tenant does takes all rights that there are in its name', async () => {
  const rights = ['kubeveil:guard', 'kubeveil:tenant-cluster', 'kubeveil:trusted']
    .flatMap(rightsOfRole)
    .filter((right) => !isBeside(right))
    .map(textOf);
  expect(rights.length).toBeGreaterThan(300);
  await useAll(uses, () => true);
  // The log is a moment behind.
  await expect.poll(() => rights.filter((right) => !allowed().has(right)), { timeout: 10_000 }).toEqual([]);
});

describe('the guard', () => {
  const inGuard = new Set(rightsOfRole('kubeveil:guard').map(textOf));
  const verbs = [
    ...new Set(
      rightsOfRole('kubeveil:guard')
        .filter((right) => !isBeside(right))
        .map(({ verb }) => verb),
    ),
  ];

  it.each(verbs)('without the verb %j lets nobody do what takes it', async (verb) => {
    const takers = uses.filter((use) => use.namespaced && use.verb === verb && inGuard.has(rightFor(use)));
    expect(takers.length).toBeGreaterThan(0);
    const { body } = await admin.send('GET', GUARD);
    const { rules } = body as { rules: JsonObject[] };
    const without = rules
      .map((rule) => ({ ...rule, verbs: strings(rule, 'verbs').filter((one) => one !== verb) }))
      .filter((rule) => rule.verbs.length > 0);
    const put = async (wanted: readonly object[]) =>
      expect((await admin.send('PATCH', GUARD, { rules: wanted }, 'application/merge-patch+json')).status).toBe(200);
    await put(without);
    try {
      const [first] = takers;
      // What the host refuses for want of a right is told as a fault of the cluster, not of the tenant.
      await eventually('the host knows', async () => (await first?.run()) === 503);
      expect(await useAll(takers, (status) => status === 503)).toEqual([]);
    } finally {
      await put(rules);
    }
  });
});
