/**
 * Runs the set-up script in a made-up project with an npm that only pretends, and looks at what it asked npm for.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from './source-files.ts';

/** A hidden lockfile and a node program, as npm leaves them. */
const INSTALLS = 'mkdir -p node_modules/.bin; cp package-lock.json node_modules/.package-lock.json';
const BRINGS_NODE = 'printf "#!/bin/sh\\necho v24.21.0\\n" >node_modules/.bin/node; chmod +x node_modules/.bin/node';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kubeveil-setup-'));
  mkdirSync(join(root, 'src/dev'), { recursive: true });
  mkdirSync(join(root, 'fake'));
  copyFileSync(join(ROOT, 'src/dev/ensure-installed.mjs'), join(root, 'src/dev/ensure-installed.mjs'));
  writeLock('1.0.0');
  fakeNpm(`${INSTALLS}; ${BRINGS_NODE}`);
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function writeLock(version: string): void {
  const packages = {
    '': { name: 'made-up' },
    'node_modules/node': { version: '24.21.0', integrity: 'sha512-n' },
    'node_modules/a': { version, integrity: `sha512-${version}` },
    'node_modules/for-another-platform': { version: '1.0.0', optional: true },
  };
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
}

/** @param script what npm does, in sh; its arguments and PATH are noted first */
function fakeNpm(script: string): void {
  writeFileSync(join(root, 'fake/npm'), `#!/bin/sh\necho "$*" >>calls\necho "$PATH" >path\n${script}\n`);
  chmodSync(join(root, 'fake/npm'), 0o755);
}

function calls(): string[] {
  const file = join(root, 'calls');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').trim().split('\n');
}

function setUp(): Promise<{ code: number | null; output: string }> {
  const PATH = [join(root, 'fake'), join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const child = spawn(process.execPath, ['src/dev/ensure-installed.mjs'], { cwd: root, env: { ...process.env, PATH } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((done) => child.once('close', (code) => done({ code, output })));
}

describe('the set-up before npm start and npm test', () => {
  it('installs on a fresh clone, says so, and is silent and idle afterwards', async () => {
    const first = await setUp();
    expect(first).toMatchObject({ code: 0, output: expect.stringContaining('setting up: node_modules is missing') });
    expect(calls()).toEqual([expect.stringMatching(/^ci --include=dev /)]);
    expect(await setUp()).toEqual({ code: 0, output: '' });
    expect(calls()).toHaveLength(1);
    expect(existsSync(join(root, '.kubeveil/install.lock'))).toBe(false);
  });

  it('installs again when the lockfile has moved on', async () => {
    await setUp();
    writeLock('1.0.1');
    expect(await setUp()).toMatchObject({ code: 0, output: expect.stringContaining('node_modules/a is not what') });
    expect(calls()).toHaveLength(2);
  });

  it('installs again when the project’s own node is gone', async () => {
    await setUp();
    rmSync(join(root, 'node_modules/.bin/node'));
    expect(await setUp()).toMatchObject({
      code: 0,
      output: expect.stringContaining('node_modules/.bin/node is missing'),
    });
    expect(calls()).toHaveLength(2);
  });

  it('runs npm without the project’s own programs on PATH, because npm replaces them', async () => {
    await setUp();
    expect(readFileSync(join(root, 'path'), 'utf8')).toContain(join(root, 'fake'));
    expect(readFileSync(join(root, 'path'), 'utf8')).not.toContain(join(root, 'node_modules/.bin'));
  });

  it('lets the package node fetch its program where install scripts are switched off', async () => {
    fakeNpm(`if [ "$1" = ci ]; then ${INSTALLS}; else ${BRINGS_NODE}; fi`);
    expect(await setUp()).toMatchObject({ code: 0 });
    expect(calls()[1]).toMatch(/^rebuild node --ignore-scripts=false/);
  });

  it.each([
    { fault: 'npm fails', script: 'echo E404 >&2; exit 1', says: /E404\s+set-up failed: npm ci ended with code 1/ },
    { fault: 'npm leaves nothing behind', script: 'true', says: /missing or unfinished, although npm ci/ },
    { fault: 'the program node cannot be had', script: INSTALLS, says: /bin\/node is missing, not v24\.21\.0/ },
  ])('fails when $fault', async ({ script, says }) => {
    fakeNpm(script);
    expect(await setUp()).toMatchObject({ code: 1, output: expect.stringMatching(says) });
  });

  it('installs once when started twice at the same time', async () => {
    fakeNpm(`sleep 0.2; ${INSTALLS}; ${BRINGS_NODE}`);
    const runs = await Promise.all([setUp(), setUp()]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(calls()).toHaveLength(1);
  });

  it('takes over from a set-up that died', async () => {
    mkdirSync(join(root, '.kubeveil'));
    // The number of a process that cannot exist.
    writeFileSync(join(root, '.kubeveil/install.lock'), '2147483646');
    expect(await setUp()).toMatchObject({ code: 0 });
    expect(calls()).toHaveLength(1);
  });
});
