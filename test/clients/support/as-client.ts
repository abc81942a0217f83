/**
 * Runs client programs as a tenant, the same as both tenants at once and under the same names, and looks through every
 * byte that they received for what is not theirs. Each tenant's programs plant a word of their own in all that they make.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { newKubeconfig, writePrivateFile } from '../../../src/onboarding/kubeconfig.ts';
import { asBoth, type TenantClient, type UsedProduct } from '../../support/as-tenant.ts';
import { type Forbidden, leaksIn } from '../../support/canary.ts';
import { openTap, type Tap } from './tap.ts';

/** For a program that hangs; never how long it is expected to take. */
const FAULT_MS = 170_000;
const MAX_BUFFER = 64 * 1024 * 1024;
const WORDS = { acme: 'zq7wordone', globex: 'zq7wordtwo' } as const;

export interface ClientUser {
  readonly tenant: TenantClient;
  /** In all that this tenant's programs make; in nothing that the other's receive. */
  readonly word: string;
  /** Through the tap, under the tenant's certificate. */
  readonly kubeconfigPath: string;
  /** A folder of this user's own, which goes with the test. */
  readonly home: string;
  /** A kubeconfig through the tap under another credential; its path. */
  kubeconfigWith(name: string, token: string): string;
  /** @returns standard output. @throws when the program fails, with what it wrote */
  run(file: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
}

/** What only the other tenant's programs have, as a leak. */
function foreignWord(id: string): Forbidden {
  return { what: 'of another tenant', pattern: new RegExp(id === 'acme' ? WORDS.globex : WORDS.acme) };
}

/** As both at once. @throws with what a client did not do, or received though it is not its own */
export function asClients<T>({ both, facts }: UsedProduct, act: (user: ClientUser) => Promise<T>): Promise<T[]> {
  return asBoth(both, async (tenant) => {
    const { certPem, keyPem } = tenant.facts;
    const home = mkdtempSync(join(tmpdir(), 'kubeveil-client-'));
    const tap = await openTap({ server: facts.server, caPem: facts.caPem, certPem, keyPem });
    try {
      const done = await act(userOf(tenant, tap, home));
      const received = tap.received();
      expect(received.length, 'the client received nothing').toBeGreaterThan(0);
      expect(leaksIn(received, [...tenant.forbidden, foreignWord(tenant.id)])).toEqual([]);
      return done;
    } finally {
      await tap[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    }
  });
}

function userOf(tenant: TenantClient, tap: Tap, home: string): ClientUser {
  const { certPem, keyPem } = tenant.facts;
  const cluster = { context: 'cluster', cluster: 'cluster', server: tap.server, caPem: tap.caPem };
  const write = (name: string, entry: Parameters<typeof newKubeconfig>[0]): string => {
    const path = join(home, `${name}.kubeconfig`);
    writePrivateFile(path, newKubeconfig(entry));
    return path;
  };
  const kubeconfigPath = write('admin', { ...cluster, user: 'admin', credential: { certPem, keyPem } });
  return {
    tenant,
    word: WORDS[tenant.id as keyof typeof WORDS],
    kubeconfigPath,
    home,
    kubeconfigWith: (name, token) => write(name, { ...cluster, user: name, credential: { token } }),
    run: (file, args, env = {}) =>
      runProgram(file, args, { KUBECONFIG: kubeconfigPath, HOME: home, TMPDIR: home, ...env }),
  };
}

function runProgram(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = { env: { PATH: process.env['PATH'], ...env }, maxBuffer: MAX_BUFFER, timeout: FAULT_MS };
  execFile(file, args, options, (error, stdout, stderr) => {
    if (error === null) resolve(stdout);
    else reject(new Error(`${[file, ...args].join(' ')}: ${error.message}\n${stdout}\n${stderr}`));
  });
  return promise;
}
