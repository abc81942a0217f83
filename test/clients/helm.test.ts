/**
 * Helm with a chart that brings what cluster add-ons bring: a definition and an object of it, cluster roles and bindings,
 * webhook configurations, hooks, questions asked of the cluster while it renders. The chart is `test/clients/chart`.
 */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TenantClient, useProduct } from '../support/as-tenant.ts';
import { asClients } from './support/as-client.ts';
import { goPrograms, MAKING_MS } from './support/programs.ts';

const CHART = fileURLToPath(new URL('chart', import.meta.url));
const NAMESPACE = 'helm';
const RELEASE = 'parts';
/** Every kind that the chart makes, but for its definition. */
const CLUSTER_KINDS =
  'clusterroles,clusterrolebindings,parts,validatingwebhookconfigurations,mutatingwebhookconfigurations';
const KINDS = 'serviceaccounts,roles,rolebindings,configmaps,services,deployments';

const product = useProduct();
let helm: string;
beforeAll(async () => {
  helm = (await goPrograms()).helm;
}, MAKING_MS);

/** Kind and name of what Helm says that it manages. */
async function managed(tenant: TenantClient): Promise<string[]> {
  const selector = '-l app.kubernetes.io/managed-by=Helm -o name';
  const names = [
    await tenant.kubectl(`get ${CLUSTER_KINDS} ${selector}`),
    await tenant.kubectl(`get ${KINDS} -n ${NAMESPACE} ${selector}`),
  ];
  return names.flatMap((text) => text.split('\n').filter((name) => name !== '')).sort();
}

describe('Helm', () => {
  it('installs, upgrades, rolls back and uninstalls a chart with all that charts bring', async () => {
    const both = await asClients(product, async ({ run, tenant, word }) => {
      const values = (replicas: number) => ['--set', `word=${word},replicas=${replicas}`, '--wait', '--timeout=150s'];
      const release = async (...args: string[]) => await run(helm, [...args, `--namespace=${NAMESPACE}`]);
      const size = async () => (await tenant.get(`part ${RELEASE}`)).spec.size;

      const notes = await release('install', RELEASE, CHART, '--create-namespace', ...values(1));
      const installed = await managed(tenant);
      const { metadata, data } = await tenant.get(`configmap ${RELEASE} -n ${NAMESPACE}`);
      const account = `system:serviceaccount:${NAMESPACE}:${RELEASE}`;
      const mayRead = await tenant.kubectl(`auth can-i list parts.helm.clients.example.com --as=${account}`);
      const sizes = [await size()];
      await release('upgrade', RELEASE, CHART, ...values(2));
      sizes.push(await size());
      const released = JSON.parse(await run(helm, ['list', '--all-namespaces', '--output=json']));
      await release('rollback', RELEASE, '1', '--wait', '--timeout=150s');
      sizes.push(await size());
      const history = JSON.parse(await release('history', RELEASE, '--output=json'));
      await release('uninstall', RELEASE, '--wait', '--timeout=150s');
      const jobs = await tenant.get(`jobs -n ${NAMESPACE}`);
      return {
        notes: notes.trim().split('\n').at(-1),
        installed,
        annotations: metadata.annotations,
        isOwnWord: data.word === word,
        mayRead,
        sizes,
        released: released.map((one: { name: string; revision: string }) => `${one.name} ${one.revision}`),
        history: history.map((one: { description: string }) => one.description),
        left: await managed(tenant),
        definition: await tenant.kubectl('get crd parts.helm.clients.example.com -o name'),
        hooks: jobs.items
          .filter(({ status }: { status: { succeeded?: number } }) => status.succeeded === 1)
          .map((job: { metadata: { name: string } }) => job.metadata.name.replace(`${RELEASE}-`, '')),
      };
    });
    for (const done of both) {
      expect(done).toMatchObject({
        notes: `${RELEASE} in ${NAMESPACE}, revision 1`,
        annotations: { 'has-parts': 'true', 'looked-up': 'kube-system', kubernetes: expect.stringMatching(/^v1\./) },
        isOwnWord: true,
        mayRead: 'yes',
        sizes: [1, 2, 1],
        released: [`${RELEASE} 2`],
        history: ['Install complete', 'Upgrade complete', 'Rollback to 1'],
        left: [],
        // Helm never removes definitions.
        definition: 'customresourcedefinition.apiextensions.k8s.io/parts.helm.clients.example.com',
        hooks: ['post-install', 'post-rollback', 'pre-delete', 'pre-install', 'pre-upgrade'],
      });
      expect(done.installed.map((name) => name.split('/')[0])).toEqual([
        'clusterrole.rbac.authorization.k8s.io',
        'clusterrolebinding.rbac.authorization.k8s.io',
        'configmap',
        'deployment.apps',
        'mutatingwebhookconfiguration.admissionregistration.k8s.io',
        'part.helm.clients.example.com',
        'role.rbac.authorization.k8s.io',
        'rolebinding.rbac.authorization.k8s.io',
        'service',
        'serviceaccount',
        'validatingwebhookconfiguration.admissionregistration.k8s.io',
      ]);
    }
  });
});
