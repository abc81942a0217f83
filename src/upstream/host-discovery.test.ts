import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Scripted, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import type { JsonObject } from '../k8s/types.ts';
import { followHostDiscovery, readHostDiscovery } from './host-discovery.ts';

let ending: AbortController;
beforeEach(() => {
  ending = new AbortController();
});
afterEach(() => ending.abort());

function served(version: string): Scripted {
  return listed({ metadata: { name: 'apps' }, versions: [{ version, resources: [{ resource: 'deployments' }] }] });
}
function listed(...items: JsonObject[]): Scripted {
  return { status: 200, body: { kind: 'APIGroupDiscoveryList', items } };
}
const core: Scripted = { status: 200, body: { kind: 'APIGroupDiscoveryList', items: [] } };
const refused: Scripted = { status: 403, body: { kind: 'Status', reason: 'Forbidden', message: 'no' } };

/** A host that answers `/apis` by this script, the last answer for ever. */
function host(...script: Scripted[]): ScriptedUpstream {
  return new ScriptedUpstream(({ path }) => {
    if (path === '/api') return core;
    return (script.length > 1 ? script.shift() : script[0]) as Scripted;
  });
}

describe('the discovery of the host', () => {
  it('is both documents in the aggregated form, read as the reader', async () => {
    const upstream = host(served('v1'));
    expect(await readHostDiscovery(upstream)).toEqual([core.body, served('v1').body]);
    expect(upstream.texts()).toEqual(['GET /api', 'GET /apis']);
    for (const { identity, accept } of upstream.requests) {
      expect(identity).toEqual({ as: 'reader' });
      expect(accept).toContain('as=APIGroupDiscoveryList');
    }
  });

  it('is a fault where the host refuses it', async () => {
    await expect(readHostDiscovery(host(refused))).rejects.toThrow('GET /apis was answered with 403: no');
  });
});

describe('following it', () => {
  function follow(...script: Scripted[]) {
    const faults: string[] = [];
    const upstream = host(...script);
    const onError = (what: string) => faults.push(what);
    const discovery = followHostDiscovery({ upstream, signal: ending.signal, onError, againMs: 1 });
    const known = () => [...(discovery.versions().get('apps')?.keys() ?? [])];
    return { discovery, faults, known, upstream };
  }

  it('knows nothing at first, and tries until it is read', async () => {
    const { discovery, faults, known } = follow(refused, served('v1'));
    expect([discovery.documents(), known()]).toEqual([[], []]);
    await discovery.whenRead();
    expect(known()).toEqual(['v1']);
    expect(faults).toEqual(['reading the discovery of the host']);
  });

  it('reads it again, and keeps what it knows while the host refuses', async () => {
    const { discovery, faults, known } = follow(served('v1'), served('v2'), refused);
    await discovery.whenRead();
    expect(known()).toEqual(['v1']);
    await vi.waitFor(() => expect(faults.length).toBeGreaterThan(1));
    expect(new Set(faults)).toEqual(new Set(['reading the discovery of the host again']));
    expect(known()).toEqual(['v2']);
    expect(discovery.documents()).toEqual([core.body, served('v2').body]);
  });

  it('remembers what an API had that does not answer', async () => {
    const stale = { version: 'v1', freshness: 'Stale' };
    const silent = listed({ metadata: { name: 'apps' }, versions: [stale, { ...stale, version: 'v2' }] });
    const { discovery, upstream } = follow(served('v1'), silent);
    await discovery.whenRead();
    await vi.waitFor(() => expect(upstream.requests.length).toBeGreaterThan(4));
    const has = [...(discovery.versions().get('apps') ?? [])].map(([name, resources]) => [name, [...resources]]);
    expect(has).toEqual([
      ['v1', ['deployments']],
      ['v2', []],
    ]);
  });

  it('forgets one that is listed no more', async () => {
    const { discovery, known } = follow(served('v1'), listed());
    await discovery.whenRead();
    await vi.waitFor(() => expect(known()).toEqual([]));
  });

  it('ends with the process', async () => {
    const { discovery, upstream } = follow(refused);
    ending.abort();
    await expect(discovery.whenRead()).rejects.toThrow('403');
    const asked = upstream.requests.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(upstream.requests).toHaveLength(asked);
  });
});
