/**
 * Shows that each layer rule bites: in a tree made for the purpose, every layer imports all it may (no violation), then
 * one thing it may not (exactly that violation). That the rules hold for this project is the step `layers` of the run.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkLayers, layerProblems, layerRules, type Violation } from './layer-check.ts';
import { LAYERS, type Layer, PACKAGES } from './layers.ts';

const names = LAYERS.map((layer) => layer.name);
const npmPackages = [...PACKAGES.keys()].filter((name) => !name.startsWith('node:'));

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kubeveil-layers-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, lines: readonly string[]): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${lines.join('\n')}\n`);
}

/** A module that others may import: `src/<layer>/leaf.ts`, or a given file such as tenancy/names. */
function leafOf(layer: string): string {
  return layer.includes('/') ? `${layer}.ts` : `${layer}/leaf.ts`;
}

function mayImport(layer: Layer): string[] {
  return [layer.name, ...(layer.may === 'everything' ? names : layer.may)];
}

/** The smallest tree that breaks no rule and uses all that is allowed. */
function writeCleanTree(): void {
  write('package.json', ['{ "type": "module" }']);
  for (const name of [...npmPackages, 'left-pad']) {
    write(`node_modules/${name}/package.json`, [`{ "name": "${name}", "version": "1.0.0", "main": "index.js" }`]);
    write(`node_modules/${name}/index.js`, ['export const here = 1;']);
  }
  for (const layer of LAYERS) {
    const packages = [...PACKAGES].filter(([, layers]) => layers.includes(layer.name)).map(([name]) => name);
    for (const path of [layer.name, ...mayImport(layer)]) write(`src/${leafOf(path)}`, ['export interface Leaf {}']);
    write(`src/${layer.name}/uses.ts`, [
      ...mayImport(layer).map((name) => `import '../${leafOf(name)}';`),
      ...(layer.mayTypesOf ?? []).map((name) => `import type { Leaf } from '../${leafOf(name)}';`),
      ...packages.map((name) => `import '${name}';`),
    ]);
    write(`src/${layer.name}/uses.test.ts`, [`import '../cli/leaf.ts';`, `import 'left-pad';`]);
  }
}

/** Writes one faulty file for each rule, and returns what has to be found. */
function plantFaults(): Violation[] {
  const faults: Violation[] = [];
  function plant(rule: string, layer: string, line: string, to: string): void {
    const path = `src/${layer}/fault-${faults.length}.ts`;
    write(path, [line]);
    faults.push({ rule, from: path, to });
  }
  for (const layer of LAYERS) {
    if (layer.may === 'everything') continue;
    const allowed = [...mayImport(layer), ...(layer.mayTypesOf ?? [])];
    const forbidden = names.filter((name) => !allowed.includes(name));
    for (const name of forbidden) {
      const names = [`import '../${leafOf(name)}';`, `import type { Leaf } from '../${leafOf(name)}';`];
      for (const line of names) plant(`layer ${layer.name}`, layer.name, line, `src/${leafOf(name)}`);
    }
    for (const name of layer.mayTypesOf ?? []) {
      plant(`layer ${layer.name}, types only`, layer.name, `import '../${leafOf(name)}';`, `src/${leafOf(name)}`);
    }
  }
  for (const [name, layers] of PACKAGES) {
    const outside = names.find((layer) => !layers.includes(layer)) ?? '';
    const to = name.startsWith('node:') ? name.slice('node:'.length) : `node_modules/${name}/index.js`;
    plant(`package ${name}`, outside, `import '${name}';`, to);
  }
  plant('package without a row', 'cli', `import 'left-pad';`, 'node_modules/left-pad/index.js');
  plant('folder without a row', 'unheard-of', 'export interface Stray {}', 'test/architecture/layers.ts');
  plant('tests stay out of src', 'cli', `import './uses.test.ts';`, 'src/cli/uses.test.ts');
  plant('import that leads nowhere', 'cli', `import './nowhere.ts';`, './nowhere.ts');
  // A cycle is reported once, at the first of its files; of this one, only types make it.
  plant('cycle', 'cli', `import type { Leaf } from './turn.ts';`, 'src/cli/turn.ts');
  write('src/cli/turn.ts', [`import type { Leaf } from './fault-${faults.length - 1}.ts';`]);
  return faults;
}

function sorted(violations: readonly Violation[]): string[] {
  return violations.map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`).sort();
}

describe('layer rules', () => {
  it('let every layer import all that its row names', async () => {
    writeCleanTree();
    const report = await checkLayers(root);
    expect(sorted(report.violations)).toEqual([]);
    expect(report.modules).toBeGreaterThan(LAYERS.length);
    expect(report.modules).toBe(report.sources);
  });

  it('find every planted fault, and nothing else', async () => {
    writeCleanTree();
    const faults = plantFaults();
    const report = await checkLayers(root);
    expect(sorted(report.violations)).toEqual(sorted(faults));
  });

  it('each have a planted fault', () => {
    writeCleanTree();
    const planted = new Set(plantFaults().map((fault) => fault.rule));
    expect(layerRules().filter((rule) => !planted.has(rule.name ?? ''))).toEqual([]);
  });

  it('are not held by a tree of which nothing, or not all, was read', () => {
    expect(layerProblems({ modules: 3, sources: 3, violations: [] })).toEqual([]);
    for (const [modules, sources] of [
      [0, 0],
      [0, 3],
      [2, 3],
    ] as const) {
      expect(layerProblems({ modules, sources, violations: [] })).toHaveLength(1);
    }
    const violations = [{ rule: 'cycle', from: 'src/a.ts', to: 'src/b.ts' }];
    expect(layerProblems({ modules: 3, sources: 3, violations })).toEqual(['cycle: src/a.ts -> src/b.ts']);
  });

  it('name only layers that have a row, each once', () => {
    const named = [...LAYERS.flatMap(mayImport), ...[...PACKAGES.values()].flat()].map((name) => name.split('/')[0]);
    expect(named.filter((name) => !names.includes(name ?? ''))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('have no way from a layer back to itself', () => {
    const below = new Map(
      LAYERS.map((layer) => {
        const direct = [...mayImport(layer), ...(layer.mayTypesOf ?? [])].map((name) => name.split('/')[0] ?? '');
        return [layer.name, direct.filter((name) => name !== layer.name)];
      }),
    );
    // A layer is put once all that it may import is: those that never can be are in a circle, or above one.
    const put = new Set<string>();
    for (let before = -1; before !== put.size; ) {
      before = put.size;
      for (const [name, under] of below) if (under.every((one) => put.has(one))) put.add(name);
    }
    expect(names.filter((name) => !put.has(name))).toEqual([]);
  });
});
