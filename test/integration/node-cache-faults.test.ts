/**
 * The node cache when it is started anew, and when the API server cannot be reached: it goes on from where it was, tells
 * nobody anything that it does not know they may have, and takes no half for a whole.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RunningNodeCache } from '../../src/app/node-cache.ts';
import type { CertificatePair } from '../../src/pki/certificates.ts';
import { must } from '../support/administrator.ts';
import { jsonOf } from '../support/http.ts';
import { CACHE_ACCOUNT, NodeCacheLab } from '../support/node-cache-lab.ts';
import { eventually } from '../support/processes.ts';
import { openRelay, type Relay } from '../support/relay.ts';

const SPACE = 'node-cache-faults';
const SERVICES = `/api/v1/namespaces/${SPACE}/services`;
const KEPT = '/api/v1/services?resourceVersion=0';

let lab: NodeCacheLab;
let kubelet: CertificatePair;
let agent: { token: string };
let late: { token: string };
beforeAll(async () => {
  lab = await NodeCacheLab.open(inject('controlPlane'));
  kubelet = await lab.node('node-1');
  const rules = [{ apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] }];
  agent = await lab.agent(SPACE, rules);
  late = await lab.agent(`${SPACE}-late`, rules);
  for (const name of ['stays', 'changes', 'goes']) await must(lab.admin, 'POST', SERVICES, service(name));
  await must(lab.admin, 'POST', `/api/v1/namespaces/${SPACE}/secrets`, {
    metadata: { name: 'secret' },
    stringData: { key: 'never-on-a-disk' },
  });
  const volumes = [{ name: 'v', secret: { secretName: 'secret' } }];
  const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'none' }], volumes };
  await must(lab.admin, 'POST', `/api/v1/namespaces/${SPACE}/pods`, { metadata: { name: 'pod' }, spec });
});
afterAll(() => lab[Symbol.asyncDispose]());

function service(name: string, labels: Record<string, string> = {}) {
  return { metadata: { name, labels }, spec: { ports: [{ port: 80 }], clusterIP: 'None' } };
}

interface ServiceList {
  readonly items: ReadonlyArray<{ metadata: { name: string; namespace: string; labels?: Record<string, string> } }>;
}

/** What is kept of the services of the test, by name, with the label that changes. */
async function known(cache: RunningNodeCache): Promise<Record<string, string>> {
  const answer = await lab.ask(cache, KEPT, agent);
  const own = jsonOf<ServiceList>(answer).items.filter(({ metadata }) => metadata.namespace === SPACE);
  return Object.fromEntries(own.map(({ metadata }) => [metadata.name, metadata.labels?.['version'] ?? '']));
}

