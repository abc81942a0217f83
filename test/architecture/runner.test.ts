/**
 * Tests the test run itself with injected steps and reports: what has to turn it red, and what its last line says.
 */
import { describe, expect, it } from 'vitest';
import { nodeProblems } from '../runner/node-version.ts';
import { check, type Outcome, runSteps, type Step } from '../runner/outcome.ts';
import { projectOf, select } from '../runner/selection.ts';
import { countTests, type VitestRun } from '../runner/vitest-report.ts';

function step(name: string, outcome: Outcome): Step {
  return { name, run: async () => outcome };
}

async function run(...steps: Step[]): Promise<{ code: number; lines: string[]; last: string | undefined }> {
  const lines: string[] = [];
  const code = await runSteps(steps, (line) => lines.push(line));
  return { code, lines, last: lines.at(-1) };
}

describe('the summary of a run', () => {
  it('is green when something passed and nothing failed', async () => {
    const { code, last } = await run(step('lint', check([])), step('unit', { passed: 7, failed: 0, failures: [] }));
    expect({ code, last }).toEqual({ code: 0, last: '8 passed, 0 failed' });
  });

  it('is red when one step fails, names what failed, and still runs the steps after it', async () => {
    const { code, last, lines } = await run(step('lint', check(['a.ts is bad'])), step('types', check([])));
    expect({ code, last }).toEqual({ code: 1, last: '1 passed, 1 failed' });
    expect(lines).toContain('  ✗ lint: a.ts is bad');
  });

  it('is red when a step throws', async () => {
    const broken: Step = { name: 'layers', run: () => Promise.reject(new Error('no such tool')) };
    const { code, last, lines } = await run(broken, step('types', check([])));
    expect({ code, last }).toEqual({ code: 1, last: '1 passed, 1 failed' });
    expect(lines.join('\n')).toContain('layers: Error: no such tool');
  });

  it('is red when there was nothing to run', async () => {
    expect(await run()).toMatchObject({ code: 1, last: '0 passed, 1 failed' });
    const empty = step('unit', { passed: 0, failed: 0, failures: [] });
    expect(await run(empty)).toMatchObject({ code: 1, last: '0 passed, 1 failed' });
  });
});

interface FakeFile {
  readonly name?: string;
  readonly status?: string;
  readonly message?: string;
  readonly tests?: readonly string[];
}

function vitest(files: readonly FakeFile[], more: Partial<VitestRun> = {}): Outcome {
  const testResults = files.map(({ name = 'src/a.test.ts', status = 'passed', message = '', tests = [] }) => ({
    name: `/p/${name}`,
    status,
    message,
    assertionResults: tests.map((status, index) => ({ status, fullName: `test ${index + 1}` })),
  }));
  const report = JSON.stringify({ testResults });
  return countTests({ root: '/p', report, exitCode: 0, files: ['src/a.test.ts'], ...more });
}

describe('counting the tests of a project', () => {
  it('counts those that passed', () => {
    expect(vitest([{ tests: ['passed', 'passed'] }])).toEqual({ passed: 2, failed: 0, failures: [] });
  });

  it.each(['failed', 'skipped', 'pending', 'todo', 'something new'])('counts a test that is %s as failed', (status) => {
    const outcome = vitest([{ status: 'passed', tests: ['passed', status] }]);
    expect(outcome).toMatchObject({ passed: 1, failed: 1 });
    expect(outcome.failures[0]).toContain('src/a.test.ts > test 2');
  });

  it('fails for a file that does not load', () => {
    const outcome = vitest([{ status: 'failed', message: 'SyntaxError' }], { exitCode: 1 });
    expect(outcome).toEqual({ passed: 0, failed: 1, failures: ['src/a.test.ts: no test ran: SyntaxError'] });
  });

  it('fails for a file whose hook failed although its tests passed', () => {
    const outcome = vitest([{ status: 'failed', message: 'afterAll threw', tests: ['passed'] }]);
    expect(outcome).toEqual({ passed: 1, failed: 1, failures: ['src/a.test.ts: afterAll threw'] });
  });

  it('fails for a file that holds no test', () => {
    expect(vitest([{}])).toMatchObject({ passed: 0, failed: 1 });
  });

  it('fails for a file that was not run', () => {
    const outcome = vitest([{ tests: ['passed'] }], { files: ['src/a.test.ts', 'src/b.test.ts'] });
    expect(outcome).toEqual({ passed: 1, failed: 1, failures: ['src/b.test.ts: was not run'] });
  });

  it('fails when vitest failed for a reason that is no test', () => {
    expect(vitest([{ tests: ['passed'] }], { exitCode: 1 })).toMatchObject({ passed: 1, failed: 1 });
  });

  it.each([undefined, '', '{}', '[1]', '{"testResults":[{"name":1}]}'])('fails for the report %j', (report) => {
    expect(vitest([], { report })).toMatchObject({ passed: 0, failed: 1, failures: ['src/a.test.ts: was not run'] });
  });

  it('fails when the project has no test file', () => {
    expect(vitest([], { files: [] })).toMatchObject({ passed: 0, failed: 1 });
  });
});

