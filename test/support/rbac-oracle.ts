/**
 * Kubernetes' own RBAC authorizer as a program: it answers for worlds of roles and bindings that were never on an API
 * server, tens of thousands of questions in a second. Built from the module of the control plane, so it is of the same
 * version.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BUILD_ARGS, findGo, MIN_GO, runGo } from '../../src/dev/go-build.ts';
import { KUBERNETES_VERSION } from '../../src/dev/versions.ts';
import type { PolicyRule } from '../../src/k8s/rbac.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { cached } from '../clients/support/cached.ts';

const MODULE = fileURLToPath(new URL('../../deploy/dev-cluster', import.meta.url));

export interface OracleAnswer {
  readonly allowed: boolean;
  readonly rules?: readonly Partial<PolicyRule>[];
  readonly problem?: string;
}

export interface RbacOracle extends AsyncDisposable {
  /** @param world roles, bindings and questions, as `deploy/dev-cluster/rbac` reads them */
  answers(world: JsonObject): Promise<readonly OracleAnswer[]>;
}

/** @throws {Error} which says what to install, or the end of the compiler's output */
export async function startRbacOracle(): Promise<RbacOracle> {
  const go = await findGo();
  if ('reason' in go) {
    throw new Error(
      `Kubernetes' RBAC authorizer is built with Go ${MIN_GO} or newer (${go.reason}): https://go.dev/dl/`,
    );
  }
  const folder = await cached({
    kind: 'rbac',
    sources: join(MODULE, 'rbac'),
    also: [go.version, KUBERNETES_VERSION],
    make: (into) =>
      runGo(go, { args: [...BUILD_ARGS, '-ldflags', '-s -w', '-o', join(into, 'rbac'), './rbac'], moduleDir: MODULE }),
  });
  const child = spawn(join(folder, 'rbac'), { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async answers(world) {
      child.stdin.write(`${JSON.stringify(world)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the authorizer ended without an answer');
      return JSON.parse(value) as OracleAnswer[];
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
