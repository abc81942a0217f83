/**
 * The programs of clients that are not ours, built or installed from the package registries at pinned versions: those
 * written in Go from one module (`test/clients/go`), the Python client in an environment of its own.
 */
import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BUILD_ARGS, findGo, type GoTool, goEnvironment, MIN_GO, runGo } from '../../../src/dev/go-build.ts';
import { cached } from './cached.ts';

const run = promisify(execFile);
const GO_MODULE = fileURLToPath(new URL('../go', import.meta.url));
const PYTHON_SOURCES = fileURLToPath(new URL('../python', import.meta.url));
const OPERATOR = 'sigs.k8s.io/jobset';
const MIN_PYTHON_MINOR = 10;

/** Of a cold start on a busy machine, which downloads and compiles for minutes; for faults only. */
export const MAKING_MS = 1_500_000;

export interface GoPrograms {
  /** Ours, of client-go and controller-runtime. */
  readonly clients: string;
  readonly helm: string;
  /** The operator's own `main`. */
  readonly jobset: string;
  /** What the operator's authors give out with it. */
  readonly jobsetDefinition: string;
  readonly jobsetRole: string;
}

/** @throws {Error} which says what to install, or the end of the compiler's output */
export async function goPrograms(): Promise<GoPrograms> {
  const go = await findGo();
  if ('reason' in go) {
    throw new Error(
      `clients written in Go need Go ${MIN_GO} or newer (${go.reason}): install it from https://go.dev/dl/`,
    );
  }
  const folder = await cached({
    kind: 'go',
    sources: GO_MODULE,
    also: [go.version],
    make: (into) => makeGoPrograms(go, into),
  });
  const file = (name: string) => join(folder, name);
  return {
    clients: file('clients'),
    helm: file('helm'),
    jobset: file('jobset'),
    jobsetDefinition: file('definition.yaml'),
    jobsetRole: file('role.yaml'),
  };
}

async function makeGoPrograms(go: GoTool, folder: string): Promise<void> {
  // One after the other: they share most packages, which are then compiled once.
  for (const [name, goPackage] of [
    ['clients', '.'],
    ['helm', 'helm.sh/helm/v4/cmd/helm'],
    ['jobset', OPERATOR],
  ] as const) {
    await runGo(go, {
      args: [...BUILD_ARGS, '-ldflags', '-s -w', '-o', join(folder, name), goPackage],
      moduleDir: GO_MODULE,
    });
  }
  const { stdout } = await run(go.file, ['list', '-m', '-f', '{{.Dir}}', OPERATOR], {
    cwd: GO_MODULE,
    env: { ...process.env, ...goEnvironment() },
  });
  const components = join(stdout.trim(), 'config', 'components');
  copyFileSync(join(components, 'crd', 'bases', 'jobset.x-k8s.io_jobsets.yaml'), join(folder, 'definition.yaml'));
  copyFileSync(join(components, 'rbac', 'role.yaml'), join(folder, 'role.yaml'));
}

/** @returns the python of an environment that has the client. @throws {Error} which says what to install */
export async function pythonWithClient(): Promise<string> {
  const version = await pythonVersion();
  const folder = await cached({ kind: 'python', sources: PYTHON_SOURCES, also: [version], make: makeEnvironment });
  return join(folder, 'bin', 'python');
}

async function makeEnvironment(folder: string): Promise<void> {
  await run('python3', ['-m', 'venv', folder]);
  const requirements = join(PYTHON_SOURCES, 'requirements.txt');
  await run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '--no-input', '-r', requirements]);
}

async function pythonVersion(): Promise<string> {
  const wanted = `Python 3.${MIN_PYTHON_MINOR} or newer, with its modules venv and ensurepip`;
  try {
    const { stdout } = await run('python3', ['-c', 'import sys, venv, ensurepip; print(sys.version)']);
    const minor = Number(/^3\.(\d+)/.exec(stdout)?.[1]);
    if (minor >= MIN_PYTHON_MINOR) return stdout;
    throw new Error(`python3 is ${stdout.trim()}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`the Python client needs ${wanted}: install python3 and python3-venv (${message})`, {
      cause: error,
    });
  }
}
