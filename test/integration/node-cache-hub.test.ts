/**
 * The hub between node caches and the real API server: what nodes read of it is what they would read of the API server,
 * which is asked once for all of them; nobody gets by it what they may not have; and without it nothing is missing.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RunningNodeCache } from '../../src/app/node-cache.ts';
import type { CertificatePair } from '../../src/pki/certificates.ts';
import { must } from '../support/administrator.ts';
import { jsonOf } from '../support/http.ts';
import { CACHE_ACCOUNT, HUB_ACCOUNT, NodeCacheLab } from '../support/node-cache-lab.ts';
import { eventually } from '../support/processes.ts';
import { openRelay } from '../support/relay.ts';

const SPACE = 'node-cache-hub';
const SERVICES = `/api/v1/namespaces/${SPACE}/services`;
const KEPT = '/api/v1/services?resourceVersion=0';
const INITIAL = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

let lab: NodeCacheLab;
const kubelets: CertificatePair[] = [];
let agent: { token: string };
beforeAll(async () => {
  lab = await NodeCacheLab.open(inject('controlPlane'));
  const rules = [{ apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] }];
  agent = await lab.agent(SPACE, rules);
  await must(lab.admin, 'POST', SERVICES, service('first'));
  for (const name of ['hub-node-1', 'hub-node-2']) {
    kubelets.push(await lab.node(name));
    const spec = { nodeName: name, containers: [{ name: 'c', image: 'none' }] };
    await must(lab.admin, 'POST', `/api/v1/namespaces/${SPACE}/pods`, { metadata: { name: `on-${name}` }, spec });
  }
});
afterAll(() => lab[Symbol.asyncDispose]());

function service(name: string) {
  return { metadata: { name }, spec: { ports: [{ port: 80 }], clusterIP: 'None' } };
}

function podsOf(node: string, more = 'resourceVersion=0'): string {
  return `/api/v1/pods?fieldSelector=spec.nodeName%3D${node}&${more}`;
}

function cacheOf(at: number, hub: RunningNodeCache, more: { server?: string; stateFolder?: string } = {}) {
  return lab.cache({ nodeName: `hub-node-${at + 1}`, node: kubelets[at] as CertificatePair, hub, ...more });
}

function kubelet(at: number): CertificatePair {
  return kubelets[at] as CertificatePair;
}

/** What an account asked for, but for who somebody is and what they may do. */
async function readsOf(account: string, mark: number): Promise<string[]> {
  return (await lab.asked(account, mark)).filter((one) => /^(list|watch) /.test(one));
}

