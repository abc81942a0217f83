/** Which pods a Service leads to, from what the host answers; nothing else of an endpoint leads anywhere. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import type { UpstreamRequest } from '../ports.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createServiceBackends } from './service-backends.ts';

const tenant = { id: 'acme' as TenantId, uid: 'u' } as Tenant;
const place = { namespace: 'web', name: 'hook', port: 443 };
const pod = (name: string, conditions: JsonObject = {}): JsonObject => ({
  addresses: ['192.0.2.1'],
  conditions,
  targetRef: { kind: 'Pod', name },
});

interface World {
  ports?: JsonObject[];
  endpoints?: JsonObject[];
  state?: 'ready' | 'absent';
  service?: number;
}

function lab({ ports = [{ port: 443 }], endpoints = [], state = 'ready', service = 200 }: World) {
  const asked: UpstreamRequest[] = [];
  const world = { nowMs: 0 };
  const backends = createServiceBackends({
    namespaces: { state: () => state },
    nowMs: () => world.nowMs,
    upstream: {
      async request(request) {
        asked.push(request);
        const slices = { items: [{ ports: [{ name: '', port: 8443 }], endpoints }] };
        const isService = request.path.includes('/services/');
        const document = isService ? { spec: { ports } } : slices;
        return { status: isService ? service : 200, headers: {}, body: Buffer.from(JSON.stringify(document)) };
      },
    },
  });
  return { asked, world, choose: () => backends.choose(tenant, place), forget: () => backends.forget(tenant, place) };
}

describe('a service', () => {
  it('leads to a pod that is ready, by its name, as the tenant', async () => {
    const { choose, asked } = lab({ endpoints: [pod('down', { ready: false }), pod('up')] });
    const path = '/api/v1/namespaces/acme--web/pods/up/portforward';
    expect(await choose()).toMatchObject({ path, port: 8443, identity: { as: 'tenant', tenant: 'acme' } });
    expect(asked.map(({ identity }) => identity.as)).toEqual(['tenant', 'tenant']);
  });

  it.each<[string, World, string]>([
    ['an address', { endpoints: [{ addresses: ['192.0.2.1'] }] }, 'no endpoints available for service "hook"'],
    [
      'what is no pod',
      { endpoints: [{ addresses: ['192.0.2.1'], targetRef: { kind: 'Node', name: 'n' } }] },
      'no endpoints available',
    ],
    ['nothing', {}, 'no endpoints available'],
    ['another port', { ports: [{ port: 80 }] }, 'no service port 443 found for service "hook"'],
  ])('with %s leads nowhere', async (_what, world, message) => {
    await expect(lab(world).choose()).rejects.toThrow(message);
  });

  it.each<[string, World]>([
    ['is not there', { service: 404 }],
    ['is in a namespace that is not there', { state: 'absent' }],
  ])('that %s is not found', async (_what, world) => {
    await expect(lab(world).choose()).rejects.toThrow('service "hook" not found');
  });

  it('is looked up once in a while, and again when it was of no use', async () => {
    const { choose, asked, world, forget } = lab({ endpoints: [pod('up')] });
    await choose();
    await choose();
    expect(asked).toHaveLength(2);
    forget();
    await choose();
    expect(asked).toHaveLength(4);
    world.nowMs += 2_000;
    await choose();
    expect(asked).toHaveLength(6);
  });
});
