/**
 * An operator of others, JobSet, as its authors build it: its definition and its ClusterRole applied by the tenant's
 * administrator, the program itself under a service account's token. It runs outside of a pod; its own webhooks are
 * registered with a pod of its port, and fill in and refuse what they do in any cluster.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Child, describeExit, logTail, startChild } from '../../src/dev/child.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { useProduct } from '../support/as-tenant.ts';
import { whenEstablished } from '../support/established.ts';
import { eventually } from '../support/processes.ts';
import { asClients, type ClientUser } from './support/as-client.ts';
import { registerWebhooks, webhookCertificates } from './support/jobset-webhooks.ts';
import { type GoPrograms, goPrograms, MAKING_MS } from './support/programs.ts';

const NAMESPACE = 'jobsets';
const STOP_MS = 10_000;

const product = useProduct();
let programs: GoPrograms;
beforeAll(async () => {
  programs = await goPrograms();
}, MAKING_MS);

/** What the administrator of a cluster does for an operator. @returns the token that it gets */
async function installOperator({ tenant }: ClientUser): Promise<string> {
  await tenant.kubectl(`create namespace ${NAMESPACE}`);
  await tenant.kubectl(`apply --server-side -f ${programs.jobsetDefinition} -f ${programs.jobsetRole}`);
  await whenEstablished(tenant, 'jobsets.jobset.x-k8s.io');
  await tenant.kubectl(`create serviceaccount operator -n ${NAMESPACE}`);
  await tenant.kubectl(
    `create clusterrolebinding jobset --clusterrole=manager-role --serviceaccount=${NAMESPACE}:operator`,
  );
  const lead = 'get,list,watch,create,update,patch,delete';
  await tenant.kubectl(`create role lead --verb=${lead} --resource=leases.coordination.k8s.io -n ${NAMESPACE}`);
  await tenant.kubectl(`create rolebinding lead --role=lead --serviceaccount=${NAMESPACE}:operator -n ${NAMESPACE}`);
  return await tenant.kubectl(`create token operator -n ${NAMESPACE}`);
}

async function startOperator(user: ClientUser, token: string): Promise<Operator> {
  const { home } = user;
  const { caPem, certPem, keyPem } = await webhookCertificates();
  writeFileSync(join(home, 'tls.crt'), certPem);
  writeFileSync(join(home, 'tls.key'), keyPem);
  const config = join(home, 'config.yaml');
  const port = await choosePort(undefined, 'the port of the operator');
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'config.jobset.x-k8s.io/v1alpha1',
      kind: 'Configuration',
      leaderElection: { leaderElect: true, resourceNamespace: NAMESPACE, resourceName: 'jobset' },
      internalCertManagement: { enable: false },
      webhook: { host: '127.0.0.1', port, certDir: home },
    }),
  );
  const child = await startChild({
    name: 'jobset',
    file: programs.jobset,
    args: [`--config=${config}`, '--metrics-bind-address=0', '--health-probe-bind-address=0'],
    logPath: join(home, 'operator.log'),
    env: { KUBECONFIG: user.kubeconfigWith('operator', token), HOME: home },
  });
  return { child, port, caPem };
}

interface Operator {
  readonly child: Child;
  /** Of its webhooks. */
  readonly port: number;
  readonly caPem: string;
}

function jobSet(word: string) {
  const container = { name: 'worker', image: 'worker:1', env: [{ name: 'WORD', value: word }] };
  const template = { spec: { restartPolicy: 'Never', containers: [container] } };
  return {
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    kind: 'JobSet',
    metadata: { name: 'train', namespace: NAMESPACE },
    spec: {
      network: { subdomain: 'train' },
      startupPolicy: { startupPolicyOrder: 'InOrder' },
      replicatedJobs: ['driver', 'workers'].map((name) => ({
        name,
        replicas: 2,
        template: { spec: { parallelism: 2, completions: 2, backoffLimit: 0, template } },
      })),
    },
  };
}

describe('the JobSet operator', () => {
  it('runs a set of jobs to its end under its own role, and what it owned goes with the set', async () => {
    const both = await asClients(product, async (user) => {
      const { tenant } = user;
      const { child: operator, ...webhooks } = await startOperator(user, await installOperator(user));
      const ended = operator.exited.then((status) => {
        throw new Error(`the operator ended with ${describeExit(status)}\n${logTail(join(user.home, 'operator.log'))}`);
      });
      const whileItRuns = async <T>(done: Promise<T>): Promise<T> => await Promise.race([done, ended]);
      try {
        await registerWebhooks(tenant, { of: NAMESPACE, ...webhooks });
        const wrong = jobSet(user.word);
        wrong.metadata.name = 'wrong';
        const policy = { operator: 'All', targetReplicatedJobs: ['nobody'] };
        const faulty = { ...wrong, spec: { ...wrong.spec, successPolicy: policy } };
        await whileItRuns(
          eventually('its webhooks answer', async () => {
            const { stderr } = await tenant.run('create --dry-run=server -f -', { stdin: JSON.stringify(faulty) });
            return stderr.includes('does not appear in .spec.ReplicatedJobs');
          }),
        );
        const refused = await tenant.refused('create -f -', { stdin: JSON.stringify(faulty) });
        await tenant.create(jobSet(user.word));
        const { spec } = await tenant.get(`jobset train -n ${NAMESPACE}`);
        const of = `-n ${NAMESPACE} --timeout=140s`;
        await whileItRuns(tenant.kubectl(`wait jobset/train --for=condition=Completed ${of}`));
        const jobs = await tenant.get(`jobs -n ${NAMESPACE}`);
        const events = await tenant.get(`events -n ${NAMESPACE} --field-selector=involvedObject.kind=JobSet`);
        await tenant.kubectl(`delete jobset train -n ${NAMESPACE}`);
        await whileItRuns(tenant.kubectl(`wait jobs,services --all --for=delete ${of}`));
        return {
          refused,
          filledIn: {
            network: spec.network,
            successPolicy: spec.successPolicy,
            mode: spec.replicatedJobs[0].template.spec.completionMode,
          },
          jobs: jobs.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
          owners: jobs.items.flatMap(({ metadata }: { metadata: { ownerReferences: { name: string }[] } }) =>
            metadata.ownerReferences.map(({ name }) => name),
          ),
          reasons: events.items.map(({ reason }: { reason: string }) => reason),
        };
      } finally {
        ended.catch(() => {});
        await operator.stop(STOP_MS);
      }
    });
    for (const { jobs, owners, reasons, refused, filledIn } of both) {
      expect(refused).toContain("invalid replicatedJob name 'nobody' does not appear in .spec.ReplicatedJobs");
      expect(filledIn).toEqual({
        network: { subdomain: 'train', enableDNSHostnames: true, publishNotReadyAddresses: true },
        successPolicy: { operator: 'All' },
        mode: 'Indexed',
      });
      expect(jobs).toEqual(['train-driver-0', 'train-driver-1', 'train-workers-0', 'train-workers-1']);
      expect(owners).toEqual(['train', 'train', 'train', 'train']);
      expect(reasons).toContain('AllJobsCompleted');
    }
  });
});
