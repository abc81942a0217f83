/**
 * Applies the layer table to a tree with dependency-cruiser and reports what breaks it. It also counts the modules it
 * saw, because a cruise that reads nothing reports no violation: with a TypeScript that the cruiser does not know,
 * it finds no module and is content.
 * @see https://github.com/sverweij/dependency-cruiser/blob/v18.7.2/doc/rules-reference.md
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { LAYERS, type Layer, PACKAGES } from './layers.ts';

export interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

export interface LayerReport {
  /** How many source files of `src` the cruiser read, tests included. */
  readonly modules: number;
  /** How many there are. */
  readonly sources: number;
  readonly violations: readonly Violation[];
}

const TEST_FILE = '\\.test\\.ts$';

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** `tenancy` -> the folder src/tenancy/ or the file src/tenancy.ts */
function layerPath(names: readonly string[]): string {
  return `^src/(${names.map(escapeRegex).join('|')})(/|\\.ts$|\\.mjs$)`;
}

function ruleOfLayer(layer: Layer): IForbiddenRuleType[] {
  if (layer.may === 'everything') return [];
  const types = layer.mayTypesOf ?? [];
  const from = { path: layerPath([layer.name]), pathNot: TEST_FILE };
  const allowed = [layer.name, ...layer.may];
  const rules: IForbiddenRuleType[] = [
    {
      name: `layer ${layer.name}`,
      severity: 'error',
      from,
      to: { path: '^src/', pathNot: layerPath([...allowed, ...types]) },
    },
  ];
  if (types.length > 0) {
    const to = { path: layerPath(types), pathNot: layerPath(allowed), dependencyTypesNot: ['type-only' as const] };
    rules.push({ name: `layer ${layer.name}, types only`, severity: 'error', from, to });
  }
  return rules;
}

function ruleOfPackage(name: string, layers: readonly string[]): IForbiddenRuleType {
  const builtin = name.startsWith('node:');
  const path = builtin ? `^(node:)?${name.slice('node:'.length)}$` : packagePath([name]);
  return {
    name: `package ${name}`,
    severity: 'error',
    from: { path: '^src/', pathNot: [TEST_FILE, layerPath(layers)] },
    to: { path },
  };
}

function packagePath(names: readonly string[]): string {
  return `(^|/)node_modules/(${names.map(escapeRegex).join('|')})/`;
}

/** The table as dependency-cruiser's rules. Names are what a violation is reported under. */
export function layerRules(): readonly IForbiddenRuleType[] {
  const packages = [...PACKAGES.keys()].filter((name) => !name.startsWith('node:'));
  const source = { path: '^src/', pathNot: TEST_FILE };
  return [
    ...LAYERS.flatMap(ruleOfLayer),
    ...[...PACKAGES].map(([name, layers]) => ruleOfPackage(name, layers)),
    {
      name: 'package without a row',
      severity: 'error',
      from: source,
      to: { path: '(^|/)node_modules/', pathNot: packagePath(packages) },
    },
    { name: 'tests stay out of src', severity: 'error', from: source, to: { path: `^test/|${TEST_FILE}` } },
    { name: 'import that leads nowhere', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
    { name: 'cycle', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
  ];
}

/** Files of `src`: the cruiser has to have read them all. */
function sourceFiles(root: string): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|mjs)$/.test(path))
    .map((path) => `src/${path.replaceAll('\\', '/')}`);
}

/** Files in folders that the table does not know. Not a rule of the cruiser, which judges imports only. */
function strays(sources: readonly string[]): Violation[] {
  const known = new RegExp(layerPath(LAYERS.map((layer) => layer.name)));
  return sources
    .filter((path) => !known.test(path))
    .map((from) => ({ rule: 'folder without a row', from, to: 'test/architecture/layers.ts' }));
}

/**
 * Checks the tree under `root`, which has a folder `src`.
 * @throws {Error} when the cruiser itself fails
 */
export async function checkLayers(root: string): Promise<LayerReport> {
  const { output } = await cruise(
    ['src'],
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: [...layerRules()] },
      tsPreCompilationDeps: true,
      doNotFollow: { path: ['node_modules', '^test/'] },
      moduleSystems: ['es6', 'tsd'],
    },
    {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  );
  const result = output as ICruiseResult;
  const sources = sourceFiles(root);
  const seen = new Set(result.modules.map((module) => module.source));
  return {
    modules: sources.filter((path) => seen.has(path)).length,
    sources: sources.length,
    violations: [
      ...strays(sources.filter((path) => !path.endsWith('.test.ts'))),
      ...result.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
    ],
  };
}

/** What is wrong, in one line each. A report of no modules is no good news. */
export function layerProblems({ modules, sources, violations }: LayerReport): string[] {
  const problems = violations.map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`);
  if (modules === 0 || modules !== sources) problems.push(`only ${modules} of ${sources} source files were read`);
  return problems;
}
