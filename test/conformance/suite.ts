/** One run of the suite by Ginkgo, in parallel processes, with what it reported. */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeExit, logTail, startChild } from '../../src/dev/child.ts';
import type { SuiteCluster } from './cluster.ts';
import { readReport, type TestOutcome } from './outcome.ts';
import type { Suite } from './suite-build.ts';

export interface RunOptions {
  /** A regular expression of Go over the names of tests. */
  readonly focus: string;
  readonly processes: number;
  /** Where Ginkgo's report and the logs are kept, if anywhere. */
  readonly keepIn: string | undefined;
  readonly signal: AbortSignal;
}

/** @returns every test that was started. @throws {Error} when none was, with the end of its output */
export async function runSuite(suite: Suite, cluster: SuiteCluster, options: RunOptions): Promise<TestOutcome[]> {
  const folder = join(cluster.folder, 'suite');
  mkdirSync(folder, { recursive: true });
  const logPath = join(folder, 'suite.log');
  const report = join(folder, 'report.json');
  const child = await startChild({
    name: 'ginkgo',
    file: suite.ginkgo,
    args: [
      `--procs=${options.processes}`,
      '--timeout=120m',
      '--no-color',
      `--focus=${options.focus}`,
      '--json-report=report.json',
      `--output-dir=${folder}`,
      suite.tests,
      '--',
      '--provider=skeleton',
      `--kubeconfig=${cluster.kubeconfigPath}`,
      `--kubectl-path=${cluster.kubectlPath}`,
      '--disable-log-dump',
      '--allowed-not-ready-nodes=-1',
    ],
    cwd: folder,
    logPath,
    // What it writes into a home (kubectl's caches) goes with the folder.
    env: { HOME: folder },
  });
  const abort = () => void child.kill();
  options.signal.addEventListener('abort', abort, { once: true });
  const status = await child.exited;
  options.signal.removeEventListener('abort', abort);
  options.signal.throwIfAborted();
  if (options.keepIn !== undefined) keep([logPath, report, cluster.logPath], options.keepIn);
  const outcomes = existsSync(report) ? readReport(readFileSync(report, 'utf8')) : [];
  if (outcomes.length > 0) return outcomes;
  throw new Error(`no test ran; the suite ended with ${describeExit(status)}:\n${logTail(logPath, 40)}`);
}

function keep(files: readonly (string | undefined)[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const file of files) {
    if (file !== undefined && existsSync(file)) copyFileSync(file, join(folder, file.split('/').at(-1) ?? file));
  }
}
