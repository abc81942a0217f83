import { afterEach, describe, expect, it, vi } from 'vitest';
import { SharingHost } from '../../test/support/sharing-host.ts';
import { PARTIAL_ALL, PARTIAL_ONE, TABLE } from '../../test/support/verb-lab.ts';
import type { Reply } from '../exchange.ts';

let host: SharingHost;
afterEach(() => host.close());

/** Names in a list that was answered from memory; undefined when upstream was asked. */
function printed(reply: Reply): unknown {
  if (reply.kind !== 'printed') return undefined;
  const text = Buffer.concat(reply.json.map((part) => ('forms' in part ? part.text : part))).toString();
  const document = JSON.parse(text);
  expect(reply.object()).toEqual(document);
  return document;
}

/** A host whose view of pods is open, with one pod at revision 50. */
async function sharing(): Promise<SharingHost> {
  host = new SharingHost();
  await host.inform('/api/v1/pods');
  host.lab.upstream.requests.length = 0;
  return host;
}

describe('a list from memory', () => {
  it.each([
    '/api/v1/pods?resourceVersion=0',
    '/api/v1/pods?resourceVersion=0&limit=1',
    '/api/v1/pods?resourceVersion=50',
    '/api/v1/pods?resourceVersion=7&resourceVersionMatch=NotOlderThan',
    '/api/v1/namespaces/default/pods?resourceVersion=0',
    '/api/v1/pods?resourceVersion=0&labelSelector=color%3Dred',
  ])('asks upstream nothing: %s', async (target) => {
    const { lab } = await sharing();
    expect(printed(await lab.request('GET', target))).toEqual({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '50' },
      items: [{ metadata: expect.objectContaining({ namespace: 'default', name: 'old', resourceVersion: '30' }) }],
    });
    expect(lab.upstream.requests).toEqual([]);
  });

  it.each([
    '/api/v1/pods?resourceVersion=0&labelSelector=color%3Dblue',
    '/api/v1/namespaces/web/pods?resourceVersion=0',
    '/api/v1/pods?resourceVersion=0&fieldSelector=metadata.name%3Dother',
  ])('is empty where nothing is selected: %s', async (target) => {
    const { lab } = await sharing();
    expect(printed(await lab.request('GET', target))).toMatchObject({ kind: 'PodList', items: [] });
  });

  it.each([
    '/api/v1/pods',
    '/api/v1/pods?limit=5',
    '/api/v1/pods?resourceVersion=51',
    '/api/v1/pods?resourceVersion=50&limit=1',
    '/api/v1/pods?resourceVersion=50&resourceVersionMatch=Exact',
    '/api/v1/pods?resourceVersion=0&fieldSelector=spec.host%3Da',
    '/api/v1/namespaces/default/pods',
  ])('is none for what asks for more than memory can tell: %s', async (target) => {
    const { lab } = await sharing();
    expect(printed(await lab.request('GET', target))).toBeUndefined();
    expect(lab.upstream.requests).not.toEqual([]);
  });

  it('is none of a Table', async () => {
    const { lab } = await sharing();
    await lab.request('GET', '/api/v1/pods?resourceVersion=0', { accept: TABLE });
    expect(lab.upstream.requests).not.toEqual([]);
  });

  it.each([
    '/api/v1/pods?resourceVersion=0',
    '/api/v1/namespaces/default/pods?resourceVersion=50',
    '/api/v1/pods?resourceVersion=0&labelSelector=color%3Dred',
  ])('has the metadata alone where that is asked for: %s', async (target) => {
    const { lab } = await sharing();
    const metadata = expect.objectContaining({ namespace: 'default', name: 'old', resourceVersion: '30' });
    for (const version of ['v1', 'v1beta1']) {
      const apiVersion = `meta.k8s.io/${version}`;
      expect(printed(await lab.request('GET', target, { accept: { ...PARTIAL_ALL, version } }))).toEqual({
        kind: 'PartialObjectMetadataList',
        apiVersion,
        metadata: { resourceVersion: '50' },
        items: [{ kind: 'PartialObjectMetadata', apiVersion, metadata }],
      });
    }
    expect(lab.upstream.requests).toEqual([]);
  });

  it('is none in the shape of one object, which upstream refuses', async () => {
    const { lab } = await sharing();
    await lab.request('GET', '/api/v1/pods?resourceVersion=0', { accept: PARTIAL_ONE });
    expect(lab.upstream.requests).not.toEqual([]);
  });

  it('is none while an object was left out that upstream may show', async () => {
    const { lab, shared } = await sharing();
    const odd = {
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { namespace: 'acme--web', name: 'odd', resourceVersion: '51' },
    };
    shared.send({ type: 'ADDED', object: odd });
    await host.reached(52);
    expect(printed(await lab.request('GET', '/api/v1/pods?resourceVersion=0'))).toBeUndefined();
    expect(lab.leftOut).toHaveLength(1);
  });

  it('follows what happens, with the revision that it has come to', async () => {
    const { lab, shared } = await sharing();
    shared.send({ type: 'ADDED', object: host.pod('acme--web', 'new', 51) });
    await host.reached(60);
    expect(printed(await lab.request('GET', '/api/v1/pods?resourceVersion=60'))).toMatchObject({
      metadata: { resourceVersion: '60' },
      items: [{ metadata: { name: 'old' } }, { metadata: { namespace: 'web', name: 'new' } }],
    });
  });

  it('warns while upstream cannot be reached', async () => {
    const { lab, shared } = await sharing();
    const target = '/api/v1/pods?resourceVersion=0';
    expect(await lab.request('GET', target)).not.toHaveProperty('headers');
    host.isDown = true;
    shared.end();
    await vi.waitFor(async () => {
      const warning = '299 - "the cluster cannot be reached at the moment: this is what was known of it last"';
      expect(await lab.request('GET', target)).toMatchObject({ kind: 'printed', headers: { warning } });
    });
  });

  it('is read for the first who asks, and kept for those who follow', async () => {
    host = new SharingHost();
    const target = '/api/v1/pods?resourceVersion=0';
    const first = printed(await host.lab.request('GET', target));
    const requests = host.lab.upstream.requests.length;
    expect(printed(await host.lab.request('GET', target))).toEqual(first);
    expect(host.lab.upstream.requests).toHaveLength(requests);
  });

  it('is not begun for one namespace alone', async () => {
    host = new SharingHost();
    await host.lab.request('GET', '/api/v1/namespaces/default/pods?resourceVersion=0');
    expect(host.cache.counts.views).toBe(0);
  });
});

