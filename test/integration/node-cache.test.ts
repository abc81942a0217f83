/**
 * The node cache between real clients and the real API server: what it keeps it tells exactly as the API server does, to
 * those alone whom the API server allows it, and everything else is the API server's own answer.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RunningNodeCache } from '../../src/app/node-cache.ts';
import { decodeObject } from '../../src/codec/protobuf/codec.ts';
import { type CertificatePair, createAuthority, issueClient } from '../../src/pki/certificates.ts';
import { must } from '../support/administrator.ts';
import { jsonOf } from '../support/http.ts';
import { CACHE_ACCOUNT, NodeCacheLab } from '../support/node-cache-lab.ts';
import { eventually } from '../support/processes.ts';

const READS = ['get', 'list', 'watch'];
const PROTOBUF = { headers: { accept: 'application/vnd.kubernetes.protobuf' } };

let lab: NodeCacheLab;
let cache: RunningNodeCache;
/** How long the audit log was when the cache began. */
let begunAt: number;
let kubelet: CertificatePair;
let agent: { token: string };
let stranger: { token: string };
beforeAll(async () => {
  lab = await NodeCacheLab.open(inject('controlPlane'));
  kubelet = await lab.node('node-1');
  agent = await lab.agent('node-cache-agent', [
    { apiGroups: [''], resources: ['services', 'pods', 'nodes'], verbs: READS },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READS },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
  ]);
  stranger = await lab.agent('node-cache-stranger', []);
  for (const name of ['one', 'two'])
    await must(lab.admin, 'POST', '/api/v1/namespaces/node-cache-agent/services', service(name));
  await must(lab.admin, 'POST', '/api/v1/namespaces/node-cache-agent/secrets', {
    metadata: { name: 'used' },
    stringData: { key: 'of-the-used-one' },
  });
  await must(lab.admin, 'POST', '/api/v1/namespaces/node-cache-agent/secrets', { metadata: { name: 'unused' } });
  await must(lab.admin, 'POST', '/api/v1/namespaces/node-cache-agent/pods', pod('here', 'node-1', 'used'));
  await must(lab.admin, 'POST', '/api/v1/namespaces/node-cache-agent/pods', pod('there', 'node-2'));
  begunAt = await lab.auditMark();
  cache = await lab.cache({ node: kubelet });
});
afterAll(() => lab[Symbol.asyncDispose]());

function service(name: string, labels: Record<string, string> = { app: name }) {
  return { metadata: { name, labels }, spec: { ports: [{ port: 80 }], clusterIP: 'None' } };
}

function pod(name: string, nodeName: string, secretName?: string) {
  const volumes = secretName === undefined ? [] : [{ name: 'v', secret: { secretName } }];
  return { metadata: { name }, spec: { nodeName, containers: [{ name: 'c', image: 'none' }], volumes } };
}

