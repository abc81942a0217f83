/**
 * What Ginkgo's JSON report says of each test.
 * @see https://onsi.github.io/ginkgo/#generating-machine-readable-reports
 */
import { isObject, type JsonObject } from '../../src/k8s/types.ts';

export interface TestOutcome {
  readonly name: string;
  /** Ginkgo's word: `passed`, `failed`, `skipped`, `timedout`, `panicked`, ...; `not run` when the report has no such test. */
  readonly state: string;
  /** Why it did not pass; empty when it did. */
  readonly message: string;
}

/** Every test that was started, in the order of the report. @throws {Error} when it is no report */
export function readReport(text: string): TestOutcome[] {
  const suites: unknown = JSON.parse(text);
  if (!Array.isArray(suites)) throw new Error('the report of the suite is not a list');
  return suites
    .filter(isObject)
    .flatMap((suite) => (Array.isArray(suite['SpecReports']) ? suite['SpecReports'] : []))
    .filter((spec): spec is JsonObject => isObject(spec) && spec['LeafNodeType'] === 'It')
    .map(outcomeOf)
    .filter(({ state }) => state !== 'skipped');
}

/** The outcome of each wanted test, once. One that skipped itself, or was never started, has not passed. */
export function outcomesOf(wanted: readonly string[], seen: readonly TestOutcome[]): TestOutcome[] {
  const byName = new Map(seen.map((outcome) => [outcome.name, outcome]));
  return wanted.map((name) => byName.get(name) ?? { name, state: 'not run', message: '' });
}

/** `79 of 79` is the last line. */
export function summaryOf(outcomes: readonly TestOutcome[]): string {
  const failed = outcomes.filter(({ state }) => state !== 'passed');
  const lines = failed.map(({ name, state, message }) => `${state}: ${name}\n${indent(message)}`);
  return [...lines, `${outcomes.length - failed.length} of ${outcomes.length}`].join('\n');
}

function outcomeOf(spec: JsonObject): TestOutcome {
  const above = Array.isArray(spec['ContainerHierarchyTexts']) ? spec['ContainerHierarchyTexts'] : [];
  const failure = isObject(spec['Failure']) ? spec['Failure'] : {};
  return {
    name: [...above, spec['LeafNodeText']].join(' '),
    state: String(spec['State']),
    message: typeof failure['Message'] === 'string' ? failure['Message'] : '',
  };
}

function indent(message: string): string {
  const [first = '', ...rest] = message.trim().slice(0, 1200).split('\n').slice(0, 12);
  return [first, ...rest].map((line) => `    ${line}`).join('\n');
}
