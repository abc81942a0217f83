/**
 * Compares one GET through the proxy with the same GET sent to the API server: what it adds in time, one request after
 * the other, and what it costs in CPU, some requests at a time. Both ways take turns, so that whatever else the machine
 * does meets both alike.
 */
import { type BenchClient, getOrFail } from './client.ts';
import { idleUse, usedBy } from './process-usage.ts';
import { median, percentile } from './statistics.ts';

export interface Way {
  readonly client: BenchClient;
  readonly path: string;
}

export interface Latency {
  readonly directP50Ms: number;
  readonly forwardedP50Ms: number;
  readonly directP99Ms: number;
  readonly forwardedP99Ms: number;
}

/** Sends one request at a time, direct and forwarded by turns, `pairs` of them. */
export async function measureLatency(direct: Way, forwarded: Way, pairs: number): Promise<Latency> {
  const directMs: number[] = [];
  const forwardedMs: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    // Who comes second finds warmer caches: by turns.
    const order = pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const which of order) {
      const { client, path } = which === 0 ? direct : forwarded;
      const startedMs = performance.now();
      await getOrFail(client, path);
      (which === 0 ? directMs : forwardedMs).push(performance.now() - startedMs);
    }
  }
  return {
    directP50Ms: median(directMs),
    forwardedP50Ms: median(forwardedMs),
    directP99Ms: percentile(directMs, 99),
    forwardedP99Ms: percentile(forwardedMs, 99),
  };
}

/** The ways of a request, with the process that forwards it; nobody does on the direct one. */
export interface Ways {
  readonly direct: Way;
  readonly proxy: Way & { readonly pid: number };
  readonly bare: Way & { readonly pid: number };
}

/** Milliseconds of CPU per request; what the processes use when idle is taken off. */
export interface Cost {
  readonly apiserverDirectMs: number;
  readonly apiserverForwardedMs: number;
  readonly proxyMs: number;
  readonly bareMs: number;
}

const IDLE_MS = 2_000;

/** Sends `requests` on each way, one way after the other, `atOnce` at a time. */
export async function measureCost(ways: Ways, apiserverPid: number, requests: number, atOnce: number): Promise<Cost> {
  const { direct, proxy, bare } = ways;
  const pids = { apiserver: apiserverPid, proxy: proxy.pid, bare: bare.pid };
  const idle = await idleUse(pids, IDLE_MS);

  async function perRequestMs(way: Way): Promise<Record<keyof typeof pids, number>> {
    const before = usedBy(pids);
    const startedMs = performance.now();
    await send(way, requests, atOnce);
    const seconds = (performance.now() - startedMs) / 1_000;
    const after = usedBy(pids);
    const cost = (name: keyof typeof pids) => ((after[name] - before[name] - idle[name] * seconds) * 1_000) / requests;
    return { apiserver: cost('apiserver'), proxy: cost('proxy'), bare: cost('bare') };
  }

  const byDirect = await perRequestMs(direct);
  const byProxy = await perRequestMs(proxy);
  const byBare = await perRequestMs(bare);
  return {
    apiserverDirectMs: byDirect.apiserver,
    apiserverForwardedMs: byProxy.apiserver,
    proxyMs: byProxy.proxy,
    bareMs: byBare.bare,
  };
}

/** @throws {Error} at the first answer that is no 200 */
export async function send(way: Way, requests: number, atOnce: number): Promise<void> {
  let left = requests;
  async function worker(): Promise<void> {
    while (left-- > 0) await getOrFail(way.client, way.path);
  }
  await Promise.all(Array.from({ length: atOnce }, worker));
}
