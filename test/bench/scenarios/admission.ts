/**
 * What a tenant's own admission adds to each of its writes: nothing that speaks of it, one policy, ten, a webhook; and
 * what another tenant sees beside one whose webhook hangs. Writes are dry runs, so that nothing grows.
 */
import { setTimeout } from 'node:timers/promises';
import type { JsonObject } from '../../../src/k8s/types.ts';
import { startWebhookServer } from '../../support/webhook-server.ts';
import { type BenchClient, getOrFail, openClient } from '../client.ts';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import type { Bench, LabScenario } from '../scenario.ts';
import { median, percentile } from '../statistics.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const MAPS = `${NAMESPACE}/configmaps`;
const WRITES = `${MAPS}?dryRun=All`;
const GROUP = '/apis/admissionregistration.k8s.io/v1';
const SERVICE = 'hook';
const POD_MS = 60_000;
const POLL_MS = 10;
/** So long one round of writes beside it takes, roughly. */
const HANG_SECONDS = 10;
const ROUNDS = 5;
const NEIGHBOUR_GOAL = 1.1;
const HANGING_AT_ONCE = 30;
const META = { apiVersion: 'admissionregistration.k8s.io/v1' };
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'] };

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const [acme, globex] = [await lab.onboard('acme'), await lab.onboard('globex')];
  await using client = openClient(acme, { connections: 4 });
  await using hanging = openClient(acme, { connections: HANGING_AT_ONCE });
  await using neighbour = openClient(globex, { connections: 1 });
  await using server = await startWebhookServer([`${SERVICE}.default.svc`], {
    '/allow': ({ apiVersion = '', kind = '', request }) => ({
      body: JSON.stringify({ apiVersion, kind, response: { uid: (request as JsonObject)['uid'], allowed: true } }),
    }),
    '/hang': () => undefined,
  });
  const webhook = (name: string, resource: string, path: string) => ({
    ...META,
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.bench.example.com`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: HANG_SECONDS,
        rules: [{ ...RULE, resources: [resource] }],
        clientConfig: {
          service: { namespace: 'default', name: SERVICE, path },
          caBundle: Buffer.from(server.caPem).toString('base64'),
        },
      },
    ],
  });
  await makeBackend(client, server.port);
  const writes = bench.quick ? 20 : 500;
  const measure = async (name: string) => {
    bench.progress(name);
    for (let at = 0; at < 20; at += 1) await write(client);
    return await times(writes, () => write(client));
  };

  const none = await measure('no policy');
  await makePolicies(client, 0, 1);
  const one = await measure('one policy');
  await makePolicies(client, 1, 10);
  const ten = await measure('ten policies');
  for (let at = 0; at < 10; at += 1) {
    await client.remove(`${GROUP}/validatingadmissionpolicybindings/bench-${at}`);
  }
  await created(client, `${GROUP}/validatingwebhookconfigurations`, webhook('allow', 'configmaps', '/allow'));
  await setTimeout(1_000);
  const asked = server.asked.length;
  const hooked = await measure('one webhook');
  if (server.asked.length - asked < writes) throw new Error('the webhook was not asked for every write');

  bench.progress('beside a webhook that hangs');
  await created(client, `${GROUP}/validatingwebhookconfigurations`, webhook('hang', 'secrets', '/hang'));
  await setTimeout(1_000);
  const { quiet, beside } = await besideHanging(bench, hanging, neighbour);
  await client.remove(`${GROUP}/validatingwebhookconfigurations/hang`);

  const how = `a ConfigMap made in a dry run, one after the other; ${writes} of each`;
  const added = (of: readonly number[]) => median(of) - median(none);
  const besideHow = `while ${HANGING_AT_ONCE} writes of another tenant wait for a webhook that hangs, divided by the same without them; ${ROUNDS} rounds by turns`;
  const ratio = (of: (taken: Taken) => number) => of(beside) / of(quiet);
  return [
    { name: 'write that nothing speaks of, median', value: median(none), unit: 'ms', how },
    { name: 'added by one policy, median', value: added(one), unit: 'ms', how },
    { name: 'added by ten policies, median', value: added(ten), unit: 'ms', how },
    { name: 'added by one webhook, median', value: added(hooked), unit: 'ms', how },
    {
      name: 'neighbour beside a webhook that hangs, median',
      value: ratio(({ writes: all }) => median(all)),
      unit: 'ratio',
      goal: NEIGHBOUR_GOAL,
      how: `${how}, ${besideHow}`,
    },
    {
      name: 'neighbour beside a webhook that hangs, p99',
      value: ratio(({ writes: all }) => percentile(all, 99)),
      unit: 'ratio',
      goal: NEIGHBOUR_GOAL,
      how: `${how}, ${besideHow}`,
    },
    {
      name: 'neighbour beside a webhook that hangs, a pod until it runs',
      value: ratio(({ pods }) => median(pods)),
      unit: 'ratio',
      goal: NEIGHBOUR_GOAL,
      how: `${quiet.pods.length} pods, median, ${besideHow}`,
    },
  ];
}

interface Taken {
  readonly writes: number[];
  readonly pods: number[];
}

/** By turns: what this machine gives changes within a minute. */
async function besideHanging(bench: Bench, hanging: BenchClient, neighbour: BenchClient) {
  const [quiet, beside]: [Taken, Taken] = [
    { writes: [], pods: [] },
    { writes: [], pods: [] },
  ];
  const look = async (taken: Taken) => {
    taken.writes.push(...(await times(bench.quick ? 5 : 200, () => write(neighbour))));
    taken.pods.push(...(await times(bench.quick ? 1 : 5, () => podThatRuns(neighbour))));
  };
  for (let round = 0; round < (bench.quick ? 1 : ROUNDS); round += 1) {
    await look(quiet);
    const stuck = Array.from({ length: HANGING_AT_ONCE }, () =>
      hanging.post(`${NAMESPACE}/secrets?dryRun=All`, secret()),
    );
    await setTimeout(200);
    await look(beside);
    await Promise.allSettled(stuck);
  }
  return { quiet, beside };
}

async function podThatRuns(client: BenchClient): Promise<void> {
  const metadata = { generateName: 'runs-' };
  const spec = { containers: [{ name: 'c', image: 'none' }], terminationGracePeriodSeconds: 0 };
  const pod = await client.post(`${NAMESPACE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const { name } = (JSON.parse(pod.body.toString()) as { metadata: { name: string } }).metadata;
  await untilRunning(client, name);
  await client.remove(`${NAMESPACE}/pods/${name}`);
}

async function untilRunning(client: BenchClient, name: string): Promise<void> {
  const deadline = Date.now() + POD_MS;
  while (!(await getOrFail(client, `${NAMESPACE}/pods/${name}`)).includes('"Running"')) {
    if (Date.now() > deadline) throw new Error(`the pod ${name} does not run`);
    await setTimeout(POLL_MS);
  }
}

async function write(client: BenchClient): Promise<void> {
  const { status, body } = await client.post(WRITES, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'bench' },
    data: { a: 'b' },
  });
  if (status !== 201) throw new Error(`a write was answered with ${status}: ${body.toString('utf8').slice(0, 500)}`);
}

