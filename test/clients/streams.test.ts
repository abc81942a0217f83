/**
 * Streams into pods by clients that are not kubectl: the JavaScript client in this very process, the Python client by
 * `test/clients/python/streams.py`. Each speaks the protocols in its own way.
 */
import { once } from 'node:events';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Attach, Exec, KubeConfig, Log, PortForward, type V1Status } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asBoth, useProduct } from '../support/as-tenant.ts';
import { type PodServer, startRepeating } from '../support/pod-server.ts';
import { asClients, type ClientUser } from './support/as-client.ts';
import { MAKING_MS, pythonWithClient } from './support/programs.ts';

const NS = 'client-streams';
const SCRIPT = fileURLToPath(new URL('python/streams.py', import.meta.url));
const product = useProduct();
let python: string;
/** What the pod listens on is a port of this machine. */
let server: PodServer;
let port: number;

beforeAll(async () => {
  python = await pythonWithClient();
  server = await startRepeating();
  ({ port } = server);
  await asBoth(product.both, async (tenant) => {
    await tenant.kubectl(`create namespace ${NS}`);
    await tenant.kubectl(`run one -n ${NS} --image=none`);
    await tenant.kubectl(`wait pod/one -n ${NS} --for=condition=Ready --timeout=120s`);
    await tenant.kubectl(`exec one -n ${NS} -- sh -c 'echo "2026-01-01T10:00:00Z written" > log'`);
  });
}, MAKING_MS);

afterAll(() => {
  server.close();
});

function configOf({ kubeconfigPath }: ClientUser): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigPath);
  return config;
}

/** Everything that is written, until its end or until it has this word. */
function collected(): { sink: Writable; text: () => string; until: (word: string) => Promise<void> } {
  const sink = new PassThrough();
  let text = '';
  sink.on('data', (chunk) => {
    text += chunk;
  });
  return {
    sink,
    text: () => text,
    async until(word) {
      while (!text.includes(word)) await once(sink, 'data');
    },
  };
}

describe('@kubernetes/client-node', () => {
  it('runs a command, with what it is sent, and hears how it ended', async () => {
    const both = await asClients(product, async (user) => {
      const [out, err] = [collected(), collected()];
      const ended = Promise.withResolvers<V1Status>();
      const command = ['sh', '-c', 'read word; echo "out $word"; echo err >&2; exit 3'];
      const stdin = Readable.from(['sent\n']);
      await new Exec(configOf(user)).exec(NS, 'one', 'one', command, out.sink, err.sink, stdin, false, ended.resolve);
      const { status, details } = await ended.promise;
      return { status, code: details?.causes?.[0]?.message, out: out.text(), err: err.text() };
    });
    for (const done of both) expect(done).toEqual({ status: 'Failure', code: '3', out: 'out sent\n', err: 'err\n' });
  });

  it('has a terminal of the size that it says, also when that changes', async () => {
    await asClients(product, async (user) => {
      const out = collected();
      const terminal = Object.assign(out.sink, { rows: 31, columns: 97 });
      const stdin = new PassThrough();
      const socket = await new Exec(configOf(user)).exec(NS, 'one', 'one', ['sh'], terminal, null, stdin, true);
      for (const rows of [31, 42]) {
        terminal.rows = rows;
        terminal.emit('resize');
        // Asked until the size has come through: it travels beside the input.
        const asking = setInterval(() => stdin.write('stty size\n'), 200);
        await out.until(`${rows} 97`);
        clearInterval(asking);
      }
      socket.close();
    });
  });

  it('attaches', async () => {
    await asClients(product, async (user) => {
      const out = collected();
      const stdin = new PassThrough();
      const socket = await new Attach(configOf(user)).attach(NS, 'one', 'one', out.sink, null, stdin, false);
      stdin.write('echo attached\n');
      await out.until('attached\n');
      socket.close();
    });
  });

  it('reads a log', async () => {
    await asClients(product, async (user) => {
      const out = collected();
      const ended = once(out.sink, 'end');
      await new Log(configOf(user)).log(NS, 'one', 'one', out.sink, { tailLines: 1 });
      await ended;
      expect(out.text()).toBe('written\n');
    });
  });

  it('forwards a port', async () => {
    await asClients(product, async (user) => {
      const out = collected();
      const input = new PassThrough();
      const opened = await new PortForward(configOf(user)).portForward(NS, 'one', [port], out.sink, null, input);
      input.write('hello');
      await out.until('said hello');
      (opened as { close(): void }).close();
    });
  });
});

describe('the Python client', () => {
  it('runs commands, attaches, reads logs and forwards a port', async () => {
    const both = await asClients(product, async ({ run }) =>
      JSON.parse(await run(python, [SCRIPT, NS, 'one', String(port)])),
    );
    for (const done of both) {
      expect(done).toEqual({
        once: { out: 'out\n', err: 'err\n', code: 3 },
        talk: { heard: ['first', 'second'], code: 0 },
        attach: 'attached',
        logs: 'written\n',
        forward: 'said hello',
      });
    }
  });
});
