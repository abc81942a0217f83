/**
 * The real control plane under the tests. As vitest's `globalSetup` of a project it starts ONE for the whole run and
 * hands its facts to the test files (`inject('controlPlane')`); when it cannot be had, the run fails: nothing is
 * skipped. Tests that break a control plane start a private one with `startPrivateControlPlane`.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  type PerServer,
  startControlPlane,
} from '../../src/dev/control-plane.ts';
import { createKubeClient, type KubeClient } from '../../src/dev/kube-client.ts';

/** What test files may know of the shared control plane; plain data, as it crosses to the test workers. */
export interface ControlPlaneFacts {
  readonly server: string;
  readonly caPem: string;
  readonly adminCertPem: string;
  readonly adminKeyPem: string;
  readonly adminKubeconfigPath: string;
  readonly caCertPath: string;
  readonly caKeyPath: string;
  readonly kubectlPath: string;
  readonly auditLogPath: string;
  readonly workDir: string;
  readonly nodes: readonly string[];
  readonly pids: PerServer<number>;
}

declare module 'vitest' {
  interface ProvidedContext {
    controlPlane: ControlPlaneFacts;
  }
}

/** vitest's entry. @returns the teardown, which ends the control plane and removes its folder */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const controlPlane = await startPrivateControlPlane({
    progress: (line) => process.stderr.write(`control plane: ${line}\n`),
    onUnexpectedExit: (program, error) => process.stderr.write(`control plane: ${program} ended: ${error.message}\n`),
  });
  project.provide('controlPlane', factsOf(controlPlane));
  return () => controlPlane.stop();
}

/**
 * Starts a control plane in a temporary folder, which `stop` (or `await using`) removes.
 * Takes about four seconds: share one among the tests of a file.
 */
export async function startPrivateControlPlane(
  options: Omit<ControlPlaneOptions, 'workDir'> = {},
): Promise<ControlPlane> {
  const workDir = await mkdtemp(join(tmpdir(), 'kubeveil-test-'));
  const removeFolder = () => rm(workDir, { recursive: true, force: true });
  let controlPlane: ControlPlane;
  try {
    controlPlane = await startControlPlane({ ...options, workDir });
  } catch (error) {
    await removeFolder();
    throw error;
  }
  const stop = async () => {
    await controlPlane.stop();
    await removeFolder();
  };
  return { ...controlPlane, stop, [Symbol.asyncDispose]: stop };
}

/** A client of the control plane as its administrator, for setting a test up and for looking at the outcome. */
export function adminClient(facts: ControlPlaneFacts): KubeClient {
  const { server, caPem, adminCertPem: certPem, adminKeyPem: keyPem } = facts;
  return createKubeClient({ server, caPem, certPem, keyPem });
}

/** The facts of any control plane, for helpers that take the shared one or a private one. */
export function factsOf(controlPlane: ControlPlane): ControlPlaneFacts {
  const { auditLogPath, admin } = controlPlane;
  if (auditLogPath === undefined) throw new TypeError('a control plane under test needs its audit log');
  const pids = Object.fromEntries(Object.entries(controlPlane.programs()).map(([name, { pid }]) => [name, pid]));
  return {
    server: controlPlane.server,
    caPem: controlPlane.caPem,
    adminCertPem: admin.certPem,
    adminKeyPem: admin.keyPem,
    adminKubeconfigPath: controlPlane.adminKubeconfigPath,
    caCertPath: controlPlane.caCertPath,
    caKeyPath: controlPlane.caKeyPath,
    kubectlPath: controlPlane.kubectlPath,
    auditLogPath,
    workDir: controlPlane.workDir,
    nodes: controlPlane.nodes,
    pids: pids as unknown as PerServer<number>,
  };
}
