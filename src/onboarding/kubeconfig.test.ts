import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Entry, mergedKubeconfig, mergeIntoFile, newKubeconfig } from './kubeconfig.ts';

const ENTRY: Entry = {
  context: 'kubeveil-acme',
  cluster: 'kubeveil-acme',
  user: 'kubeveil-acme-ann',
  server: 'https://127.0.0.1:8443',
  caPem: 'the ca',
  credential: { certPem: 'the certificate', keyPem: 'the key' },
};

const MINE = `# what I use every day
apiVersion: v1
kind: Config
current-context: home
clusters:
  - name: home # at home
    cluster: { server: https://home:6443 }
  - name: kubeveil-acme
    cluster: { server: https://old:8443 }
users:
  - name: me
    user: { token: t }
contexts:
  - name: home
    context: { cluster: home, user: me }
preferences: { colors: true }
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeveil-kubeconfig-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function base64(plain: string): string {
  return Buffer.from(plain).toString('base64');
}

const CLUSTER = {
  name: 'kubeveil-acme',
  cluster: { server: 'https://127.0.0.1:8443', 'certificate-authority-data': base64('the ca') },
};
const USER = {
  name: 'kubeveil-acme-ann',
  user: { 'client-certificate-data': base64('the certificate'), 'client-key-data': base64('the key') },
};
const CONTEXT = { name: 'kubeveil-acme', context: { cluster: 'kubeveil-acme', user: 'kubeveil-acme-ann' } };

describe('a new kubeconfig', () => {
  it('holds one context, which is the current one, with everything inside', () => {
    expect(parse(newKubeconfig(ENTRY))).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [CLUSTER],
      users: [USER],
      contexts: [CONTEXT],
      'current-context': 'kubeveil-acme',
    });
  });

  it('may hold a token', () => {
    const { users } = parse(newKubeconfig({ ...ENTRY, credential: { token: 't' } }));
    expect(users).toEqual([{ name: 'kubeveil-acme-ann', user: { token: 't' } }]);
  });
});

describe('a merged kubeconfig', () => {
  it('has our entries, in place of old ones of their names, and all else as it was', () => {
    const text = mergedKubeconfig(MINE, 'mine', ENTRY);
    const merged = parse(text);
    expect(merged.clusters).toEqual([{ name: 'home', cluster: { server: 'https://home:6443' } }, CLUSTER]);
    expect(merged.users).toEqual([{ name: 'me', user: { token: 't' } }, USER]);
    expect(merged.contexts).toEqual([{ name: 'home', context: { cluster: 'home', user: 'me' } }, CONTEXT]);
    expect(merged).toMatchObject({ 'current-context': 'kubeveil-acme', preferences: { colors: true } });
    expect(text).toContain('# what I use every day');
    expect(text).toContain('# at home');
  });

  it('has a login at an issuer instead of a key', () => {
    const credential = { oidc: { issuer: 'https://id.example.com', clientId: 'kubeveil' } };
    const [{ user }] = parse(newKubeconfig({ ...ENTRY, credential })).users;
    expect(user.exec).toMatchObject({
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'kubectl',
      args: ['oidc-login', 'get-token', '--oidc-issuer-url=https://id.example.com', '--oidc-client-id=kubeveil'],
      interactiveMode: 'IfAvailable',
    });
  });

  it('is the same when it is merged twice', () => {
    const once = mergedKubeconfig(MINE, 'mine', ENTRY);
    expect(mergedKubeconfig(once, 'mine', ENTRY)).toBe(once);
  });

  it('may be of an empty file', () => {
    expect(parse(mergedKubeconfig('', 'mine', ENTRY))).toMatchObject({ kind: 'Config', clusters: [CLUSTER] });
  });

  it.each([
    ['a: [', 'mine is not valid YAML'],
    ['kind: Secret', 'mine is not a kubeconfig'],
    ['- a', 'mine is not a kubeconfig'],
  ])('is refused for %j', (text, message) => {
    expect(() => mergedKubeconfig(text, 'mine', ENTRY)).toThrow(message);
  });

  it('is a file that only its owner reads, and one that is no kubeconfig stays as it is', () => {
    const file = join(folder, 'deep', 'config');
    mergeIntoFile(file, ENTRY);
    expect(parse(readFileSync(file, 'utf8')).contexts).toEqual([CONTEXT]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, 'kind: Secret\n');
    expect(() => mergeIntoFile(file, ENTRY)).toThrow('not a kubeconfig');
    expect(readFileSync(file, 'utf8')).toBe('kind: Secret\n');
  });
});
