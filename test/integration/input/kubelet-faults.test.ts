/**
 * The kubelet of a pod gone, before and while it serves: whoever asks for the pod's streams is told so, and nothing of
 * the node or of the way to it, on every protocol. Has a control plane of its own to break.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ControlPlane } from '../../../src/dev/control-plane.ts';
import { clientOf, type TenantClient } from '../../support/as-tenant.ts';
import { factsOf, startPrivateControlPlane } from '../../support/control-plane.ts';
import { type Ran, runKubectl } from '../../support/kubectl.ts';
import { type Product, startProduct } from '../../support/product.ts';

const PROTOCOLS = [
  ['WebSocket', {}],
  ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
] as const;
const OF_THE_NODE = /https:|127\.0\.0\.1|\bdial\b|\btcp\b|\/exec\/|node-\d/;

let controlPlane: ControlPlane;
let product: Product;
let acme: TenantClient;

beforeAll(async () => {
  controlPlane = await startPrivateControlPlane();
  product = await startProduct(factsOf(controlPlane));
  acme = clientOf(product.facts, 'acme');
  await acme.kubectl('run one --image=none');
  await acme.kubectl('wait pod/one --for=condition=Ready --timeout=120s');
});

afterAll(async () => {
  await product?.stop();
  await controlPlane?.stop();
});

function atHost(args: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  return runKubectl(controlPlane.adminKubeconfigPath, ['-n', 'acme--default', ...args.split(' ')], { env });
}

describe.each(PROTOCOLS)('over %s', (name, env) => {
  it('a command that runs when the kubelet goes ends, and says nothing of the node', async () => {
    const running = acme.follow("exec one -- sh -c 'echo begun; exec sleep 600'", { env });
    await running.line((line) => line === 'begun');
    await controlPlane.kill('dev-kubelet');
    await expect(running.line(() => false)).rejects.toThrow('ended');
    acme.mustBeClean(running.text());
    expect(running.text()).not.toMatch(OF_THE_NODE);
    await running[Symbol.asyncDispose]();
  });

  it.each(['exec one -- true', 'attach one', 'port-forward one :80', 'logs one'])(
    'what nobody serves is said to be out of reach: %s',
    async (command) => {
      const said = await acme.refused(command, { env });
      expect(said).toMatch(/pods "one" cannot be reached: its node did not answer/);
      expect(said).not.toMatch(OF_THE_NODE);
    },
  );

  it('of which the host’s own administrator is told more', async () => {
    const { stderr } = await atHost('exec one -- true', env);
    expect(stderr).toMatch(/https:\/\/127\.0\.0\.1:\d+\/exec\/acme--default|dial tcp 127\.0\.0\.1/);
  });

  it('and when the kubelet is back, so is the pod', async () => {
    await controlPlane.restart('dev-kubelet');
    expect(await acme.kubectl('exec one -- echo back', { env })).toBe('back');
    expect(await acme.run(`exec one -- sh -c 'echo ${name} >&2; exit 4'`, { env })).toMatchObject({ code: 4 });
  });
});