describe('node caches with a hub', () => {
  it('are told what the API server tells, and leave it in peace', async () => {
    const hub = await lab.hub();
    const mark = await lab.auditMark();
    const caches = await Promise.all([0, 1].map((at) => cacheOf(at, hub)));
    const watches = await Promise.all(caches.map((cache) => lab.watch(cache, `/api/v1/services?${INITIAL}`, agent)));
    const ofPods = await Promise.all(
      caches.map((cache, at) => lab.watch(cache, podsOf(`hub-node-${at + 1}`, INITIAL), kubelet(at))),
    );
    for (const watch of [...watches, ...ofPods]) await watch.until('"k8s.io/initial-events-end":"true"');
    expect(ofPods[0]?.text).toContain('"name":"on-hub-node-1"');
    expect(ofPods[0]?.text).not.toContain('"name":"on-hub-node-2"');
    await must(lab.admin, 'POST', SERVICES, service('second'));
    await must(lab.admin, 'DELETE', `${SERVICES}/second`);
    for (const watch of watches) await watch.until('"type":"DELETED"');
    for (const [at, cache] of caches.entries()) {
      const got = await lab.ask(cache, KEPT, agent);
      const plain = await lab.plain(KEPT, agent);
      expect(jsonOf<{ items: object[] }>(got).items).toEqual(jsonOf<{ items: object[] }>(plain).items);
      const [pods, same] = [
        await lab.ask(cache, podsOf(`hub-node-${at + 1}`), kubelet(at)),
        await lab.plain(podsOf(`hub-node-${at + 1}`), kubelet(at)),
      ];
      expect(jsonOf<{ items: object[] }>(pods).items).toEqual(jsonOf<{ items: object[] }>(same).items);
    }
    expect(await readsOf(CACHE_ACCOUNT, mark)).toEqual([]);
    expect((await readsOf('system:node:hub-node-1', mark)).filter((one) => one.startsWith('watch'))).toEqual([]);
    const shared = (await readsOf(HUB_ACCOUNT, mark)).filter(
      (one) => one.startsWith('watch /api/v1/services?') && !/timeoutSeconds=3(&|$)/.test(one),
    );
    expect(shared).toHaveLength(1);
    for (const watch of [...watches, ...ofPods]) watch[Symbol.dispose]();
  });

  it('go to the API server when it ends, and back to it: their clients see all that happens once', async () => {
    const hub = await lab.hub();
    const cache = await cacheOf(0, hub);
    using watch = await lab.watch(cache, `/api/v1/services?${INITIAL}`, agent);
    await watch.until('"k8s.io/initial-events-end":"true"');
    await hub.close();
    await must(lab.admin, 'POST', SERVICES, service('while-away'));
    await watch.until('"name":"while-away"');
    const port = Number(new URL(hub.server).port);
    await lab.hub({ port });
    await must(lab.admin, 'DELETE', `${SERVICES}/while-away`);
    await watch.until('"type":"DELETED"');
    const told = watch.text.split('\n').filter((line) => line.includes('"name":"while-away"'));
    expect(told.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['ADDED', 'DELETED']);
  });

  it('answer from what is newest, though the hub lags behind', async () => {
    await using relay = await openRelay(Number(new URL(lab.facts.server).port));
    const hub = await lab.hub({ server: `https://127.0.0.1:${relay.port}` });
    const cache = await cacheOf(0, hub);
    using first = await lab.watch(cache, `/api/v1/services?${INITIAL}`, agent);
    await first.until('"k8s.io/initial-events-end":"true"');
    relay.freeze();
    await must(lab.admin, 'POST', SERVICES, service('not-seen-by-the-hub'));
    using second = await lab.watch(cache, `/api/v1/services?${INITIAL}`, agent);
    await second.until('"name":"not-seen-by-the-hub"');
    await must(lab.admin, 'DELETE', `${SERVICES}/not-seen-by-the-hub`);
  });
});

describe('a hub', () => {
  it('gives nobody what the API server does not give them', async () => {
    const hub = await lab.hub();
    expect((await lab.ask(hub, podsOf('hub-node-1'), kubelet(0))).status).toBe(200);
    // The key of another node's certificate is not the hub's to pass on, and it has no word of its own for pods.
    for (const path of [podsOf('hub-node-2'), '/api/v1/pods?resourceVersion=0', '/api/v1/pods']) {
      expect((await lab.ask(hub, path, kubelet(0))).status).toBe(401);
    }
    for (const as of [agent, { token: 'odd' }, {}]) {
      for (const path of ['/api/v1/pods?resourceVersion=0', '/api/v1/pods', `/api/v1/namespaces/${SPACE}/secrets`]) {
        const [got, plain] = [await lab.ask(hub, path, as), await lab.plain(path, as)];
        expect([401, 403]).toContain(got.status);
        expect(jsonOf(got)).toEqual(jsonOf(plain));
      }
    }
  });

  it('answers lists that have to be the newest from memory, and knows what was just written', async () => {
    const hub = await lab.hub();
    using watch = await lab.watch(hub, `/api/v1/services?${INITIAL}`, agent);
    await watch.until('"k8s.io/initial-events-end":"true"');
    for (const name of ['new-a', 'new-b', 'new-c']) {
      await must(lab.admin, 'POST', SERVICES, service(name));
      const mark = await lab.auditMark();
      const got = jsonOf<{ items: Array<{ metadata: { name: string } }> }>(
        await lab.ask(hub, '/api/v1/services', agent),
      );
      expect(got.items.map(({ metadata }) => metadata.name)).toContain(name);
      expect(await readsOf(`system:serviceaccount:${SPACE}:agent`, mark)).toEqual([]);
      await must(lab.admin, 'DELETE', `${SERVICES}/${name}`);
    }
  });

  it('says when it is ready, and that it is not while the API server does not answer', async () => {
    await using relay = await openRelay(Number(new URL(lab.facts.server).port));
    const hub = await lab.hub({ server: `https://127.0.0.1:${relay.port}` });
    await eventually('it is ready', async () => (await lab.ask(hub, '/readyz')).status === 200);
    using watch = await lab.watch(hub, `/api/v1/services?${INITIAL}`, agent);
    await watch.until('"k8s.io/initial-events-end":"true"');
    relay.cut();
    await eventually('it is not ready', async () => (await lab.ask(hub, '/readyz')).status === 503, 60_000);
  });
});
