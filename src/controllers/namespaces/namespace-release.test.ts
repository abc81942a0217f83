import { beforeEach, describe, expect, it } from 'vitest';
import { ScriptedUpstream } from '../../../test/support/scripted-upstream.ts';
import type { Informer } from '../../k8s/informer.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { createHostClient } from '../../upstream/host-client.ts';
import { createNamespaceRelease } from './namespace-release.ts';

const NAME = 'acme--web';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const BINDINGS = `${RBAC}/namespaces/${NAME}/rolebindings`;
const CLAIMS = `/api/v1/namespaces/${NAME}/persistentvolumeclaims`;
const PODS = `/api/v1/namespaces/${NAME}/pods`;
const GUARD = {
  metadata: { name: 'kubeveil:guard', namespace: NAME, uid: 'g', finalizers: ['kubeveil.dev/guard'] },
};

/** A namespace that goes, of which the host says this. */
function going(message?: string, failure?: string): JsonObject {
  const conditions = [
    ...(message === undefined ? [] : [{ type: 'NamespaceContentRemaining', status: 'True', message }]),
    ...(failure === undefined ? [] : [{ type: failure, status: 'True', message: 'failed' }]),
  ];
  const labels = { 'kubeveil.dev/tenant': 'acme' };
  return {
    metadata: { name: NAME, uid: 'u1', labels, deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { conditions },
  };
}

function saying(...kinds: string[]): string {
  const guards = 'rolebindings.rbac.authorization.k8s.io';
  return `Some resources are remaining: ${[...kinds, guards].map((kind) => `${kind} has 1 resource instances`).join(', ')}`;
}

let stored: Map<string, JsonObject[]>;
let refused: Set<string>;
let upstream: ScriptedUpstream;
let faults: string[];

beforeEach(() => {
  stored = new Map([[BINDINGS, [GUARD]]]);
  refused = new Set();
  faults = [];
  upstream = new ScriptedUpstream(({ method, path }) => {
    if (refused.has(path)) return { status: 403, body: { message: 'no' } };
    return { status: 200, body: method === 'GET' ? { items: stored.get(path) ?? [] } : {} };
  });
});

function release() {
  const informer = (objects: JsonObject[]) =>
    ({
      get: (_namespace: string, name: string) =>
        objects.find(({ metadata }) => (metadata as JsonObject)['name'] === name),
      list: () => objects,
    }) as unknown as Informer;
  const claims = { root: '/api/v1', resource: 'persistentvolumeclaims' };
  const { signal } = new AbortController();
  return createNamespaceRelease({
    upstream,
    client: createHostClient(upstream, { as: 'provisioner' }, signal),
    informers: { guards: informer([GUARD]), definitions: informer([]) } as never,
    kindsNow: async () => ({ namespaced: [claims], clusterScoped: [] }),
    nowMs: () => Date.UTC(2026, 0, 1, 0, 0, 8),
    signal,
    onError: (what, error) => faults.push(`${what}: ${error}`),
  });
}

/** What was written to the guard. */
function letGo(): unknown[] {
  return upstream.requests
    .filter(({ method }) => method === 'PATCH')
    .map(({ path, body }) => [path, JSON.parse(String(body)).metadata.finalizers]);
}

const GUARD_LET_GO = [[`${BINDINGS}/kubeveil:guard`, []]];

describe('the guard of a namespace that goes', () => {
  it('lets go when the host has found nothing else', async () => {
    expect(await release().run(going(saying()))).toBeUndefined();
    expect(letGo()).toEqual(GUARD_LET_GO);
  });

  it('lets go when what the host named is gone since', async () => {
    expect(await release().run(going(saying('persistentvolumeclaims.')))).toBeUndefined();
    expect(letGo()).toEqual(GUARD_LET_GO);
  });

  it('stays while what the host named is there, and is looked at soon', async () => {
    stored.set(CLAIMS, [{ metadata: { name: 'c' } }]);
    const guard = release();
    expect(await guard.run(going(saying('persistentvolumeclaims.')))).toBe(800);
    expect(letGo()).toEqual([]);
    stored.delete(CLAIMS);
    await guard.run(going(saying('persistentvolumeclaims.')));
    expect(letGo()).toEqual(GUARD_LET_GO);
  });

  it('stays while there is another binding', async () => {
    stored.set(BINDINGS, [GUARD, { metadata: { name: 'of-the-tenant' } }]);
    expect(await release().run(going(saying()))).toBe(800);
    expect(letGo()).toEqual([]);
  });

  it.each([
    ['the host has not looked yet', going(), 5_000],
    ['the host could not look everywhere', going(saying(), 'NamespaceDeletionContentFailure'), 5_000],
    ['the host names a kind that is not known', going(saying('gadgets.example.com')), 800],
  ])('stays when %s', async (_what, namespace, againMs) => {
    expect(await release().run(namespace)).toBe(againMs);
    expect(letGo()).toEqual([]);
  });

  it('stays when what the host named cannot be looked at', async () => {
    refused.add(CLAIMS);
    expect(await release().run(going(saying('persistentvolumeclaims.')))).toBe(800);
    expect(letGo()).toEqual([]);
  });
});

describe('the pods of a namespace that goes', () => {
  const deleted = () =>
    upstream.requests
      .filter(({ method }) => method === 'DELETE')
      .map(({ path, body }) => [path, JSON.parse(String(body)).preconditions.uid]);

  it('are deleted at once, each by its uid, and not again', async () => {
    stored.set(PODS, [
      { metadata: { name: 'a', uid: 'u-a' } },
      { metadata: { name: 'b', uid: 'u-b', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    ]);
    const guard = release();
    await guard.run(going());
    await guard.run(going());
    expect(deleted()).toEqual([[`${PODS}/a`, 'u-a']]);
  });

  it('are left to the host when they cannot be deleted', async () => {
    refused.add(PODS);
    expect(await release().run(going())).toBe(5_000);
    expect(faults).toEqual([expect.stringContaining('pods of namespace acme--web')]);
  });
});
