import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FindBinariesOptions, findBinaries } from './binaries.ts';
import { PROGRAMS, type ProgramName } from './versions.ts';

/** What each program says when asked for its version. */
const SAYS: Record<ProgramName, string> = {
  etcd: 'etcd Version: 3.6.13',
  'kube-apiserver': 'Kubernetes v1.36.3',
  'kube-controller-manager': 'Kubernetes v1.36.3',
  'kube-scheduler': 'Kubernetes v1.36.3',
  kwok: 'kwok version v0.8.0',
  kubectl: 'Client Version: v1.36.3',
  'dev-kubelet': 'dev-kubelet v2',
  'metrics-server': 'v0.9.0',
};
const kubectl = PROGRAMS.filter(({ name }) => name === 'kubectl');
const LOCAL = ['assets', 'path', 'cache'] as const;

let root: string;
let lines: string[];
let base: FindBinariesOptions & { readonly cacheDir: string };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kubeveil-binaries-'));
  lines = [];
  const progress = (line: string) => lines.push(line);
  base = { env: { PATH: join(root, 'path') }, cacheDir: join(root, 'cache'), progress, sources: LOCAL };
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Puts a program into a folder that says `text` when it runs. */
function put(folder: string, name: ProgramName, text = SAYS[name]): string {
  mkdirSync(join(root, folder), { recursive: true });
  const file = join(root, folder, name);
  writeFileSync(file, script(text), { mode: 0o755 });
  return file;
}

function script(text: string): string {
  return `#!/bin/sh\necho '${text}'\n`;
}

async function messageOf(options: FindBinariesOptions): Promise<string> {
  const outcome = await findBinaries(options).then(JSON.stringify, (error: Error) => error.message);
  return outcome;
}

describe('findBinaries on the machine', () => {
  it('takes KUBEBUILDER_ASSETS before PATH before the cache, each program by itself', async () => {
    for (const { name } of PROGRAMS) put('cache', name);
    const onPath = [put('path', 'etcd'), put('path', 'kwok')];
    const inAssets = put('assets', 'etcd');
    const env = { ...base.env, KUBEBUILDER_ASSETS: join(root, 'assets') };
    const found = await findBinaries({ ...base, env });
    expect(found).toMatchObject({ etcd: inAssets, kwok: onPath[1], kubectl: join(root, 'cache', 'kubectl') });
    expect(Object.keys(found)).toHaveLength(PROGRAMS.length);
    expect(await findBinaries(base)).toMatchObject({ etcd: onPath[0] });
    expect(lines).toEqual([]);
  });

  it.each([
    { what: 'of another version', text: 'Client Version: v1.32.4-dispatcher', says: 'is version 1.32.4-dispatcher' },
    { what: 'of another patch', text: 'Client Version: v1.36.2', says: 'is version 1.36.2' },
    { what: 'that is something else', text: 'hello', says: 'does not tell its version' },
  ])('passes over a kubectl on PATH $what', async ({ text, says }) => {
    const foreign = put('path', 'kubectl', text);
    const message = await messageOf({ ...base, programs: kubectl });
    expect(message).toContain(`${foreign} ${says}`);
    const own = put('cache', 'kubectl');
    expect(await findBinaries({ ...base, programs: kubectl })).toEqual({ kubectl: own });
  });

  it('passes over a file that does not run', async () => {
    const broken = put('path', 'kubectl');
    writeFileSync(broken, '#!/bin/sh\nexit 3\n');
    expect(await messageOf({ ...base, programs: kubectl })).toContain(`${broken} does not run`);
  });

  it('does without an optional program, and says so; a required one it does not do without', async () => {
    const required = PROGRAMS.filter(({ optional }) => !optional);
    for (const { name } of required) put('cache', name);
    expect(Object.keys(await findBinaries(base))).toHaveLength(required.length);
    expect(lines).toEqual([
      expect.stringMatching(/doing without dev-kubelet.*Go 1\.26.*exec/),
      expect.stringMatching(/doing without metrics-server.*Go 1\.26.*metrics/),
    ]);
    rmSync(join(root, 'cache', 'kwok'));
    await expect(findBinaries(base)).rejects.toThrow(/needs kwok,/);
  });

  it('lists the choices when nothing helps', async () => {
    const message = await messageOf(base);
    for (const text of [
      'kube-apiserver',
      '--kubeconfig FILE',
      'KUBEBUILDER_ASSETS',
      'PATH',
      join(root, 'cache'),
      'dl.k8s.io',
      'Go 1.26',
    ]) {
      expect(message).toContain(text);
    }
  });
});

describe('findBinaries over the network', () => {
  let server: Server;
  let served: string;
  let requests: string[];
  let online: FindBinariesOptions;

  beforeEach(async () => {
    served = script(SAYS.kubectl);
    requests = [];
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      const sum = createHash('sha256').update(script(SAYS.kubectl)).digest('hex');
      response.end(request.url?.endsWith('.sha256') ? sum : served);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    online = {
      ...base,
      sources: [...LOCAL, 'download'],
      releaseBases: { kubernetes: address, github: address, githubApi: address },
    };
  });

  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it('downloads into the cache once, and finds it there afterwards', async () => {
    const expected = { kubectl: join(base.cacheDir, 'kubectl') };
    expect(await findBinaries({ ...online, programs: kubectl })).toEqual(expected);
    expect(lines).toEqual([
      'downloading kubectl 1.36.3 ...',
      expect.stringMatching(/^done downloading kubectl 1\.36\.3 .*in \d+ s$/),
    ]);
    const count = requests.length;
    expect(await findBinaries({ ...online, programs: kubectl })).toEqual(expected);
    expect(requests).toHaveLength(count);
    expect(readdirSync(base.cacheDir)).toEqual(['kubectl']);
  });

  it('downloads once when asked twice at the same time', async () => {
    const both = await Promise.all([1, 2].map(() => findBinaries({ ...online, programs: kubectl })));
    expect(both[0]).toEqual(both[1]);
    expect(requests.filter((url) => url.endsWith('kubectl'))).toHaveLength(1);
  });

  it('refuses a wrong checksum and keeps nothing', async () => {
    served = script('Client Version: v6.6.6');
    const message = await messageOf({ ...online, programs: kubectl });
    expect(message).toContain('the download was not used');
    expect(existsSync(join(base.cacheDir, 'kubectl'))).toBe(false);
    expect(readdirSync(base.cacheDir)).toEqual([]);
  });

  it('asks a closed address once, not once per program', async () => {
    server.close();
    await once(server, 'close');
    const message = await messageOf(online);
    expect(message.match(/ECONNREFUSED/g)).toHaveLength(1);
  });

  it('says that there is no Go when a build is all that is left', async () => {
    const env = { PATH: join(root, 'path'), GOROOT: join(root, 'goroot') };
    put('goroot/bin', 'kubectl');
    writeFileSync(join(root, 'goroot/bin/go'), '#!/bin/sh\necho go1.20.1\n', { mode: 0o755 });
    const message = await messageOf({ ...online, env, goFolders: [], sources: ['build'], programs: kubectl });
    expect(message).toContain(`${join(root, 'goroot/bin/go')} is go1.20.1, needed is Go 1.26 or newer`);
  });
});
