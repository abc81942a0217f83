/**
 * Reads vitest's JSON report and counts it. Stricter than vitest's own verdict: a skipped or unfinished test, a file
 * that did not load or holds no test, a file that vitest never ran, and an exit code that the report does not explain
 * are failures. So a green run means that every test file ran, whole.
 * @see https://vitest.dev/guide/reporters#json-reporter
 */
import { relative } from 'node:path';
import { z } from 'zod';
import type { Outcome } from './outcome.ts';

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

export interface VitestRun {
  readonly root: string;
  /** The text of the report; undefined when vitest wrote none. */
  readonly report: string | undefined;
  readonly exitCode: number;
  /** The test files that had to run, relative to `root`. */
  readonly files: readonly string[];
}

/** Counts one run of vitest. A report that cannot be read is a failure, never an error. */
export function countTests(run: VitestRun): Outcome {
  const failures: string[] = [];
  let passed = 0;
  const ran = new Set<string>();
  for (const file of read(run.report)) {
    const path = relative(run.root, file.name).replaceAll('\\', '/');
    ran.add(path);
    const before = failures.length;
    for (const test of file.assertionResults) {
      if (test.status === 'passed') passed += 1;
      else failures.push(`${path} > ${test.fullName}${test.status === 'failed' ? '' : ` (${test.status})`}`);
    }
    if (file.assertionResults.length === 0) failures.push(`${path}: no test ran: ${file.message || 'it holds none'}`);
    else if (file.status !== 'passed' && failures.length === before)
      failures.push(`${path}: ${file.message || 'failed'}`);
  }
  if (run.files.length === 0) failures.push('there is no test file');
  failures.push(...run.files.filter((path) => !ran.has(path)).map((path) => `${path}: was not run`));
  if (run.exitCode !== 0 && failures.length === 0) {
    failures.push(`vitest ended with code ${run.exitCode} although no test failed: see its output above`);
  }
  return { passed, failed: failures.length, failures };
}

function read(report: string | undefined): z.infer<typeof Report>['testResults'] {
  if (report === undefined) return [];
  try {
    return Report.parse(JSON.parse(report)).testResults;
  } catch {
    // Every expected file then counts as not run.
    return [];
  }
}
