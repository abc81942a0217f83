#!/usr/bin/env node
/**
 * Makes a fresh clone ready to run: brings node_modules to what package-lock.json says.
 *
 * Runs before `npm start` and `npm test`, with whatever Node the machine has (20 or newer) and no packages at all,
 * so it is plain JavaScript. It compares the lockfile with the one npm keeps inside node_modules, runs `npm ci` only
 * when they differ, and makes sure that node_modules/.bin/node is the Node that the project asks for.
 * It refuses to go on with a half-finished installation.
 * @see https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json#hidden-lockfiles
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 20;
const PROGRESS_MS = 15_000;
const LOCK_POLL_MS = 500;

const root = fileURLToPath(new URL('../..', import.meta.url));
const ownBin = join(root, 'node_modules', '.bin');
const lockPath = join(root, '.kubeveil', 'install.lock');

/** @returns {Record<string, {version?: string, integrity?: string, optional?: boolean}>} packages by install path */
function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}

/** @returns {string | undefined} why node_modules has to be installed anew, or undefined when it is as it should be */
function staleReason() {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const hidden = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(hidden)) return 'node_modules is missing or unfinished';
  const present = packagesOf(hidden);
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const found = present[path];
    // An optional package is left out on platforms that it is not made for.
    if (found === undefined && entry.optional === true) continue;
    if (found?.version !== entry.version || found?.integrity !== entry.integrity) {
      return `${path} is not what package-lock.json asks for`;
    }
  }
  return nodeProblem(wanted['node_modules/node']?.version);
}

/** @returns {string | undefined} what is wrong with node_modules/.bin/node */
function nodeProblem(version) {
  if (version === undefined) return undefined;
  const run = spawnSync(join(ownBin, 'node'), ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' });
  const found = run.status === 0 ? run.stdout.trim() : 'missing';
  return found === `v${version}` ? undefined : `node_modules/.bin/node is ${found}, not v${version}`;
}

/** Runs npm with the machine's own Node: ours is among the files that npm replaces. Resolves to the exit code. */
function npm(...args) {
  const env = { ...process.env };
  for (const name of Object.keys(env).filter((key) => key.toUpperCase() === 'PATH')) {
    env[name] = (env[name] ?? '')
      .split(delimiter)
      .filter((folder) => resolve(folder) !== ownBin)
      .join(delimiter);
  }
  return new Promise((done) => {
    const started = Date.now();
    const child = spawn('npm', args, {
      cwd: root,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    });
    const progress = setInterval(() => {
      console.log(`  npm ${args[0]} is still at work (${Math.round((Date.now() - started) / 1000)} s)`);
    }, PROGRESS_MS);
    const end = (code) => {
      clearInterval(progress);
      done(code);
    };
    child.on('error', (error) => {
      console.error(`could not start npm: ${error.message}`);
      end(127);
    });
    child.on('close', (code) => end(code ?? 1));
  });
}

function fail(message) {
  console.error(`\nset-up failed: ${message}`);
  process.exit(1);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Two set-ups at once (`npm start` and `npm test` on a fresh clone) would delete each other's files: the second waits. */
async function takeLock() {
  mkdirSync(join(root, '.kubeveil'), { recursive: true });
  for (let told = false; ; told = true) {
    try {
      writeFileSync(lockPath, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = existsSync(lockPath) ? Number(readFileSync(lockPath, 'utf8')) : 0;
    if (holder > 0 && !isAlive(holder)) {
      unlinkSync(lockPath);
      continue;
    }
    if (!told) {
      console.log(`waiting for the set-up of this folder by process ${holder}; if there is none, delete ${lockPath}`);
    }
    await new Promise((done) => setTimeout(done, LOCK_POLL_MS));
  }
  process.on('exit', () => unlinkSync(lockPath));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
}

async function install(reason) {
  console.log(`setting up: ${reason}; installing the packages of package-lock.json (about 400 MB, once)`);
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const code = await npm('ci', '--include=dev', ...quiet);
  if (code !== 0) {
    fail(
      `npm ci ended with code ${code}. See its message above, check that the package registry can be reached, and try again.`,
    );
  }
  // Where install scripts are switched off, the package `node` has not fetched its program. It is the only one here
  // that has such a script, so it alone is run.
  if (nodeProblem(packagesOf(join(root, 'package-lock.json'))['node_modules/node']?.version) !== undefined) {
    await npm('rebuild', 'node', '--ignore-scripts=false', ...quiet);
  }
  const still = staleReason();
  if (still !== undefined) fail(`${still}, although npm ci reported success. Delete node_modules and try again.`);
  console.log('setting up: packages are in place');
}

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  fail(
    `this is Node ${process.versions.node}; Node ${OLDEST_NODE} or newer is needed to install the one that the project uses.`,
  );
}
if (staleReason() !== undefined) {
  await takeLock();
  const reason = staleReason();
  if (reason !== undefined) await install(reason);
}
