/**
 * All that a kubectl does inside of pods, as both tenants at once: exec with and without a terminal, attach, logs,
 * port-forward, cp, debug and run. For kubectls of several versions, which speak by other protocols unless told.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { asBoth, type TenantClient, type UsedProduct } from '../../support/as-tenant.ts';
import { kubectlEnvironment } from '../../support/kubectl.ts';
import { type PodServer, startAnsweringAtTheEnd } from '../../support/pod-server.ts';
import { eventually } from '../../support/processes.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const PROTOCOLS = [
  ['the protocol that it prefers', 'own', {}],
  ['WebSocket', 'websocket', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'true', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'true' }],
  ['SPDY', 'spdy', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
] as const;

export interface StreamsOf {
  readonly product: UsedProduct;
  /** Of nobody else. */
  readonly namespace: string;
  /** The control plane's own where it is undefined; asked for once the tests run. */
  readonly program: () => string | undefined;
}

/** Sees to the pod, and has the tests. */
export function describeStreams({ product: { both }, namespace: NS, program }: StreamsOf): void {
  let server: PodServer;
  let port: number;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubeveil-kubectl-'));
    server = await startAnsweringAtTheEnd();
    ({ port } = server);
    await asBoth(both, async (tenant) => {
      await tenant.kubectl(`create namespace ${NS}`);
      await tenant.kubectl(`run one -n ${NS} --image=none`);
      await tenant.kubectl(`wait pod/one -n ${NS} --for=condition=Ready --timeout=120s`);
    });
  });

  afterAll(async () => {
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  describe.each(PROTOCOLS)('by %s', (_name, word, env) => {
    const options = () => ({ env, program: program() });

    function sit(tenant: TenantClient, args: string): Terminal {
      const { kubeconfigPath } = tenant.facts;
      const kubectl = program() ?? inject('controlPlane').kubectlPath;
      const all = [`--kubeconfig=${kubeconfigPath}`, '-n', NS, ...args.split(' ')];
      return openTerminal(kubectl, all, kubectlEnvironment(kubeconfigPath, env));
    }

    /** Who sits at it sees its size, and its new one when it changes. */
    async function hasSizes(terminal: Terminal): Promise<void> {
      for (const [rows, columns] of [
        [31, 97],
        [42, 120],
      ] as const) {
        terminal.resize(rows, columns);
        // Asked until it has come through: it travels beside the input.
        const asking = setInterval(() => terminal.type('stty size\n'), 200);
        await terminal.until(new RegExp(`${rows} ${columns}\\r`)).finally(() => clearInterval(asking));
      }
    }

    it('exec tells outputs and codes apart, and takes input', async () => {
      await asBoth(both, async (tenant) => {
        const ran = await tenant.run(`exec -i one -n ${NS} -- sh -c 'cat; echo bad >&2; exit 9'`, {
          ...options(),
          stdin: 'sent',
        });
        expect(ran).toMatchObject({ code: 9, stdout: 'sent' });
        expect(ran.stderr).toContain('bad');
      });
    });

    it('exec at a terminal has its size, and ends with the program’s code', async () => {
      await asBoth(both, async (tenant) => {
        await using terminal = sit(tenant, 'exec -it one -- sh');
        await hasSizes(terminal);
        terminal.type('exit 6\n');
        expect(await terminal.ended).toBe(6);
        tenant.mustBeClean(terminal.text());
      });
    });

    it('run at a terminal speaks with the pod, and takes it away', async () => {
      const pod = `passing-${word}`;
      await asBoth(both, async (tenant) => {
        await using terminal = sit(tenant, `run ${pod} -it --rm --image=none`);
        await hasSizes(terminal);
        terminal.type('echo in-a-$((6*7))\n');
        await terminal.until(/in-a-42/);
        terminal.type('exit\n');
        await terminal.until(new RegExp(`pod "${pod}" deleted`));
        expect(await terminal.ended).toBe(0);
        tenant.mustBeClean(terminal.text());
        await eventually('the pod is gone', async () =>
          (await tenant.run(`get pod ${pod} -n ${NS}`)).stderr.includes('not found'),
        );
      });
    });

    it('attach and logs', async () => {
      await asBoth(both, async (tenant) => {
        const stdin = 'echo attached\nexit\n';
        // Of a shell that ends at once the last words are lost now and then, also without the proxy.
        await vi.waitFor(async () => {
          expect(await tenant.kubectl(`attach -i one -n ${NS}`, { ...options(), stdin })).toContain('attached');
        });
        const script = `exec one -n ${NS} -- sh -c 'echo "2026-01-01T10:00:00Z first" > log'`;
        await tenant.kubectl(script, options());
        await using following = tenant.follow(`logs -f one -n ${NS}`, options());
        await following.line((line) => line === 'first');
        await tenant.kubectl(script.replace('first" >', 'second" >>'), options());
        await following.line((line) => line === 'second');
      });
    });

    it('port-forward has connections at once, and sides that have said their last', async () => {
      await asBoth(both, async (tenant) => {
        await using forwarding = tenant.follow(`port-forward one -n ${NS} :${port}`, options());
        const line = await forwarding.line((text) => text.startsWith('Forwarding from 127.0.0.1:'));
        const local = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
        const said = await Promise.all(['a', 'b', 'c'].map((text) => saidTo(local, text)));
        expect(said).toEqual(['all: a', 'all: b', 'all: c']);
      });
    });

    it('cp brings a file there and back', async () => {
      const bytes = randomBytes(2_000_000);
      await writeFile(join(folder, 'there'), bytes);
      await asBoth(both, async (tenant) => {
        const back = join(folder, `back-${tenant.id}`);
        await tenant.kubectl(`cp ${join(folder, 'there')} ${NS}/one:file`, options());
        await tenant.kubectl(`cp ${NS}/one:file ${back}`, options());
        expect((await readFile(back)).equals(bytes)).toBe(true);
      });
    });

    it('debug speaks with a container beside', async () => {
      const stdin = 'echo in a container\nexit\n';
      await asBoth(both, async (tenant) => {
        let tries = 0;
        await vi.waitFor(async () => {
          const container = `beside-${word}-${tries++}`;
          const debug = `debug one -n ${NS} -i --profile=baseline --image=none --container=${container}`;
          expect(await tenant.kubectl(debug, { ...options(), stdin })).toContain('in a container');
        });
      });
    });
  });
}

/** Everything that comes, after the text and the end were sent. */
async function saidTo(local: number, text: string): Promise<string> {
  const client = connect({ port: local, host: '127.0.0.1', allowHalfOpen: true });
  client.end(text);
  let all = '';
  for await (const piece of client) all += piece;
  return all;
}