describe('reads of what is kept', () => {
  it.each([
    '/api/v1/services?resourceVersion=0',
    '/api/v1/namespaces/node-cache-agent/services?resourceVersion=0',
    '/api/v1/services?resourceVersion=0&labelSelector=app%3Done',
    '/api/v1/namespaces/node-cache-agent/services/one?resourceVersion=0',
    '/apis/discovery.k8s.io/v1/endpointslices?resourceVersion=0',
    '/api/v1/pods?resourceVersion=0&fieldSelector=spec.nodeName%3Dnode-1,metadata.namespace%3Dnode-cache-agent',
  ])('are what the API server answers, as JSON and as protobuf: %s', async (path) => {
    await lab.ask(cache, '/api/v1/services?resourceVersion=0', agent);
    for (const more of [{}, PROTOBUF]) {
      const { mark } = { mark: await lab.auditMark() };
      const got = await lab.ask(cache, path, agent, more);
      expect(await lab.asked('system:serviceaccount:node-cache-agent:agent', mark)).toEqual([]);
      const plain = await lab.plain(path, agent, more);
      expect(got.status).toBe(200);
      expect(got.headers['content-type']).toBe(plain.headers['content-type']);
      expect(document(got.body, more === PROTOBUF)).toEqual(document(plain.body, more === PROTOBUF));
    }
  });

  /** The object, without the revision of a list, which is that of the moment. */
  function document(body: Buffer, isProtobuf: boolean): unknown {
    const object = (isProtobuf ? decodeObject(body).object : JSON.parse(body.toString())) as {
      items?: unknown;
      metadata: object;
    };
    return object.items === undefined ? object : { ...object, metadata: { ...object.metadata, resourceVersion: '' } };
  }

  it('ask the API server for everything that has to be the newest, page by page or of one revision', async () => {
    for (const path of [
      '/api/v1/services',
      '/api/v1/services?limit=1',
      '/api/v1/services?resourceVersion=1&resourceVersionMatch=Exact',
    ]) {
      const mark = await lab.auditMark();
      await lab.ask(cache, path, agent);
      await eventually('the request is in the audit log', async () =>
        (await lab.asked('system:serviceaccount:node-cache-agent:agent', mark)).includes(`list ${path}`),
      );
    }
  });

  it.each([
    'resourceVersion=0&resourceVersionMatch=Exact',
    'resourceVersion=0&sendInitialEvents=true',
    'resourceVersion=0&limit=x',
    'resourceVersion=0&fieldSelector=spec.odd%3Dx',
    'resourceVersion=0&labelSelector=a%3D%3D%3Db',
    'watch=true&resourceVersion=0&sendInitialEvents=true',
    'watch=true&resourceVersion=0&timeoutSeconds=x',
  ])('are refused in the API server’s words where they are not in order: %s', async (query) => {
    const path = `/api/v1/services?${query}`;
    const [got, plain] = [await lab.ask(cache, path, agent), await lab.plain(path, agent)];
    expect(got.status).toBeGreaterThan(399);
    expect(jsonOf(got)).toEqual(jsonOf(plain));
  });

  it('are refused in the API server’s words to who may not, and to nobody in particular', async () => {
    for (const as of [stranger, { token: 'odd' }, {}]) {
      for (const path of [
        '/api/v1/services?resourceVersion=0',
        '/api/v1/pods?resourceVersion=0&fieldSelector=spec.nodeName%3Dnode-1',
      ]) {
        const [got, plain] = [await lab.ask(cache, path, as), await lab.plain(path, as)];
        expect([401, 403]).toContain(got.status);
        expect(jsonOf(got)).toEqual(jsonOf(plain));
      }
    }
  });
});

describe('watches of what is kept', () => {
  it('are one upstream, begin with what there is and tell what happens', async () => {
    const path =
      '/api/v1/services?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    using first = await lab.watch(cache, path, agent);
    using second = await lab.watch(cache, `${path}&labelSelector=app%3Done`, agent);
    for (const watch of [first, second]) await watch.until('"k8s.io/initial-events-end":"true"');
    expect(second.text).not.toContain('"name":"two"');
    await must(lab.admin, 'POST', '/api/v1/namespaces/node-cache-agent/services', service('three'));
    await first.until('"name":"three"');
    await must(
      lab.admin,
      'PATCH',
      '/api/v1/namespaces/node-cache-agent/services/three',
      { metadata: { labels: { app: 'one' } } },
      'application/merge-patch+json',
    );
    await second.until('"name":"three"');
    await must(lab.admin, 'DELETE', '/api/v1/namespaces/node-cache-agent/services/three');
    for (const watch of [first, second]) await watch.until('"type":"DELETED"');
    const watches = (await lab.asked(CACHE_ACCOUNT, begunAt)).filter(
      (one) =>
        one.startsWith('watch /api/v1/services') &&
        !one.includes('timeoutSeconds=3&') &&
        !one.endsWith('timeoutSeconds=3'),
    );
    expect(watches).toHaveLength(1);
  });

  it('of one namespace are told of that namespace alone', async () => {
    using watch = await lab.watch(
      cache,
      '/api/v1/namespaces/node-cache-agent/services?watch=true&resourceVersion=0',
      agent,
    );
    await watch.until('"name":"two"');
    expect(watch.text).not.toContain('"namespace":"default"');
  });
});