describe('an object from memory', () => {
  const OLD = '/api/v1/namespaces/default/pods/old';

  it.each(['0', '50', '7'])('is as new as revision %s asks', async (version) => {
    const { lab } = await sharing();
    expect(printed(await lab.request('GET', `${OLD}?resourceVersion=${version}`))).toMatchObject({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { namespace: 'default', name: 'old' },
    });
    expect(lab.upstream.requests).toEqual([]);
  });

  it.each([
    OLD,
    `${OLD}?resourceVersion=51`,
    `${OLD}/status?resourceVersion=0`,
    '/api/v1/namespaces/default/pods/other?resourceVersion=0',
    '/api/v1/namespaces/web/pods/old?resourceVersion=0',
  ])('is none of what is to be newer, is not there, or is not the object: %s', async (target) => {
    const { lab } = await sharing();
    expect((await lab.request('GET', target)).kind).toBe('object');
    expect(lab.upstream.requests).toHaveLength(1);
  });

  it('is its metadata alone where that is asked for, and upstream’s to refuse as a list', async () => {
    const { lab } = await sharing();
    const target = `${OLD}?resourceVersion=0`;
    expect(printed(await lab.request('GET', target, { accept: PARTIAL_ONE }))).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: expect.objectContaining({ namespace: 'default', name: 'old', resourceVersion: '30' }),
    });
    expect(lab.upstream.requests).toEqual([]);
    await lab.request('GET', target, { accept: PARTIAL_ALL });
    expect(lab.upstream.requests).toHaveLength(1);
  });

  it('is not looked for where objects stand without being stored', async () => {
    host = new SharingHost();
    await host.lab.request('GET', '/api/v1/namespaces?resourceVersion=0');
    expect(host.cache.counts.views).toBe(0);
    expect(host.lab.upstream.requests).toHaveLength(1);
  });
});
