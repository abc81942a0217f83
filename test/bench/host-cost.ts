/**
 * What the host's API server spends on a request of its own people: of a service account with a Role, in a namespace that is
 * no tenant's. A read, and a write that is not stored, which also passes the walls. Measured on a host with tenants and on
 * one without, it tells what their objects cost everybody else.
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
const REQUESTS = 2_000;
const WARM_UP = 400;
const ROUNDS = 8;
/** What tenants cost while nobody asks anything is no part of it. */
const IDLE_MS = 3_000;
const SETTLE_MS = 20_000;
/** At most 5 % more. */
const GOAL = 1.05;

const KINDS = ['read', 'write'] as const;
type Kind = (typeof KINDS)[number];

export interface HostUser extends AsyncDisposable {
  /** @returns milliseconds of the API server's CPU for each of so many requests */
  cost(kind: Kind, bench: Bench): Promise<number>;
  warmUp(): Promise<void>;
}

/** Milliseconds of CPU per request, one for each round. */
interface Cost {
  readonly without: number;
  readonly with: number;
}
export type HostCosts = Record<Kind, readonly Cost[]>;

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

  const asks = { read, write };
  return {
    async cost(kind, bench) {
      const requests = bench.quick ? 40 : REQUESTS;
      const idle = (await idleUse(pids, bench.quick ? 200 : IDLE_MS)).apiserver;
      const before = usedBy(pids).apiserver;
      const startedMs = performance.now();
      await spend(asks[kind], requests);
      const seconds = (performance.now() - startedMs) / 1_000;
      return ((usedBy(pids).apiserver - before - idle * seconds) * 1_000) / requests;
    },
    async warmUp() {
      await spend(read, WARM_UP);
      await spend(write, WARM_UP);
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/**
 * Two hosts by turns: what a processor gives changes within minutes on a shared machine by more than the goal, so that one
 * host before and after says nothing.
 */
export async function measureBoth(bench: Bench, hosts: { without: HostUser; with: HostUser }): Promise<HostCosts> {
  await sleep(bench.quick ? 200 : SETTLE_MS);
  await hosts.without.warmUp();
  await hosts.with.warmUp();
  const costs: Record<Kind, Cost[]> = { read: [], write: [] };
  for (let round = 0; round < (bench.quick ? 1 : ROUNDS); round += 1) {
    for (const kind of KINDS) {
      // Who is first is no better off.
      const inTurn = round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const);
      const cost = { without: 0, with: 0 };
      for (const side of inTurn) cost[side] = await hosts[side].cost(kind, bench);
      costs[kind].push(cost);
    }
  }
  return costs;
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

export function costFigures(tenants: number, costs: HostCosts): Figure[] {
  const rounds = costs.read.length;
  const how = `CPU of the API server per request of a service account of the host's own, ${CONNECTIONS} at a time, what it uses idle taken off; median of ${rounds} rounds`;
  return KINDS.flatMap((kind) => {
    const ratios = costs[kind].map((cost) => cost.with / cost.without);
    const without = costs[kind].map((cost) => cost.without);
    return [
      {
        name: `a ${kind} of the host's own, without tenants`,
        value: median(without),
        unit: 'ms' as const,
        how,
        rounds: without,
      },
      {
        name: `a ${kind} of the host's own, with tenants / without`,
        value: median(ratios),
        unit: 'ratio' as const,
        goal: GOAL,
        how: `a host with ${tenants} tenants and one without by turns, both with the proxy installed${kind === 'write' ? '; not stored (dry run), past the walls' : ''}; median of the ratios of ${rounds} rounds`,
        rounds: ratios,
      },
    ];
  });
}