describe('the kubelet', () => {
  it('gets the pods of its node, and its Node, from memory', async () => {
    const [pods, node] = [
      '/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dnode-1&resourceVersion=0',
      '/api/v1/nodes?watch=true&fieldSelector=metadata.name%3Dnode-1&resourceVersion=0',
    ];
    using ofPods = await lab.watch(cache, pods, kubelet);
    using ofNode = await lab.watch(cache, node, kubelet);
    await ofPods.until('"name":"here"');
    await ofNode.until('"name":"node-1"');
    expect(ofPods.text).not.toContain('"name":"there"');
    expect(await lab.asked('system:node:node-1')).not.toContain(`watch ${pods}`);
  });

  it('watches a Secret of a pod on its node, and is refused any other as the API server does', async () => {
    const of = (name: string) => `/api/v1/namespaces/node-cache-agent/secrets?fieldSelector=metadata.name%3D${name}`;
    // The API server has to have seen the pod before it lets the node have its Secret.
    await eventually('the node may read the Secret', async () => (await lab.plain(of('used'), kubelet)).status === 200);
    using watch = await lab.watch(cache, `${of('used')}&watch=true&resourceVersion=0`, kubelet);
    await watch.until(Buffer.from('of-the-used-one').toString('base64'));
    for (const path of [of('unused'), '/api/v1/namespaces/node-cache-agent/secrets?resourceVersion=0']) {
      const [got, plain] = [await lab.ask(cache, path, kubelet), await lab.plain(path, kubelet)];
      expect(got.status).toBe(403);
      expect(jsonOf(got)).toEqual(jsonOf(plain));
    }
  });

  it('writes as itself', async () => {
    const path = '/api/v1/nodes/node-1/status';
    const patch = JSON.stringify({ metadata: { annotations: { 'node-cache-test': 'written' } } });
    const headers = { 'content-type': 'application/merge-patch+json' };
    const got = await lab.ask(cache, path, kubelet, { method: 'PATCH', body: patch, headers });
    expect(got.status).toBe(200);
    await eventually('it is in the audit log', async () =>
      (await lab.asked('system:node:node-1')).includes(`patch ${path}`),
    );
  });
});

describe('other credentials', () => {
  it('of a token: what the API server lets them', async () => {
    const path = '/api/v1/namespaces/node-cache-agent/configmaps';
    const body = JSON.stringify({ metadata: { name: 'made' } });
    expect((await lab.ask(cache, path, agent, { method: 'POST', body })).status).toBe(201);
    expect((await lab.ask(cache, `${path}/made`, agent, { method: 'DELETE' })).status).toBe(200);
    expect((await lab.ask(cache, path, stranger, { method: 'POST', body })).status).toBe(403);
  });

  it('of another client certificate: what is kept, and nothing that the node’s own would have to be lent for', async () => {
    const reader = await issueClient(lab.authority, { user: 'somebody', groups: ['system:masters'] });
    expect((await lab.ask(cache, '/api/v1/services?resourceVersion=0', reader)).status).toBe(200);
    for (const as of [reader, await lab.node('node-2')]) {
      const path = '/api/v1/namespaces/node-cache-agent/secrets/used';
      const got = await lab.ask(cache, path, as);
      expect(got.status).toBe(401);
      expect(jsonOf(got)).toMatchObject({ message: expect.stringContaining('passes on no client certificate') });
    }
  });

  it('of another node do not get what is of this one', async () => {
    const other = await lab.node('node-2');
    const path = '/api/v1/pods?resourceVersion=0&fieldSelector=spec.nodeName%3Dnode-1';
    expect((await lab.ask(cache, path, other)).status).toBe(401);
    expect((await lab.ask(cache, path, kubelet)).status).toBe(200);
  });

  it('that the node cannot have signed do not count', async () => {
    const forged = await createAuthority([{ CN: ['kubernetes-ca'] }]);
    const certificate = await issueClient(forged, { user: 'system:node:node-1', groups: ['system:nodes'] });
    for (const path of ['/api/v1/services?resourceVersion=0', '/api/v1/services', '/version']) {
      expect((await lab.ask(cache, path, certificate)).status).toBe(401);
    }
  });

  it('of who would be somebody else are weighed by the API server', async () => {
    const headers = { 'impersonate-user': 'system:node:node-1', 'impersonate-group': 'system:nodes' };
    const path = '/api/v1/services?resourceVersion=0';
    const [got, plain] = [await lab.ask(cache, path, agent, { headers }), await lab.plain(path, agent, { headers })];
    expect(got.status).toBe(403);
    expect(jsonOf(got)).toEqual(jsonOf(plain));
  });
});
