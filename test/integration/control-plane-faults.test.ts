/**
 * A control plane of one's own can be broken on purpose, says clearly why it cannot start, and never leaves a process,
 * a port or a folder behind, however its owner ends.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControlPlaneOptions, startControlPlane } from '../../src/dev/control-plane.ts';
import { createKubeClient } from '../../src/dev/kube-client.ts';
import { canBind } from '../../src/dev/ports.ts';
import { adminClient, factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { eventually, livingInGroups } from '../support/processes.ts';

const SCRIPT = fileURLToPath(new URL('../support/control-plane-process.ts', import.meta.url));

let workDir: string;

beforeEach(() => {
  workDir = mkdtempSync(join(tmpdir(), 'kubeveil-test-'));
});

afterEach(() => {
  rmSync(workDir, { recursive: true, force: true });
});

function portOf(server: string): number {
  return Number(new URL(server).port);
}

/** Starts, fails, and returns the message. */
async function failure(options: Partial<ControlPlaneOptions>): Promise<string> {
  await using started = await startControlPlane({ workDir, ...options }).catch((error: Error) => ({
    message: error.message,
    async [Symbol.asyncDispose]() {},
  }));
  return 'message' in started ? started.message : `it started at ${started.server}`;
}

describe('a private control plane', () => {
  it('can be killed, restarted, frozen and thawed, and leaves nothing when it stops', async () => {
    const ended: string[] = [];
    await using controlPlane = await startPrivateControlPlane({ onUnexpectedExit: (program) => ended.push(program) });
    const before = controlPlane.programs();
    const groups = Object.values(before).map(({ pid }) => pid);
    expect(livingInGroups(groups)).toEqual(expect.arrayContaining(groups));

    const { server, caPem, admin } = controlPlane;
    const impatient = createKubeClient({ server, caPem, ...admin }, 1_000);
    const client = adminClient(factsOf(controlPlane));
    const path = '/api/v1/namespaces/default';
    expect(await client.send('GET', path)).toMatchObject({ status: 200 });

    controlPlane.freeze('kube-apiserver');
    await expect(impatient.send('GET', path)).rejects.toThrow(/aborted/);
    controlPlane.thaw('kube-apiserver');
    expect(await client.send('GET', path)).toMatchObject({ status: 200 });

    await controlPlane.kill('kube-apiserver');
    await expect(client.send('GET', path)).rejects.toThrow();
    await controlPlane.restart('kube-apiserver');
    expect(await client.send('GET', path)).toMatchObject({ status: 200 });
    expect(controlPlane.programs()['kube-apiserver'].pid).not.toBe(before['kube-apiserver'].pid);
    expect(ended).toEqual([]);

    process.kill(controlPlane.programs().kwok.pid, 'SIGKILL');
    await eventually('the exit of kwok is told', () => ended.includes('kwok'));

    const last = Object.values(controlPlane.programs()).map(({ pid }) => pid);
    controlPlane.freeze('etcd');
    client.close();
    impatient.close();
    await controlPlane.stop();
    expect(livingInGroups([...groups, ...last])).toEqual([]);
    expect(await canBind(portOf(server))).toBe(true);
    expect(existsSync(controlPlane.workDir)).toBe(false);
  });

  it.each([
    { how: 'in order on Ctrl-C', signal: 'SIGINT', code: 0, lastLine: 'stopped' },
    { how: 'even when its owner is killed', signal: 'SIGKILL', code: null, lastLine: undefined },
  ] as const)('ends $how', async ({ signal, code, lastLine }) => {
    // A group of its own, so that the signal reaches all of it, as the terminal's Ctrl-C does.
    const owner = spawn(process.execPath, [SCRIPT, workDir], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: owner.stdout })[Symbol.asyncIterator]();
    const { server, pids } = JSON.parse((await lines.next()).value ?? '') as { server: string; pids: number[] };
    expect(livingInGroups(pids)).toEqual(expect.arrayContaining(pids));

    const exited = once(owner, 'exit');
    process.kill(-(owner.pid as number), signal);
    expect((await exited)[0]).toBe(code);
    await eventually('every program is gone', () => livingInGroups(pids).length === 0);
    expect((await lines.next()).value).toBe(lastLine);
    // A killed program counts as gone a moment before its last thread lets go of the port.
    await eventually('the port is free', () => canBind(portOf(server)));

    // The folder of a dead owner may be used again.
    await using again = await startControlPlane({ workDir });
    expect(again.server).toMatch(/^https:/);
  });

  it('refuses a port that is taken and names the option', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const message = await failure({ ports: { apiserver: port } });
    holder.close();
    expect(message).toContain(`Port ${port} on 127.0.0.1 is already in use`);
    expect(message).toContain('ports.apiserver');
  });

  it('refuses a work folder that another one uses, and leaves that one alone', async () => {
    await using running = await startControlPlane({ workDir });
    expect(await failure({})).toContain(`process ${process.pid} already uses ${workDir}`);
    const client = adminClient(factsOf(running));
    expect(await client.send('GET', '/readyz')).toMatchObject({ status: 200 });
    client.close();
  });

  it('shows the end of the log of a program that does not start', async () => {
    const message = await failure({ extraArgs: { 'kube-apiserver': ['--no-such-flag'] } });
    expect(message).toContain('kube-apiserver ended with exit code 1');
    expect(message).toContain('unknown flag: --no-such-flag');
    expect(message).toContain(join(workDir, 'logs', 'kube-apiserver.log'));
    expect(message).not.toContain('it started');
  });
});
