/**
 * The test run: `npm test`. Types, lint, layer rules and dead code, then the unit tests, then the tests against the
 * real control plane. Every step runs even if one before it failed, each counts, and the last line is
 * `N passed, N failed`. `npm test -- unit`, `npm test -- static` or `npm test -- names` (part of a path) run a part.
 * It refuses a Node older than package.json asks for, and counts whatever did not run as failed.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkLayers, layerProblems } from './architecture/layer-check.ts';
import { plainOutput, runTool } from './runner/command.ts';
import { nodeProblems } from './runner/node-version.ts';
import { check, type Outcome, runSteps, type Step } from './runner/outcome.ts';
import { type Project, type StaticStep, select } from './runner/selection.ts';
import { countTests } from './runner/vitest-report.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
const report = mkdtempSync(join(tmpdir(), 'kubeveil-test-'));

const STATIC: Readonly<Record<StaticStep, () => Promise<Outcome>>> = {
  types: () => tool('typescript/bin/tsc', ['-p', 'tsconfig.json', '--pretty', String(!plainOutput())]),
  lint: () =>
    tool('@biomejs/biome/bin/biome', [
      'ci',
      '--error-on-warnings',
      '--max-diagnostics=200',
      `--colors=${plainOutput() ? 'off' : 'force'}`,
    ]),
  layers: async () => {
    const layers = await checkLayers(root);
    console.log(`${layers.modules} modules read`);
    const problems = layerProblems(layers);
    for (const problem of problems) console.log(problem);
    return check(problems);
  },
  'dead code': () => tool('knip/bin/knip.js', []),
};

async function tool(entry: string, args: readonly string[]): Promise<Outcome> {
  const code = await runTool(root, entry, args);
  return check(code === 0 ? [] : [`${entry.split('/').at(-1)} ended with code ${code}: see its output above`]);
}

async function runProject(project: Project, files: readonly string[]): Promise<Outcome> {
  const reportFile = join(report, `${project}.json`);
  const exitCode =
    files.length === 0
      ? 0
      : await runTool(root, 'vitest/vitest.mjs', [
          'run',
          '--config=test/vitest.config.ts',
          `--project=${project}`,
          '--reporter=default',
          '--reporter=json',
          `--outputFile.json=${reportFile}`,
          ...files,
        ]);
  return countTests({ root, report: readIfThere(reportFile), exitCode, files });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function testFiles(): string[] {
  return ['src', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts'))
    .sort();
}

const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
console.log(`node ${process.version} (${engines.node} is needed)`);
const selection = select(process.argv.slice(2), testFiles());
const refused = [...nodeProblems(process.versions.node, engines.node), ...selection.problems];
const steps: Step[] = [
  ...(refused.length > 0 ? [{ name: 'set-up', run: async () => check(refused) }] : []),
  ...selection.steps.map((name) => ({ name, run: STATIC[name] })),
  ...[...selection.files].map(([project, files]) => ({ name: project, run: () => runProject(project, files) })),
];
process.exitCode = await runSteps(steps, (line) => console.log(line));
rmSync(report, { recursive: true, force: true });
