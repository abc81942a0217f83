/**
 * A pod that is deleted while a command runs in it, its log is followed and its ports are in use: everything ends, with
 * the code and the words that it ends with for the host's administrator, who reaches the same pod at the same time.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { useProduct } from '../../support/as-tenant.ts';
import { type Following, followKubectl } from '../../support/kubectl.ts';
import { type PodServer, startRepeating } from '../../support/pod-server.ts';

const { acme } = useProduct();
const NS = 'pod-ends';
const PROTOCOLS = [
  ['WebSocket', 'websocket', {}],
  ['SPDY', 'spdy', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
] as const;
/** What differs from one kubectl to the next: its ports, and when its log was written by which process. */
const ITS_OWN = /127\.0\.0\.1:\d+|\[::1\]:\d+|\bfor \d+|\bforwarding \d+|^E\d+ [\d:.]+ +\d+ /gm;

/** What a pod listens on is a port of this machine. */
let server: PodServer;
let port: number;

beforeAll(async () => {
  server = await startRepeating();
  ({ port } = server);
  await acme.kubectl(`create namespace ${NS}`);
});

afterAll(() => {
  server.close();
});

interface Reaching extends AsyncDisposable {
  readonly exec: Following;
  readonly attach: Following;
  readonly log: Following;
  readonly forward: Following;
  /** A connection by way of the forwarded port. */
  readonly held: Socket;
}

async function reach(pod: string, kubectl: (args: readonly string[]) => Following): Promise<Reaching> {
  await using all = new AsyncDisposableStack();
  const exec = all.use(kubectl(['exec', pod, '--', 'sh', '-c', 'echo begun; exec sleep 600']));
  const attach = all.use(kubectl(['attach', pod]));
  const log = all.use(kubectl(['logs', '-f', pod]));
  const forward = all.use(kubectl(['port-forward', pod, `:${port}`]));
  await Promise.all([exec, log].map((one) => one.line((line) => line === 'begun')));
  const line = await forward.line((text) => text.startsWith('Forwarding from 127.0.0.1:'));
  const local = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
  const held = connect({ port: local, host: '127.0.0.1' });
  held.on('error', () => {});
  all.defer(() => void held.destroy());
  held.write('hello');
  expect(String((await once(held, 'data'))[0])).toBe('said hello');
  const owned = all.move();
  return { exec, attach, log, forward, held, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** How each of them ended: its code, and what it said. */
async function ends({ exec, attach, log, forward, held }: Reaching): Promise<Record<string, unknown>> {
  if (!held.closed) await once(held.resume(), 'close');
  const told = Object.entries({ exec, attach, log, forward }).map(async ([name, one]) => {
    const code = await one.ended;
    // Lines of the two outputs come in any order.
    return [name, { code, lines: one.text().replaceAll(ITS_OWN, '').split('\n').sort() }];
  });
  return Object.fromEntries(await Promise.all(told));
}

describe.each(PROTOCOLS)('over %s', (_name, word, env) => {
  it('all that reaches a pod ends with it, as on the host', async () => {
    const pod = `ending-${word}`;
    await acme.kubectl(`run ${pod} -n ${NS} --image=none`);
    await acme.kubectl(`wait pod/${pod} -n ${NS} --for=condition=Ready --timeout=120s`);
    await acme.kubectl(`exec ${pod} -n ${NS} -- sh -c 'echo "2026-01-01T10:00:00Z begun" > log'`);
    const follow = (kubeconfig: string, namespace: string) => (args: readonly string[]) =>
      followKubectl(kubeconfig, ['-n', namespace, ...args], { env });
    await using mine = await reach(pod, follow(acme.facts.kubeconfigPath, NS));
    await using theirs = await reach(pod, follow(inject('controlPlane').adminKubeconfigPath, `acme--${NS}`));
    await acme.kubectl(`delete pod ${pod} -n ${NS} --wait=true`);
    const [told, wanted] = await Promise.all([ends(mine), ends(theirs)]);
    expect(told).toEqual(wanted);
    expect(told).toMatchObject({ exec: { code: 137 }, log: { code: 0 }, forward: { code: 1 } });
    expect(mine.forward.text()).toContain('lost connection to pod');
    acme.mustBeClean(JSON.stringify(told));
  });
});
