/**
 * Tests what is published, not what is in the tree: packs the package, installs it into an empty folder, and runs the
 * program from there. Its dependencies come from npm's cache as far as they are in it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

let folder: string;
let packed: string[];

/** Runs a program with the Node of this test first on PATH. Throws, with its output, when it fails. */
function run(program: string, args: readonly string[], cwd: string): string {
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  return execFileSync(program, args, { cwd, env: { ...process.env, PATH }, encoding: 'utf8', stdio: 'pipe' });
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeveil-package-'));
  run('npm', ['run', 'build', '--silent'], root);
  // The build is done: `prepack` would do it again, and print among the JSON.
  const report = run('npm', ['pack', '--ignore-scripts', '--json', `--pack-destination=${folder}`], root);
  const [{ files, filename }] = JSON.parse(report) as [{ filename: string; files: { path: string }[] }];
  packed = files.map(({ path }) => path);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', `./${filename}`], folder);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the published package', () => {
  it('holds the program, the manifests, the policies and the licence', () => {
    expect(packed).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/cli.js']));
    expect(packed).toContainEqual(expect.stringMatching(/^deploy\/.+\.yaml$/));
    expect(packed).toContainEqual(expect.stringMatching(/^policies\/.+\.yaml$/));
  });

  it('holds no test and no source', () => {
    expect(packed.filter((path) => /\.test\.|^(src|test)\/|^dist\/.*(?<!\.d)\.ts$/.test(path))).toEqual([]);
  });

  it('installs none of the tools that the project is built with', () => {
    const installed = readdirSync(join(folder, 'node_modules'));
    expect(installed).toEqual(expect.arrayContaining(['kubeveil', 'undici']));
    expect(installed.filter((name) => ['node', 'typescript', 'vitest', 'knip', '@biomejs'].includes(name))).toEqual([]);
  });

  it('has a program that tells its version and its commands', () => {
    const kubeveil = join(folder, 'node_modules/.bin/kubeveil');
    expect(run(kubeveil, ['--version'], folder).trim()).toBe(version);
    const help = run(kubeveil, ['--help'], folder);
    for (const command of ['serve', 'dev', 'tenant', 'kubeconfig']) expect(help).toContain(command);
  });

  it('has a program that refuses what it does not know', () => {
    expect(() => run(join(folder, 'node_modules/.bin/kubeveil'), ['fly'], folder)).toThrow(/unknown command/);
  });
});