const FILES = ['src/lib/duration.test.ts', 'test/architecture/size.test.ts', 'test/integration/verbs.test.ts'];
const ALL_STEPS = ['types', 'lint', 'layers', 'dead code'];

describe('choosing what to run', () => {
  it.each([
    { words: [], steps: ALL_STEPS, unit: FILES.slice(0, 2), integration: FILES.slice(2) },
    { words: ['static'], steps: ALL_STEPS, unit: undefined, integration: undefined },
    { words: ['dead-code', 'types'], steps: ['types', 'dead code'], unit: undefined, integration: undefined },
    { words: ['unit'], steps: [], unit: FILES.slice(0, 2), integration: undefined },
    { words: ['integration'], steps: [], unit: undefined, integration: FILES.slice(2) },
    { words: ['duration'], steps: [], unit: FILES.slice(0, 1), integration: undefined },
    { words: ['./test/integration/verbs.test.ts'], steps: [], unit: undefined, integration: FILES.slice(2) },
    { words: ['lint', 'size', 'verbs'], steps: ['lint'], unit: FILES.slice(1, 2), integration: FILES.slice(2) },
  ])('$words', ({ words, steps, unit, integration }) => {
    const selection = select(words, FILES);
    expect(selection.problems).toEqual([]);
    expect(selection.steps).toEqual(steps);
    expect(selection.files.get('unit')).toEqual(unit);
    expect(selection.files.get('integration')).toEqual(integration);
  });

  it('leaves what is slow to build to who asks for it, by name or by file', () => {
    const slow = 'test/clients/slow/kube-rs.test.ts';
    const files = [...FILES, slow];
    expect([...select([], files).files.keys()]).toEqual(['unit', 'integration', 'product']);
    expect(select([], files).problems).toEqual([]);
    for (const word of ['slow', 'kube-rs']) expect([...select([word], files).files]).toEqual([['slow', [slow]]]);
  });

  it.each(['nonsense', '--watch'])('refuses %s', (word) => {
    expect(select([word], FILES).problems).toHaveLength(1);
  });

  it('keeps a project that has no file, so that it fails', () => {
    expect(select(['integration'], FILES.slice(0, 2)).files.get('integration')).toEqual([]);
  });

  it('refuses test files that no project runs', () => {
    expect(select([], [...FILES, 'test/elsewhere/a.test.ts']).problems).toHaveLength(1);
    expect(select(['unit'], FILES).problems).toEqual([]);
  });

  it.each([
    ['src/a.test.ts', 'unit'],
    ['test/wire/http.test.ts', 'integration'],
    ['test/integration/a.test.ts', 'integration'],
    ['test/integration/kubectl/a.test.ts', 'product'],
    ['test/cli/package.test.ts', 'product'],
    ['test/isolation/deep/er.test.ts', 'product'],
    ['test/clients/go.test.ts', 'product'],
    ['test/clients/slow/kube-rs.test.ts', 'slow'],
    ['test/integration/elsewhere/a.test.ts', undefined],
    ['test/support/a.test.ts', undefined],
    ['src/a.ts', undefined],
  ])('%s belongs to %s', (path, project) => {
    expect(projectOf(path)).toBe(project);
  });
});

describe('the version of Node', () => {
  it.each(['24.12.0', '24.21.0', '26.0.0'])('%s will do', (running) => {
    expect(nodeProblems(running, '>=24.12')).toEqual([]);
  });

  it.each(['24.11.9', '22.30.0', '20.20.2'])('%s will not do', (running) => {
    expect(nodeProblems(running, '>=24.12')).toHaveLength(1);
  });

  it('is not guessed when package.json asks in another way', () => {
    expect(() => nodeProblems('24.21.0', '^24')).toThrow(TypeError);
  });
});
