/**
 * Into pods, with a real kubectl and as both tenants at once: exec, attach, logs, port-forward and cp, over WebSocket and
 * SPDY. The kubelet is `deploy/dev-cluster/kubelet`: a container is a folder, a command a process of this machine.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asBoth, expectStatus, type TenantClient, useProduct } from '../../support/as-tenant.ts';

const { acme, globex, both } = useProduct();
const NS = 'streams';
const SPDY = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };
const PROTOCOLS = [
  ['WebSocket', {}],
  ['SPDY', SPDY],
] as const;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeveil-streams-'));
  await asBoth(both, async (tenant) => {
    await tenant.kubectl(`create namespace ${NS}`);
    await tenant.kubectl(`run one -n ${NS} --image=none`);
    await tenant.kubectl(`wait pod/one -n ${NS} --for=condition=Ready --timeout=120s`);
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What only this tenant's pod knows; its id is not for it to see. */
function markOf(tenant: TenantClient): string {
  return tenant === acme ? 'first' : 'second';
}

function sh(tenant: TenantClient, script: string, flags = ''): Promise<string> {
  return tenant.kubectl(`exec one -n ${NS} ${flags} -- sh -c '${script}'`);
}

describe.each(PROTOCOLS)('exec over %s', (_name, env) => {
  it('runs a command, keeps its outputs apart and tells its exit code', async () => {
    await asBoth(both, async (tenant) => {
      const script = `exec one -n ${NS} -- sh -c 'echo bad ${markOf(tenant)} >&2; echo out; exit 7'`;
      const ran = await tenant.run(script, { env });
      expect(ran).toMatchObject({ code: 7, stdout: 'out\n' });
      expect(ran.stderr).toContain(`bad ${markOf(tenant)}`);
    });
  });

  it('takes standard input to its end', async () => {
    const text = randomBytes(300_000).toString('hex');
    const sum = createHash('sha256').update(text).digest('hex');
    expect(await acme.kubectl(`exec -i one -n ${NS} -- sha256sum`, { env, stdin: text })).toContain(sum);
  });

  it('says what is not there', async () => {
    expect(await acme.refused(`exec none -n ${NS} -- true`, { env })).toMatch(/pods "none" not found/);
    expect(await acme.refused(`exec one -c other -n ${NS} -- true`, { env })).toMatch(/container not found|other/);
  });
});

describe('the other tenant’s pod of the same name', () => {
  it('has files of its own', async () => {
    await asBoth(both, (tenant) => sh(tenant, `echo ${markOf(tenant)} > mine`));
    expect(await asBoth(both, (tenant) => sh(tenant, 'cat mine'))).toEqual(both.map(markOf));
  });

  it('cannot be reached by its upstream name', async () => {
    const path = `/api/v1/namespaces/globex--${NS}/pods/one/log`;
    expectStatus(await acme.send(path, { typed: [`globex--${NS}`] }), 404, 'NotFound');
    expect((await globex.send(`/api/v1/namespaces/${NS}/pods/one/log`)).status).toBe(200);
  });
});

describe('logs', () => {
  it('are those that were written, from a time on, the end, the one before', async () => {
    const lines = ['2026-01-01T10:00:00Z one', '2026-01-02T10:00:00Z two'];
    await asBoth(both, async (tenant) => {
      await sh(tenant, `echo "${lines.join('\n')}" > log; echo before > log.previous`);
      const logs = (flags: string) => tenant.kubectl(`logs one -n ${NS} ${flags}`);
      expect(await logs('')).toBe('one\ntwo');
      expect(await logs('--timestamps')).toBe(lines.join('\n'));
      expect(await logs('--since-time=2026-01-02T00:00:00Z --prefix')).toBe('[pod/one/one] two');
      expect(await logs('--tail=1')).toBe('two');
      expect(await logs('--previous')).toBe('before');
    });
  });

  it('are followed', async () => {
    await sh(acme, 'echo "2026-01-01T10:00:00Z first" > log');
    await using following = acme.follow(`logs -f one -n ${NS}`);
    await following.line((line) => line === 'first');
    await sh(acme, 'echo "2026-01-01T10:00:01Z second" >> log');
    await following.line((line) => line === 'second');
  });
});

describe('attach', () => {
  it('speaks with a shell', async () => {
    // Of a shell that ends at once the last words are lost now and then, also without the proxy.
    await vi.waitFor(async () => {
      const said = await acme.kubectl(`attach -i one -n ${NS}`, { stdin: 'echo attached\nexit\n' });
      expect(said).toContain('attached');
    });
  });
});

describe('cp', () => {
  it('brings a file there and back', async () => {
    const bytes = randomBytes(5_000_000);
    const [there, back] = [join(folder, 'there'), join(folder, 'back')];
    await writeFile(there, bytes);
    await acme.kubectl(`cp ${there} ${NS}/one:file`);
    await acme.kubectl(`cp ${NS}/one:file ${back}`);
    expect((await readFile(back)).equals(bytes)).toBe(true);
  });
});

describe.each(PROTOCOLS)('port-forward over %s', (_name, env) => {
  it('carries connections', async () => {
    // What a pod listens on is a port of this machine.
    const server = createServer((socket) => {
      socket.on('data', (chunk) => socket.write(`you said ${chunk}`));
      socket.on('end', () => socket.end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    await using forwarding = acme.follow(`port-forward one -n ${NS} :${port}`, { env });
    const line = await forwarding.line((text) => text.startsWith('Forwarding from 127.0.0.1:'));
    const local = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
    const client = connect({ port: local, host: '127.0.0.1' });
    client.write('hello');
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(String(answer)).toBe('you said hello');
    client.end();
    await once(client, 'close');
    server.close();
  });
});