describe('started anew', () => {
  it('goes on from the revision where it ended, without reading everything again', async () => {
    const stateFolder = await lab.folder();
    const before = await lab.cache({ stateFolder, node: kubelet });
    expect(await known(before)).toEqual({ stays: '', changes: '', goes: '' });
    await lab.ask(before, '/api/v1/pods?resourceVersion=0&fieldSelector=spec.nodeName%3Dnode-1', kubelet);
    const secret = `/api/v1/namespaces/${SPACE}/secrets?fieldSelector=metadata.name%3Dsecret`;
    await eventually('the node may read the Secret', async () => (await lab.plain(secret, kubelet)).status === 200);
    using watch = await lab.watch(before, `${secret}&watch=true&resourceVersion=0`, kubelet);
    await watch.until(Buffer.from('never-on-a-disk').toString('base64'));
    await before.close();

    await must(lab.admin, 'DELETE', `${SERVICES}/goes`);
    await must(lab.admin, 'POST', SERVICES, service('comes'));
    const merge = 'application/merge-patch+json';
    await must(lab.admin, 'PATCH', `${SERVICES}/changes`, { metadata: { labels: { version: '2' } } }, merge);
    const mark = await lab.auditMark();

    const after = await lab.cache({ stateFolder, node: kubelet });
    expect(after.caPem).toBe(before.caPem);
    await eventually('it knows what happened meanwhile', async () => {
      const { stays, changes, comes, ...more } = await known(after);
      return stays === '' && changes === '2' && comes === '' && Object.keys(more).length === 0;
    });
    const asked = [...(await lab.asked(CACHE_ACCOUNT, mark)), ...(await lab.asked('system:node:node-1', mark))];
    const lists = asked.filter((one) => one.startsWith('list ') && !one.includes('limit=1'));
    expect(lists).toEqual([]);
    await eventually('it watches', async () =>
      (await lab.asked(CACHE_ACCOUNT, mark)).some((one) =>
        /^watch \/api\/v1\/services\?.*resourceVersion=\d+/.test(one),
      ),
    );
  });

  it('has written down no Secret', async () => {
    const stateFolder = await lab.folder();
    const cache = await lab.cache({ stateFolder, node: kubelet });
    const secret = `/api/v1/namespaces/${SPACE}/secrets?fieldSelector=metadata.name%3Dsecret&watch=true&resourceVersion=0`;
    using watch = await lab.watch(cache, secret, kubelet);
    await watch.until(Buffer.from('never-on-a-disk').toString('base64'));
    await known(cache);
    await cache.close();
    const files = await readdir(join(stateFolder, 'snapshots'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const text = await readFile(join(stateFolder, 'snapshots', file), 'utf8');
      expect(text).not.toContain(Buffer.from('never-on-a-disk').toString('base64'));
    }
  });

  it('reads everything where what was written down is of another cluster', async () => {
    const stateFolder = await lab.folder();
    const before = await lab.cache({ stateFolder });
    await known(before);
    await before.close();
    const folder = join(stateFolder, 'snapshots');
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.head'))) {
      const head = JSON.parse(await readFile(join(folder, file), 'utf8')) as object;
      await writeFile(join(folder, file), JSON.stringify({ ...head, cluster: 'another' }));
    }
    const mark = await lab.auditMark();
    const after = await lab.cache({ stateFolder });
    expect(Object.keys(await known(after))).toContain('stays');
    await eventually('it lists', async () => (await lab.asked(CACHE_ACCOUNT, mark)).includes('list /api/v1/services'));
  });
});

describe('as a program', () => {
  it('is set up by its options, shows a certificate of its own CA, and ends in good order', async () => {
    const program = await lab.program('node-1', kubelet);
    expect(await lab.ask(program, KEPT, agent)).toMatchObject({ status: 200 });
    const pods = '/api/v1/pods?resourceVersion=0&fieldSelector=spec.nodeName%3Dnode-1';
    const mark = await lab.auditMark();
    expect(await lab.ask(program, pods, kubelet)).toMatchObject({ status: 200 });
    expect(await lab.asked('system:node:node-1', mark)).not.toContain(`list ${pods}`);
    expect(await program.stop()).toBe(0);
  });
});

describe('while the API server does not answer', () => {
  async function cutOff(): Promise<{ relay: Relay; cache: RunningNodeCache }> {
    const { port } = new URL(lab.facts.server);
    const relay = await openRelay(Number(port));
    const cache = await lab.cache({ server: `https://127.0.0.1:${relay.port}` });
    await known(cache);
    return { relay, cache };
  }

  it('tells those what is known who were known to be allowed seconds ago, with a warning, and nobody else', async () => {
    const { relay, cache } = await cutOff();
    await using _relay = relay;
    relay.cut();
    await eventually(
      'it has noticed',
      async () => (await lab.ask(cache, KEPT, agent)).headers['warning'] !== undefined,
    );
    for (const [path, as] of [
      [KEPT, late],
      [KEPT, {}],
      ['/api/v1/services', agent],
    ] as const) {
      expect((await lab.ask(cache, path, as)).status).toBe(503);
    }
    relay.mend();
    await eventually('it is back', async () => (await lab.ask(cache, KEPT, late)).status === 200);
    await eventually(
      'it has noticed that, too',
      async () => (await lab.ask(cache, KEPT, agent)).headers['warning'] === undefined,
    );
  });

  it('keeps watches open, and tells them afterwards what happened meanwhile, once', async () => {
    const { relay, cache } = await cutOff();
    await using _relay = relay;
    using watch = await lab.watch(cache, '/api/v1/services?watch=true&resourceVersion=0', agent);
    await watch.until('"name":"stays"');
    relay.cut();
    await must(lab.admin, 'POST', SERVICES, service('meanwhile'));
    relay.mend();
    await watch.until('"name":"meanwhile"');
    await must(lab.admin, 'POST', SERVICES, service('afterwards'));
    await watch.until('"name":"afterwards"');
    expect(watch.text.match(/"type":"ADDED","object":\{[^\n]*"name":"meanwhile"/g)).toHaveLength(1);
    expect(watch.ended).toBeUndefined();
  });
});
