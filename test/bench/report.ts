/** Results for people and for the next run: a table in the terminal, JSON files, and the tables of docs/benchmarks.md. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, isDisturbed, type Machine, type Result, shown, verdict } from './figures.ts';

const RESULTS = fileURLToPath(new URL('results/', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));
const BEGIN = '<!-- figures: written by `npm run bench -- --write` -->';
const END = '<!-- end of figures -->';

/** The committed result of a scenario: what a new one is compared with. */
export function readReference(scenario: string): Result | undefined {
  const file = resultFile(scenario);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : undefined;
}

export function writeResult(result: Result): void {
  const file = resultFile(result.scenario);
  mkdirSync(dirname(file), { recursive: true });
  const round = (_key: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
  writeFileSync(file, `${JSON.stringify(result, round, 2)}\n`);
}

export function renderTable(title: string, figures: readonly Figure[], reference: Result | undefined): string {
  const known = new Map(reference?.figures.map((figure) => [figure.name, figure]));
  const rows = figures.map((figure) => {
    const before = known.get(figure.name);
    return [
      figure.name,
      shown(figure.value, figure.unit),
      spread(figure),
      figure.goal === undefined ? '' : `<= ${shown(figure.goal, figure.unit)}`,
      verdict(figure),
      before === undefined ? '' : shown(before.value, before.unit),
    ];
  });
  const all = [['', 'value', 'rounds', 'goal', '', 'reference'], ...rows];
  const widths = all[0]?.map((_cell, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return [title, ...lines.map((line) => `  ${line.trimEnd()}`)].join('\n');
}

/** Puts the committed results of these scenarios into the document, between its marks. */
export function writeDocument(scenarios: ReadonlyArray<{ readonly name: string; readonly title: string }>): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/benchmarks.md has lost its marks: ${BEGIN} and ${END}`);
  const parts = scenarios.flatMap(({ name, title }) => {
    const result = readReference(name);
    return result === undefined ? [] : [markdown(title, result)];
  });
  writeFileSync(DOCUMENT, `${text.slice(0, begin)}${BEGIN}\n\n${parts.join('\n\n')}\n\n${text.slice(end)}`);
}

function markdown(title: string, result: Result): string {
  const hows = [...new Set(result.figures.map(({ how }) => how))];
  const rows = result.figures.map((figure) => {
    const { name, value, unit, how } = figure;
    const goal = figure.goal === undefined ? '' : `${shown(figure.goal, unit)}, ${verdict(figure)}`;
    return `| ${name} | ${shown(value, unit)} | ${spread(figure)} | ${goal} | ${hows.indexOf(how) + 1} |`;
  });
  const disturbed = isDisturbed(result.loadBefore)
    ? ['', '**Preliminary:** other programs kept the machine busy; times say little, ratios of CPU a little more.']
    : [];
  return [
    `### ${title}`,
    '',
    `\`npm run bench -- ${result.scenario}\`, ${result.date}. ${machineLine(result.machine)} Load before the run: ${result.loadBefore}.`,
    ...disturbed,
    '',
    '| figure | value | rounds | goal (at most) | made as |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...hows.map((how, index) => `${index + 1}. ${how}`),
  ].join('\n');
}

export function machineLine(machine: Machine): string {
  const { cpu, cores, memoryGib, system, node, kubernetes } = machine;
  return `${cpu}, ${cores} cores, ${memoryGib} GiB, ${system}; Node ${node}, Kubernetes ${kubernetes}.`;
}

/** The least and the greatest of the rounds. */
function spread({ rounds, unit }: Figure): string {
  if (rounds === undefined) return '';
  return `${shown(Math.min(...rounds), unit)} to ${shown(Math.max(...rounds), unit)}`;
}

function resultFile(scenario: string): string {
  return join(RESULTS, `${scenario}.json`);
}
