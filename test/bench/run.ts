/**
 * `npm run bench`: measures the proxy in front of a real control plane, both started by it on loopback and ended with it.
 *
 *   npm run bench                        every scenario
 *   npm run bench -- forwarded-get       one of them
 *   npm run bench -- --quick             small numbers: shows that they run, nothing else
 *   npm run bench -- --write             keeps the results: test/bench/results and docs/benchmarks.md
 *   npm run bench -- --tenants 1000      as many in a row (default 200), five times as many at once
 *   npm run bench -- scale --nodes 5000  as many nodes, and thirty times as many pods (default 500)
 *   npm run bench -- --profile FOLDER    CPU profiles of the proxy, with a summary
 *
 * Exits with 0 when everything was measured, whether or not a goal is met; with 1 when something failed.
 */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, isDisturbed, type Result } from './figures.ts';
import { startLab } from './lab.ts';
import { describeMachine, loadNow } from './machine.ts';
import { needProc } from './process-usage.ts';
import { machineLine, readReference, renderTable, writeDocument, writeResult } from './report.ts';
import type { Bench, LabScenario, Scenario } from './scenario.ts';
import { admission } from './scenarios/admission.ts';
import { authority } from './scenarios/authority.ts';
import { copy } from './scenarios/copy.ts';
import { forwardedGet } from './scenarios/forwarded-get.ts';
import { keystroke } from './scenarios/keystroke.ts';
import { largeList } from './scenarios/large-list.ts';
import { manyTenants } from './scenarios/many-tenants.ts';
import { memoryReads } from './scenarios/memory-reads.ts';
import { nodeAgents } from './scenarios/node-agents.ts';
import { noisyNeighbour } from './scenarios/noisy-neighbour.ts';
import { openStreams } from './scenarios/open-streams.ts';
import { scale } from './scenarios/scale.ts';
import { tenantCreate } from './scenarios/tenant-create.ts';
import { tenantsAtOnce } from './scenarios/tenants-at-once.ts';
import { watchers } from './scenarios/watchers.ts';

const SCENARIOS: readonly Scenario[] = [
  forwardedGet,
  memoryReads,
  watchers,
  largeList,
  nodeAgents,
  scale,
  tenantCreate,
  manyTenants,
  tenantsAtOnce,
  authority,
  admission,
  copy,
  keystroke,
  openStreams,
  noisyNeighbour,
];

interface Asked {
  readonly scenarios: readonly Scenario[];
  readonly bench: Bench;
  readonly write: boolean;
}

function readCommandLine(words: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      tenants: { type: 'string', default: '200' },
      nodes: { type: 'string', default: '500' },
      profile: { type: 'string' },
    },
  });
  const unknown = positionals.find((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown !== undefined) {
    throw new Error(`there is no scenario ${unknown}; there are ${SCENARIOS.map(({ name }) => name).join(', ')}`);
  }
  if (values.quick && values.write) throw new Error('--quick measures too little to be kept: leave out --write');
  const [tenants, nodes] = [Number(values.tenants), Number(values.nodes)];
  for (const [name, value] of Object.entries({ tenants, nodes })) {
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1`);
  }
  const profileFolder = values.profile === undefined ? undefined : resolve(values.profile);
  if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
  return {
    scenarios: positionals.length === 0 ? SCENARIOS : SCENARIOS.filter(({ name }) => positionals.includes(name)),
    bench: {
      quick: values.quick,
      tenants,
      nodes,
      profileFolder,
      progress: (line) => process.stderr.write(`bench: ${line}\n`),
    },
    write: values.write,
  };
}

/** Fires at Ctrl-C: the lab then ends as it does after a measurement. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => stopping.abort(new Error('stopped; nothing was kept of the scenario that ran')));
  }
  return stopping.signal;
}

async function measure(scenario: Scenario, bench: Bench, stopping: AbortSignal): Promise<Result> {
  const loadBefore = loadNow();
  if (isDisturbed(loadBefore) && !bench.quick) {
    bench.progress(`other programs keep this machine busy (load ${loadBefore}): do not trust these figures`);
  }
  bench.progress(`${scenario.name}: ${scenario.title}`);
  const figures = 'runAlone' in scenario ? await scenario.runAlone(bench) : await inLab(scenario, bench, stopping);
  const date = new Date().toISOString().slice(0, 10);
  return { scenario: scenario.name, date, machine: describeMachine(), loadBefore, figures };
}

async function inLab(scenario: LabScenario, bench: Bench, stopping: AbortSignal): Promise<Figure[]> {
  await using lab = await startLab(bench.progress, stopping);
  stopping.throwIfAborted();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  stopping.addEventListener('abort', () => reject(stopping.reason), { once: true });
  return await Promise.race([scenario.run(lab, bench), stopped]);
}

async function main(): Promise<void> {
  const { scenarios, bench, write } = readCommandLine(process.argv.slice(2));
  needProc();
  const stopping = stopSignal();
  process.stdout.write(`${machineLine(describeMachine())}\n`);
  for (const scenario of scenarios) {
    const result = await measure(scenario, bench, stopping);
    process.stdout.write(`\n${renderTable(scenario.title, result.figures, readReference(scenario.name))}\n`);
    if (write) writeResult(result);
  }
  if (write) writeDocument(SCENARIOS);
}

await main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
