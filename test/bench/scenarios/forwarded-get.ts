/** A GET through the proxy against the same GET sent to the API server, as an ordinary user of the host. */
import { type BareForwarder, startBareForwarder } from '../bare-forwarder-process.ts';
import { type Access, getOrFail, openClient } from '../client.ts';
import type { Figure } from '../figures.ts';
import { type Cost, type Latency, measureCost, measureLatency, send, type Ways } from '../forwarding.ts';
import type { Lab } from '../lab.ts';
import { takeProfile } from '../profile.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { createSubjects, hostUser, SUBJECTS, type Subject } from '../subjects.ts';

const AT_ONCE = 4;
const GOAL_RATIO = 0.35;
const GOAL_P50_MS = 0.7;
const GOAL_P99_MS = 3;

interface Numbers {
  readonly rounds: number;
  readonly warmup: number;
  readonly pairs: number;
  readonly requests: number;
}

const FULL: Numbers = { rounds: 5, warmup: 3_000, pairs: 600, requests: 3_000 };
const QUICK: Numbers = { rounds: 2, warmup: 100, pairs: 50, requests: 200 };

interface Protocol {
  readonly name: string;
  readonly http2: boolean;
}

const PROTOCOLS: readonly Protocol[] = [
  { name: 'HTTP/1.1', http2: false },
  { name: 'HTTP/2', http2: true },
];

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const tenant = await lab.onboard('acme');
  const host = await hostUser(lab);
  await createSubjects(lab, tenant);
  await using bare = await startBareForwarder(lab.folder, host, SUBJECTS[0]?.hostPath ?? '');
  const figures: Figure[] = [];
  for (const subject of SUBJECTS) {
    for (const protocol of PROTOCOLS)
      figures.push(...(await compare(lab, bench, { tenant, host, bare, subject, protocol })));
  }
  return figures;
}

interface Case {
  readonly tenant: Access;
  readonly host: Access;
  readonly bare: BareForwarder;
  readonly subject: Subject;
  readonly protocol: Protocol;
}

async function compare(lab: Lab, bench: Bench, compared: Case): Promise<Figure[]> {
  const { tenant, host, bare, subject, protocol } = compared;
  const numbers = bench.quick ? QUICK : FULL;
  const name = `${subject.name}, ${protocol.name}`;
  const clientOptions = { connections: AT_ONCE, http2: protocol.http2 };
  await using direct = openClient(host, clientOptions);
  await using forwarded = openClient(tenant, clientOptions);
  await using barely = openClient(bare.access, clientOptions);
  const ways: Ways = {
    direct: { client: direct, path: subject.hostPath },
    proxy: { client: forwarded, path: subject.tenantPath, pid: lab.proxy.pid },
    bare: { client: barely, path: subject.hostPath, pid: bare.pid },
  };
  const bytes = (await getOrFail(direct, subject.hostPath)).byteLength;

  bench.progress(`${name}: warming up`);
  for (const way of [ways.direct, ways.proxy, ways.bare]) await send(way, numbers.warmup, AT_ONCE);
  const latencies: Latency[] = [];
  const costs: Cost[] = [];
  for (let round = 1; round <= numbers.rounds; round++) {
    bench.progress(`${name}: round ${round} of ${numbers.rounds}`);
    latencies.push(await measureLatency(ways.direct, ways.proxy, numbers.pairs));
    costs.push(await measureCost(ways, lab.apiserverPid, numbers.requests, AT_ONCE));
  }
  await takeProfile(lab, bench, name, numbers.requests, () => send(ways.proxy, numbers.requests, AT_ONCE));
  return [...costFigures(name, bytes, costs, numbers), ...latencyFigures(name, latencies, numbers)];
}

function costFigures(name: string, bytes: number, costs: readonly Cost[], { rounds, requests }: Numbers): Figure[] {
  const how = `${bytes} bytes of JSON; /proc/<pid>/stat around ${requests} requests, ${AT_ONCE} at a time, less idle use; median of ${rounds} rounds`;
  const figure = (what: string, unit: Figure['unit'], of: (cost: Cost) => number): Figure => {
    const values = costs.map(of);
    return { name: `${name}: ${what}`, value: median(values), unit, how, rounds: values };
  };
  return [
    {
      ...figure('CPU of the proxy / of the API server asked directly', 'ratio', (c) => c.proxyMs / c.apiserverDirectMs),
      goal: GOAL_RATIO,
    },
    figure('CPU of the proxy / of a forwarder that does nothing', 'ratio', (cost) => cost.proxyMs / cost.bareMs),
    figure('CPU of the proxy per request', 'ms', (cost) => cost.proxyMs),
    figure('CPU of a forwarder that does nothing per request', 'ms', (cost) => cost.bareMs),
    figure('CPU of the API server per direct request', 'ms', (cost) => cost.apiserverDirectMs),
    figure('CPU of the API server per forwarded request', 'ms', (cost) => cost.apiserverForwardedMs),
  ];
}

function latencyFigures(name: string, latencies: readonly Latency[], { rounds, pairs }: Numbers): Figure[] {
  const how = `one request at a time, direct and forwarded by turns, ${pairs} pairs; median of ${rounds} rounds`;
  const figure = (what: string, of: (latency: Latency) => number): Figure => {
    const values = latencies.map(of);
    return { name: `${name}: ${what}`, value: median(values), unit: 'ms', how, rounds: values };
  };
  return [
    { ...figure('added latency p50', (one) => one.forwardedP50Ms - one.directP50Ms), goal: GOAL_P50_MS },
    { ...figure('added latency p99', (one) => one.forwardedP99Ms - one.directP99Ms), goal: GOAL_P99_MS },
    figure('direct latency p50', (one) => one.directP50Ms),
    figure('direct latency p99', (one) => one.directP99Ms),
  ];
}

export const forwardedGet: Scenario = {
  name: 'forwarded-get',
  title: 'A forwarded GET against a direct one',
  run,
};