function secret(): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bench' } };
}

async function created(client: BenchClient, path: string, object: unknown): Promise<void> {
  const { status, body } = await client.post(path, object);
  if (status !== 201)
    throw new Error(`POST ${path} was answered with ${status}: ${body.toString('utf8').slice(0, 500)}`);
}

/** A pod of a simulated node, whose ports are those of this machine, and a Service that leads to it. */
async function makeBackend(client: BenchClient, port: number): Promise<void> {
  const metadata = { name: SERVICE };
  const spec = { containers: [{ name: 'c', image: 'none' }] };
  await created(client, `${NAMESPACE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const ports = [{ port: 443 }];
  await created(client, `${NAMESPACE}/services`, { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports } });
  await created(client, '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: SERVICE, labels: { 'kubernetes.io/service-name': SERVICE } },
    addressType: 'IPv4',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['192.0.2.9'], targetRef: { kind: 'Pod', name: SERVICE, namespace: 'default' } }],
  });
  await untilRunning(client, SERVICE);
}

async function makePolicies(client: BenchClient, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 1) {
    const metadata = { name: `bench-${at}` };
    await created(client, `${GROUP}/validatingadmissionpolicies`, {
      ...META,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        matchConstraints: { resourceRules: [{ ...RULE, resources: ['configmaps'] }] },
        validations: [
          { expression: "object.metadata.name.matches('^[a-z0-9-]+$')" },
          { expression: 'object.data.all(k, object.data[k].size() < 1000)' },
        ],
      },
    });
    await created(client, `${GROUP}/validatingadmissionpolicybindings`, {
      ...META,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: `bench-${at}`, validationActions: ['Deny'] },
    });
  }
  await setTimeout(1_000);
}

/** In milliseconds, one after the other. */
async function times(count: number, work: () => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const startedMs = performance.now();
    await work();
    taken.push(performance.now() - startedMs);
  }
  return taken;
}

export const admission: LabScenario = { name: 'admission', title: 'A tenant’s own admission', run };
