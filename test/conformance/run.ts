/**
 * `npm run conformance`: Kubernetes' own conformance tests, run by the administrator of a tenant through the proxy.
 *
 *   npm run conformance                        the tests of list.txt
 *   npm run conformance -- --focus 'ConfigMap' tests of the whole suite whose names fit this regular expression of Go
 *   npm run conformance -- --procs 6           as many at once (default 6)
 *   npm run conformance -- --report FOLDER     keeps Ginkgo's report and the logs of the suite and of the proxy
 *   npm run conformance -- --direct            against the control plane itself: tells a fault of the proxy from another
 *
 * Prints each test that did not pass, and as its last line `N of M`. Exits with 0 only when all passed, at least one ran,
 * and the host's audit log shows that they came through the proxy. See docs/conformance.md.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { untilSignal } from '../../src/cli/until-signal.ts';
import type { AuditProof } from './audit-proof.ts';
import { startCluster } from './cluster.ts';
import { focusOf, readList } from './list.ts';
import { outcomesOf, summaryOf } from './outcome.ts';
import { runSuite } from './suite.ts';
import { buildSuite } from './suite-build.ts';

const LIST = new URL('./list.txt', import.meta.url);

const { values } = parseArgs({
  options: {
    focus: { type: 'string' },
    procs: { type: 'string', default: '6' },
    report: { type: 'string' },
    direct: { type: 'boolean', default: false },
  },
});
const processes = Number(values.procs);
if (!Number.isInteger(processes) || processes < 1) throw new Error('--procs must be a whole number from 1');

const stopping = new AbortController();
void untilSignal().then(() => stopping.abort(new Error('stopped')));
process.exit((await run(stopping.signal)) ? 0 : 1);

/** @returns whether everything is as it should be */
async function run(signal: AbortSignal): Promise<boolean> {
  const progress = (line: string) => void process.stderr.write(`${line}\n`);
  const list = values.focus === undefined ? readList(readFileSync(LIST, 'utf8')) : undefined;
  const suite = await buildSuite(progress, signal);
  await using cluster = await startCluster(values.direct, progress, signal);
  progress('running the suite');
  const seen = await runSuite(suite, cluster, {
    focus: values.focus ?? focusOf(list ?? []),
    processes,
    keepIn: values.report === undefined ? undefined : resolve(values.report),
    signal,
  });
  const outcomes = list === undefined ? seen : outcomesOf(list, seen);
  const isProven = isThroughProxy(cluster.proof());
  console.log(summaryOf(outcomes));
  return isProven && outcomes.length > 0 && outcomes.every(({ state }) => state === 'passed');
}

/** Tells what the audit log says. */
function isThroughProxy(proof: AuditProof | undefined): boolean {
  if (proof === undefined) return true;
  console.log(`the host's audit log has ${proof.asTenant} requests of the proxy as the tenant`);
  for (const stray of proof.strays) console.log(`not through the proxy: ${stray}`);
  return proof.asTenant > 0 && proof.strays.length === 0;
}
