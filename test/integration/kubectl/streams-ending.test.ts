/**
 * How connections into pods begin and end beyond the plain case, with a real kubectl: a pod for one command, a container
 * for debugging, logs of several pods, several ports at once, a side that has said its last, and a pod that goes.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asBoth, useProduct } from '../../support/as-tenant.ts';
import type { Following } from '../../support/kubectl.ts';
import { type PodServer, startAnsweringAtTheEnd, startRepeating } from '../../support/pod-server.ts';
import { eventually } from '../../support/processes.ts';

const { acme, both } = useProduct();
const NS = 'streams-ending';

/** What a pod listens on is a port of this machine. It says what it was sent once its client has said its last. */
let server: PodServer;
let port: number;
/** It repeats what it is sent, at once. */
let repeating: PodServer;

beforeAll(async () => {
  server = await startAnsweringAtTheEnd();
  ({ port } = server);
  repeating = await startRepeating();
  await asBoth(both, async (tenant) => {
    await tenant.kubectl(`create namespace ${NS}`);
    for (const name of ['one', 'two']) await tenant.kubectl(`run ${name} -n ${NS} --image=none --labels=app=logged`);
    await tenant.kubectl(`wait pod -l app=logged -n ${NS} --for=condition=Ready --timeout=120s`);
  });
});

afterAll(() => {
  server.close();
  repeating.close();
});

async function localPorts(forwarding: Following, count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let at = 0; at < count; at++) {
    const line = await forwarding.line((text) => text.startsWith('Forwarding from 127.0.0.1:'));
    ports.push(Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]));
  }
  return ports;
}

/** A connection to the pod that stands: it has spoken, and was answered. */
async function speaking(local: number): Promise<Socket> {
  const client = connect({ port: local, host: '127.0.0.1' });
  client.on('error', () => {});
  client.write('hello');
  expect(String((await once(client, 'data'))[0])).toBe('said hello');
  return client;
}

/** Everything that comes, after `text` and the end were sent. */
async function saidTo(local: number, text: string): Promise<string> {
  const client: Socket = connect({ port: local, host: '127.0.0.1', allowHalfOpen: true });
  client.end(text);
  let all = '';
  for await (const piece of client) all += piece;
  return all;
}

describe('kubectl run -i --rm', () => {
  it('speaks with the pod, and takes it away at the end', async () => {
    await asBoth(both, async (tenant) => {
      const said = await tenant.kubectl(`run passing -n ${NS} -i --rm --image=none`, {
        stdin: 'echo in a pod\nexit\n',
      });
      expect(said).toContain('in a pod');
      expect(said).toContain('deleted');
      // It is told of the deletion, and does not wait for its end.
      await eventually('the pod is gone', async () => {
        return (await tenant.run(`get pod passing -n ${NS}`)).stderr.includes('not found');
      });
    });
  });
});

describe('kubectl debug', () => {
  it('adds a container and speaks with it', async () => {
    await asBoth(both, async (tenant) => {
      const stdin = 'echo in a container\nexit\n';
      const debug = `debug one -n ${NS} -i --profile=baseline --image=none --container=looking`;
      let said = await tenant.kubectl(debug, { stdin });
      // Of a shell that ends at once the last words are lost now and then, also without the proxy.
      await vi.waitFor(async () => {
        if (said === '') said = await tenant.kubectl(`attach one -n ${NS} -i --container=looking`, { stdin });
        expect(said).toContain('in a container');
      });
      const { spec } = await tenant.get(`pod one -n ${NS}`);
      expect(spec.ephemeralContainers).toMatchObject([{ name: 'looking' }]);
      expect(await tenant.kubectl(`exec one -n ${NS} -c looking -- echo again`)).toBe('again');
    });
  });
});

describe('logs', () => {
  it('of several pods say whose they are', async () => {
    for (const name of ['one', 'two']) {
      await acme.kubectl(`exec ${name} -n ${NS} -c ${name} -- sh -c 'echo "2026-01-01T10:00:00Z of ${name}" > log'`);
    }
    const lines = (await acme.kubectl(`logs -n ${NS} -l app=logged --prefix`)).split('\n').sort();
    expect(lines).toEqual(['[pod/one/one] of one', '[pod/two/two] of two']);
  });

  it('begin as long ago as is asked', async () => {
    const script = `echo "2026-01-01T10:00:00Z old" > log; echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) new" >> log`;
    await acme.kubectl(`exec two -n ${NS} -- sh -c '${script}'`);
    expect(await acme.kubectl(`logs two -n ${NS} --since=1h`)).toBe('new');
    expect(await acme.kubectl(`logs two -n ${NS}`)).toBe('old\nnew');
  });

  it('of a container that is not there are refused in the API server’s words', async () => {
    expect(await acme.refused(`logs two -c none -n ${NS}`)).toContain('container none is not valid for pod two');
  });
});

describe('port-forward', () => {
  it('has several ports at once, and sides that have said their last', async () => {
    await using forwarding = acme.follow(`port-forward one -n ${NS} :${port} :${port}`);
    const ports = await localPorts(forwarding, 2);
    expect(new Set(ports).size).toBe(2);
    const said = await Promise.all(ports.flatMap((local) => ['a', 'b'].map((text) => saidTo(local, text + local))));
    expect(said).toEqual(ports.flatMap((local) => [`all: a${local}`, `all: b${local}`]));
  });

  it('finds the pod of a service', async () => {
    await acme.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: NS },
      spec: { selector: { app: 'logged' }, ports: [{ port: 80, targetPort: port }] },
    });
    await using forwarding = acme.follow(`port-forward service/web -n ${NS} :80`);
    const [local = 0] = await localPorts(forwarding, 1);
    expect(await saidTo(local, 'x')).toBe('all: x');
  });
});

describe.each([
  ['WebSocket', {}],
  ['SPDY', { KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
])('port-forward over %s', (_name, env) => {
  it('that its client gives up lets go of the pod, and one connection of it takes no other along', async () => {
    await using forwarding = acme.follow(`port-forward one -n ${NS} :${repeating.port}`, { env });
    const [local = 0] = await localPorts(forwarding, 1);
    const [first, second] = [await speaking(local), await speaking(local)];
    expect(repeating.connections).toBe(2);
    first.destroy();
    await eventually('the pod is let go of', () => repeating.connections === 1);
    second.write('again');
    expect(String((await once(second, 'data'))[0])).toBe('said again');
    await forwarding[Symbol.asyncDispose]();
    await eventually('the pod is let go of', () => repeating.connections === 0);
  });
});

describe('a pod that is gone', () => {
  it('is reached no more, and refused as one that never was', async () => {
    await acme.kubectl(`run going -n ${NS} --image=none`);
    await acme.kubectl(`wait pod/going -n ${NS} --for=condition=Ready --timeout=120s`);
    expect(await acme.kubectl(`exec going -n ${NS} -- echo there`)).toBe('there');
    await acme.kubectl(`delete pod going -n ${NS} --wait=true`);
    for (const what of ['exec going', 'attach going', 'logs going', 'port-forward going 80']) {
      const command = what.startsWith('exec') ? `${what} -n ${NS} -- true` : `${what} -n ${NS}`;
      expect(await acme.refused(command)).toContain('pods "going" not found');
    }
  });
});
