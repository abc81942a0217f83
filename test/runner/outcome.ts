/**
 * What a step of the test run comes to, and how all of it is summed up. Only `passed` and `failed` exist: whatever did
 * not run counts as failed, so that the last line can be believed.
 */

export interface Outcome {
  /** Tests or checks that passed. */
  readonly passed: number;
  readonly failed: number;
  /** One line for each thing that failed, for the summary at the end. */
  readonly failures: readonly string[];
}

/** A named part of the test run. `run` may throw: that is one failure. */
export interface Step {
  readonly name: string;
  run(): Promise<Outcome>;
}

/** A check that is one yes or no. */
export function check(problems: readonly string[]): Outcome {
  return problems.length === 0 ? { passed: 1, failed: 0, failures: [] } : { passed: 0, failed: 1, failures: problems };
}

/**
 * Runs the steps one after the other, all of them even if some fail, and prints the summary.
 * @param print takes one line
 * @returns the exit code: 0 only if something passed and nothing failed
 */
export async function runSteps(steps: readonly Step[], print: (line: string) => void): Promise<0 | 1> {
  const table: string[] = [];
  const failures: string[] = [];
  let passed = 0;
  let failed = 0;
  for (const step of steps) {
    print(`\n── ${step.name} ──`);
    const started = performance.now();
    const outcome = await outcomeOf(step);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    passed += outcome.passed;
    failed += outcome.failed;
    failures.push(...outcome.failures.map((line) => `${step.name}: ${line}`));
    const verdict = outcome.failed === 0 ? 'ok  ' : 'FAIL';
    table.push(`${verdict} ${step.name}: ${outcome.passed} passed, ${outcome.failed} failed (${seconds} s)`);
  }
  if (passed + failed === 0) {
    failed = 1;
    failures.push('nothing was run');
  }
  print('\n── summary ──');
  for (const line of [...table, ...failures.map((failure) => `  ✗ ${failure}`)]) print(line);
  print(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function outcomeOf(step: Step): Promise<Outcome> {
  try {
    return await step.run();
  } catch (error) {
    return check([error instanceof Error ? (error.stack ?? error.message) : String(error)]);
  }
}
