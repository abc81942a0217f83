/**
 * What a test run is asked to do: the words after `npm test --`. A word is the name of a step, `static` for all steps
 * but the tests, or a part of the path of test files. Nothing given means everything but what is slow to build.
 */

export const STATIC_STEPS = ['types', 'lint', 'layers', 'dead code'] as const;
/** `slow` is run when it is asked for, by its name or by a file of it. */
export const PROJECTS = ['unit', 'integration', 'product', 'slow'] as const;
const UNASKED = ['static', 'unit', 'integration', 'product'] as const;

export type StaticStep = (typeof STATIC_STEPS)[number];
export type Project = (typeof PROJECTS)[number];

export interface Selection {
  readonly steps: readonly StaticStep[];
  /** The test files to run, by project; a project that is absent is not run. */
  readonly files: ReadonlyMap<Project, readonly string[]>;
  /** What cannot be run: words that mean nothing, test files that no project would run. */
  readonly problems: readonly string[];
}

/** @returns the project that runs a test file (path from the root, with `/`), or undefined when none does */
export function projectOf(path: string): Project | undefined {
  if (/^(src|test\/(architecture|bench|conformance|tools))\/.*\.test\.ts$/.test(path)) return 'unit';
  if (/^test\/(integration|wire)\/[^/]*\.test\.ts$/.test(path)) return 'integration';
  if (/^test\/clients\/slow\/.*\.test\.ts$/.test(path)) return 'slow';
  if (/^test\/(isolation|cli|clients|integration\/(kubectl|input|differential))\/.*\.test\.ts$/.test(path))
    return 'product';
  return undefined;
}

/**
 * @param words the command line
 * @param testFiles every test file of the project, relative to its root
 */
export function select(words: readonly string[], testFiles: readonly string[]): Selection {
  const steps = new Set<StaticStep>();
  const chosen = new Set<string>();
  const whole = new Set<Project>();
  const problems = testFiles
    .filter((path) => projectOf(path) === undefined)
    .map((path) => `${path} belongs to no vitest project: see test/vitest.config.ts`);
  for (const word of words.length > 0 ? words : UNASKED) {
    const step = STATIC_STEPS.find((name) => name === word || name.replace(' ', '-') === word);
    const project = PROJECTS.find((name) => name === word);
    if (word === 'static') for (const name of STATIC_STEPS) steps.add(name);
    else if (step !== undefined) steps.add(step);
    else if (project !== undefined) whole.add(project);
    else {
      const found = word.startsWith('-') ? [] : testFiles.filter((path) => path.includes(word.replace(/^\.\//, '')));
      if (found.length === 0)
        problems.push(`'${word}' is neither a step (${describeSteps()}) nor part of a test file's path`);
      for (const path of found) chosen.add(path);
    }
  }
  const files = new Map<Project, string[]>();
  for (const project of PROJECTS) {
    const own = testFiles.filter((path) => projectOf(path) === project && (whole.has(project) || chosen.has(path)));
    if (own.length > 0 || whole.has(project)) files.set(project, own);
  }
  return { steps: STATIC_STEPS.filter((name) => steps.has(name)), files, problems };
}

function describeSteps(): string {
  return ['static', ...STATIC_STEPS.map((name) => name.replace(' ', '-')), ...PROJECTS].join(', ');
}
