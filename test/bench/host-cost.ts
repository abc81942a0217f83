/**
 * What the host's API server spends on a request of its own people: of a service account with a Role, in a namespace that is
 * no tenant's. A read, and a write that is not stored, which also passes the walls. Measured before there are tenants and
 * after, it tells what their objects cost everybody else.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { must } from '../support/administrator.ts';
import { type BenchClient, openClient } from './client.ts';
import type { Figure } from './figures.ts';
import type { Lab } from './lab.ts';
import { idleUse, usedBy } from './process-usage.ts';
import type { Bench } from './scenario.ts';
import { median } from './statistics.ts';

const NAMESPACE = 'host-cost';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const CONNECTIONS = 4;
/** CPU is counted in steps of 10 ms, so one round takes hundreds of them. */
const REQUESTS = 4_000;
const ROUNDS = 5;
/** What tenants cost while nobody asks anything is no part of it. */
const IDLE_MS = 3_000;
const SETTLE_MS = 20_000;
/** At most 5 % more. */
const GOAL = 1.05;

/** Milliseconds of CPU per request, one for each round. */
export interface HostCost {
  readonly read: readonly number[];
  readonly write: readonly number[];
}

export interface HostUser extends AsyncDisposable {
  measure(bench: Bench): Promise<HostCost>;
}

/** Somebody of the host's own, with rights of their own. */
export async function hostUser(lab: Lab): Promise<HostUser> {
  const { admin, apiserverPid } = lab;
  const { server, caPem } = lab.controlPlane;
  const inNamespace = `/api/v1/namespaces/${NAMESPACE}`;
  const roles = `${RBAC}/namespaces/${NAMESPACE}`;
  await must(admin, 'POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await must(admin, 'POST', `${inNamespace}/serviceaccounts`, { metadata: { name: 'app' } });
  await must(admin, 'POST', `${inNamespace}/configmaps`, { metadata: { name: 'one' }, data: { a: 'b' } });
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create'] }];
  await must(admin, 'POST', `${roles}/roles`, { metadata: { name: 'app' }, rules });
  await must(admin, 'POST', `${roles}/rolebindings`, {
    metadata: { name: 'app' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'app' },
    subjects: [{ kind: 'ServiceAccount', name: 'app', namespace: NAMESPACE }],
  });
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } };
  const { status } = await must(admin, 'POST', `${inNamespace}/serviceaccounts/app/token`, asked);
  const { token } = status as { token: string };
  const client = openClient({ server, caPem }, { connections: CONNECTIONS, token });
  const read = () => client.get(`${inNamespace}/configmaps/one`);
  const write = () => client.post(`${inNamespace}/configmaps?dryRun=All`, { metadata: { name: 'two' } });
  const pids = { apiserver: apiserverPid };

  return {
    async measure(bench) {
      const requests = bench.quick ? 40 : REQUESTS;
      await sleep(bench.quick ? 200 : SETTLE_MS);
      await spend(read, 40);
      await spend(write, 40);
      const costs = { read: [] as number[], write: [] as number[] };
      for (let round = 0; round < (bench.quick ? 1 : ROUNDS); round += 1) {
        const idle = (await idleUse(pids, bench.quick ? 200 : IDLE_MS)).apiserver;
        for (const [name, ask] of [
          ['read', read],
          ['write', write],
        ] as const) {
          const before = usedBy(pids).apiserver;
          const startedMs = performance.now();
          await spend(ask, requests);
          const seconds = (performance.now() - startedMs) / 1_000;
          costs[name].push(((usedBy(pids).apiserver - before - idle * seconds) * 1_000) / requests);
        }
      }
      return costs;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

async function spend(ask: () => ReturnType<BenchClient['get']>, requests: number): Promise<void> {
  let left = requests;
  const run = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { status, body } = await ask();
      if (status > 299) throw new Error(`a request of the host's own was answered with ${status}: ${body}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, run));
}

export function costFigures(tenants: number, before: HostCost, after: HostCost): Figure[] {
  const how = `CPU of the API server per request of a service account of the host's own, ${CONNECTIONS} at a time, what it uses idle taken off; median of ${before.read.length} rounds`;
  return (['read', 'write'] as const).flatMap((name) => [
    {
      name: `a ${name} of the host's own, without tenants`,
      value: median(before[name]),
      unit: 'ms',
      how,
      rounds: before[name],
    },
    {
      name: `a ${name} of the host's own, with tenants / without`,
      value: median(after[name]) / median(before[name]),
      unit: 'ratio',
      goal: GOAL,
      how: `the same with ${tenants} tenants${name === 'write' ? ', not stored (dry run), past the walls' : ''}`,
    },
  ]);
}
