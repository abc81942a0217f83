/** How the program takes its call: help, exit codes, and messages that say what to do. Nothing here reaches a cluster. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { CLI, runCli } from '../support/cli.ts';
import { proxyKubeconfigPath, replicaArgs } from '../support/product.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(inject('controlPlane').workDir, 'calls-'));
});

describe('help', () => {
  it.each([
    [['--help'], /serve [\s\S]*dev [\s\S]*tenant [\s\S]*kubeconfig /],
    [['tenant', '--help'], /create [\s\S]*list [\s\S]*describe [\s\S]*delete /],
    [['serve', '--help'], /--listen <HOST:PORT>[\s\S]*--public-url <URL>[\s\S]*--policies <FOLDER>/],
    [['kubeconfig', '--help'], /--user <name>[\s\S]*--group <name\.\.\.>[\s\S]*--ttl <duration>/],
  ])('%j is printed, and is no fault', async (args, expected) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(expected);
  });

  it('has the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('a call that is wrong', () => {
  it.each([
    [['nonsense'], 'unknown command'],
    [['tenant', 'create'], 'missing required argument'],
    [['tenant', 'list', '-o', 'xml'], 'Allowed choices are table, json, yaml'],
    [['tenant', 'list', '--nonsense'], 'unknown option'],
    [['kubeconfig', 'acme', '--ttl', 'soon'], '--ttl'],
    [['tenant', 'create', 'acme', '--timeout', '5'], '--timeout'],
  ])('%j ends with 2 and says why', async (args, expected) => {
    const { code, stderr } = await runCli(args);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });
});

describe('a cluster that does not answer', () => {
  it.each(['serve', 'dev'])('keeps %s waiting no longer than until it is told to stop', async (command) => {
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const file = join(folder, `${command}.kubeconfig`);
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'a', cluster: { server: `https://127.0.0.1:${port}` } }],
        users: [{ name: 'a', user: { token: 'x' } }],
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
        'current-context': 'a',
      }),
    );
    const own = command === 'dev' ? ['--folder', join(folder, 'dev'), '--port', '0'] : ['--listen', '127.0.0.1:0'];
    const child = spawn(process.execPath, [CLI, command, '--kubeconfig', file, ...own], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    await once(server, 'connection');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    server.close();
  });
});

describe('a cluster that cannot be reached', () => {
  it('is told with where it was looked for', async () => {
    const { code, stderr } = await runCli(['tenant', 'list']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^kubeveil: there is no kubeconfig of the host cluster: give one with --kubeconfig, set KUBECONFIG/,
    );
  });

  it.each([
    ['missing.kubeconfig', undefined, 'cannot be read'],
    ['empty.kubeconfig', '{}', 'empty.kubeconfig'],
  ])('by %s is told with the file', async (name, text, expected) => {
    const file = join(folder, name);
    if (text !== undefined) writeFileSync(file, text);
    for (const args of [
      ['tenant', 'list'],
      ['serve', '--listen=127.0.0.1:0'],
    ]) {
      const { code, stderr } = await runCli([...args, '--kubeconfig', file], { cwd: folder });
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toContain(expected);
    }
  });

  it('since nothing listens there is told with the address', async () => {
    const file = join(folder, 'nobody.kubeconfig');
    const config = JSON.parse(readFileSync(proxyKubeconfigPath(inject('controlPlane')), 'utf8'));
    config.clusters[0].cluster.server = 'https://127.0.0.1:1';
    writeFileSync(file, JSON.stringify(config));
    const { code, stderr } = await runCli(['tenant', 'list', '--kubeconfig', file]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^kubeveil: .*(cannot be reached|127\.0\.0\.1:1)/);
  });
});

describe('serve', () => {
  const kubeconfig = () => proxyKubeconfigPath(inject('controlPlane'));

  it('does not begin on a port that is taken, and says which', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const args = [
      'serve',
      '--kubeconfig',
      kubeconfig(),
      `--listen=127.0.0.1:${port}`,
      ...replicaArgs(inject('product').server),
    ];
    const { code, stderr } = await runCli(args);
    holder.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`port ${port}`);
  });

  it.each([
    ['--listen=nowhere', 'HOST:PORT'],
    ['--public-url=http://plain.example.com', 'https'],
    ['--log-level=loud', '--log-level'],
    ['--policies=/no/such/folder', '/no/such/folder'],
  ])('does not begin with %s, and says why', async (flag, expected) => {
    const { code, stderr } = await runCli(['serve', '--kubeconfig', kubeconfig(), flag]);
    expect([1, 2]).toContain(code);
    expect(stderr.toLowerCase()).toContain(expected.toLowerCase());
  });

  it('does not begin with a policy file that is wrong, and says where', async () => {
    writeFileSync(join(folder, 'default.yaml'), 'apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\nprofile: lenient\n');
    const { code, stderr } = await runCli(['serve', '--kubeconfig', kubeconfig(), `--policies=${folder}`]);
    expect(code).toBe(1);
    expect(stderr).toContain('default.yaml:3');
  });
});
