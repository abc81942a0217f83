import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inClusterHost, readKubeconfig } from './host-connection.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeveil-host-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function kubeconfig(user: object, cluster: object = { server: 'https://10.0.0.1:6443/' }): string {
  const file = join(folder, 'config');
  const text = JSON.stringify({
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
  writeFileSync(file, text);
  return file;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

const READER = { as: 'reader' } as const;

describe('readKubeconfig', () => {
  it('finds server, CA and token', async () => {
    const cluster = { server: 'https://10.0.0.1:6443/', 'certificate-authority-data': base64('the ca') };
    const host = readKubeconfig(kubeconfig({ token: 't' }, cluster));
    expect(host).toMatchObject({ server: 'https://10.0.0.1:6443', caPem: 'the ca' });
    expect(await host.credentials.authorization(READER)).toBe('Bearer t');
  });

  it('finds a client certificate', async () => {
    const user = { 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') };
    const { credentials } = readKubeconfig(kubeconfig(user));
    expect(credentials.tls).toEqual({ cert: 'cert', key: 'key' });
    expect(await credentials.authorization(READER)).toBeUndefined();
  });

  it('reads a token file anew each time, beside the kubeconfig', async () => {
    writeFileSync(join(folder, 'token'), 'first\n');
    const { credentials } = readKubeconfig(kubeconfig({ tokenFile: 'token' }));
    expect(await credentials.authorization(READER)).toBe('Bearer first');
    writeFileSync(join(folder, 'token'), 'second\n');
    expect(await credentials.authorization(READER)).toBe('Bearer second');
  });

  it('says which token file is empty or gone, at the start and later', async () => {
    writeFileSync(join(folder, 'token'), 'first');
    const { credentials } = readKubeconfig(kubeconfig({ tokenFile: 'token' }));
    writeFileSync(join(folder, 'token'), '');
    await expect(credentials.authorization(READER)).rejects.toThrow(`${join(folder, 'token')} is empty`);
    expect(() => readKubeconfig(kubeconfig({ tokenFile: 'none' }))).toThrow(`${join(folder, 'none')} cannot be read`);
  });

  it.each([
    ['a plugin', kubeconfigOf({ exec: {} }), 'needs a plugin'],
    ['http', kubeconfigOf({ token: 't' }, { server: 'http://10.0.0.1' }), 'is not https'],
    ['an unchecked server', kubeconfigOf({ token: 't' }, unchecked()), 'skips the check'],
  ])('refuses %s', (_what, write, message) => {
    expect(() => readKubeconfig(write())).toThrow(message);
  });

  it('tells which context there is not', () => {
    expect(() => readKubeconfig(kubeconfig({ token: 't' }), 'y')).toThrow('has no context named "y"');
    expect(() => readKubeconfig(join(folder, 'nowhere'))).toThrow('cannot be read');
  });
});

describe('inClusterHost', () => {
  it('is nothing outside of a cluster', () => {
    expect(inClusterHost({})).toBeUndefined();
  });
});

function kubeconfigOf(user: object, cluster?: object): () => string {
  return () => kubeconfig(user, cluster);
}

function unchecked(): object {
  return { server: 'https://10.0.0.1', 'insecure-skip-tls-verify': true };
}
