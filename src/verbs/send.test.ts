import { describe, expect, it } from 'vitest';
import { Feed, type Scripted, textOf } from '../../test/support/scripted-upstream.ts';
import { listOf, type RequestOptions, refusal, TABLE, VerbLab } from '../../test/support/verb-lab.ts';
import type { UpstreamResponse } from '../ports.ts';
import { serve } from './verbs.ts';

const PODS = '/api/v1/namespaces/web/pods';
const POD = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'one', namespace: 'acme--web' } };
const OK: Scripted = { status: 200, body: POD };

async function sent(method: string, target: string, options = {}): Promise<string> {
  const lab = new VerbLab(() => OK, { shared: new Set(['shared']) });
  await lab.request(method, target, options).catch(() => {});
  const [request] = lab.upstream.requests;
  return request === undefined ? 'nothing' : `${request.identity.as}: ${textOf(request)}`;
}

describe('what goes upstream', () => {
  it.each([
    ['GET', `${PODS}/one`, 'tenant: GET /api/v1/namespaces/acme--web/pods/one'],
    ['GET', `${PODS}/one/status`, 'tenant: GET /api/v1/namespaces/acme--web/pods/one/status'],
    ['GET', '/api/v1/namespaces/absent/pods/one', 'reader: GET /api/v1/namespaces/acme--absent/pods/one'],
    ['GET', '/api/v1/namespaces/web', 'reader: GET /api/v1/namespaces/acme--web'],
    ['DELETE', '/api/v1/namespaces/web', 'provisioner: DELETE /api/v1/namespaces/acme--web'],
    [
      'GET',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:mine',
      'reader: GET /apis/virtual.kubeveil.dev/v1/clusterroles/acme--x--system03amine',
    ],
    [
      'DELETE',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/mine',
      'tenant: DELETE /apis/virtual.kubeveil.dev/v1/clusterroles/acme--mine',
    ],
    ['GET', '/apis/stable.example.com/v1/gadgets/one', 'tenant: GET /apis/acme--stable.example.com/v1/gadgets/one'],
    [
      'GET',
      '/apis/storage.k8s.io/v1/storageclasses/shared',
      'reader: GET /apis/storage.k8s.io/v1/storageclasses/shared',
    ],
  ])('as whom, and where: %s %s', async (method, target, expected) => {
    expect(await sent(method, target)).toBe(expected);
  });

  it.each([
    ['GET', `${PODS}/one?resourceVersion=0&pretty=true&limit=1&x=y`, 'resourceVersion=0'],
    ['DELETE', `${PODS}/one?gracePeriodSeconds=0&force=true&fieldManager=me`, 'gracePeriodSeconds=0'],
    ['DELETE', `${PODS}?propagationPolicy=Orphan&limit=1`, 'propagationPolicy=Orphan&limit=1'],
    [
      'GET',
      `${PODS}?limit=1&timeoutSeconds=5&allowWatchBookmarks=true&labelSelector=a`,
      'limit=1&timeoutSeconds=5&labelSelector=a',
    ],
  ])('with the parameters that the verb knows: %s %s', async (method, target, query) => {
    expect((await sent(method, target)).split('?')[1]).toBe(query);
  });

  it('has each part of the path escaped', async () => {
    const lab = new VerbLab(() => refusal(404, 'NotFound'));
    const call = lab.call('GET', `${PODS}/one`);
    await serve({ ...call, info: { ...call.info, name: '../x?y#z' } }, lab.deps);
    expect(lab.upstream.requests[0]?.path).toBe('/api/v1/namespaces/acme--web/pods/..%2Fx%3Fy%23z');
  });

  it('is never an object of ours in a tenant’s namespace', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const target = '/apis/rbac.authorization.k8s.io/v1/namespaces/web/rolebindings/kubeveil:guard';
      const body = { metadata: { name: 'kubeveil:guard' } };
      expect(await sent(method, target, method === 'PUT' ? { body } : {})).toBe('nothing');
    }
  });

  it.each([
    [undefined, 'application/json', {}],
    [TABLE, 'application/json;as=Table;v=v1;g=meta.k8s.io', { includeObject: 'Metadata' }],
    [
      { kind: 'PartialObjectMetadata', group: 'meta.k8s.io', version: 'v1' },
      'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      {},
    ],
  ])('asks for what the client wants to see (%o)', async (accept, asked, query) => {
    const lab = new VerbLab(() => OK);
    await lab.request('GET', `${PODS}/one`, accept === undefined ? {} : { accept }).catch(() => {});
    expect(lab.upstream.requests[0]).toMatchObject({ accept: asked, query: Object.entries(query) });
  });
});

describe('an answer', () => {
  it.each(['not json', '[]', '"text"', ''])('that is no object is a fault of upstream: %s', async (text) => {
    const lab = new VerbLab(() => OK);
    const request = async (): Promise<UpstreamResponse> => ({ status: 200, headers: {}, body: Buffer.from(text) });
    const deps = { ...lab.deps, upstream: { ...lab.upstream, request, stream: () => Promise.reject(new Error()) } };
    await expect(serve(lab.call('GET', `${PODS}/one`), deps)).rejects.toMatchObject({ code: 'ERR_BAD_GATEWAY' });
  });

  it('in words alone, as the API server refuses more than it can do, is the same refusal', async () => {
    const lab = new VerbLab(() => OK);
    const body = Buffer.from('Too many requests, please try again later.\n');
    const request = async (): Promise<UpstreamResponse> => ({ status: 429, headers: { 'retry-after': '3' }, body });
    const deps = { ...lab.deps, upstream: { ...lab.upstream, request, stream: () => Promise.reject(new Error()) } };
    await expect(serve(lab.call('GET', `${PODS}/one`), deps)).rejects.toMatchObject({
      code: 'ERR_TOO_MANY_REQUESTS',
      details: { retryAfterSeconds: 3 },
    });
  });

  it.each([
    'pods "one" is forbidden: User "system:serviceaccount:kubeveil-system:kubeveil-datapath" cannot impersonate-on:user-info:get resource "pods" in API group "" in the namespace "acme--web"',
    'pods "one" is forbidden: User "system:serviceaccount:kubeveil-system:kubeveil-reader" cannot get resource "pods" in API group "" at the cluster scope',
    'pods "one" is forbidden: User "kubeveil:acme" cannot get resource "pods" in API group "" in the namespace "acme--web"',
    'pods "one" is forbidden: User "kubeveil:acme" cannot get resource "pods" in API group "" in the namespace "acme--web": RBAC: [clusterrole.rbac.authorization.k8s.io "kubeveil:guard" not found, role.rbac.authorization.k8s.io "x" not found]',
  ])(
    'that refuses what the tenant’s roles allow is no refusal of the tenant: the API server has just started (%s)',
    async (message) => {
      const lab = new VerbLab(() => refusal(403, 'Forbidden', message));
      await expect(lab.request('GET', `${PODS}/one`)).rejects.toMatchObject({
        code: 'ERR_UNAVAILABLE',
        message: 'the cluster is not ready at the moment; try again',
      });
    },
  );

  it.each([
    'pods "one" is forbidden: User "kubeveil:acme" cannot get resource "pods" in API group "" in the namespace "acme--web": not at night',
    'pods "one" is forbidden: exceeded quota: all, requested: pods=1, used: pods=5, limited: pods=5',
    'pods "one" is forbidden: User "kubeveil:globex" cannot get resource "pods" in API group "" in the namespace "acme--web"',
  ])('that refuses the tenant with a reason of the host’s own is that refusal (%s)', async (message) => {
    const lab = new VerbLab(() => refusal(403, 'Forbidden', message));
    expect(await lab.request('GET', `${PODS}/one`)).toMatchObject({ status: 403 });
  });

  it('keeps its status, warnings and when to come back, and no other header', async () => {
    const headers = { warning: '299 - "acme--web is old"', 'retry-after': '5', 'x-secret': 'y', 'audit-id': 'z' };
    const lab = new VerbLab(() => ({ ...refusal(429, 'TooManyRequests'), headers }));
    expect(await lab.request('GET', `${PODS}/one`)).toMatchObject({
      status: 429,
      headers: { warning: ['299 - "web is old"'], 'retry-after': '5' },
    });
    const reply = await lab.request('GET', PODS);
    expect(Object.keys((reply as { headers: object }).headers).sort()).toEqual(['retry-after', 'warning']);
  });

  it('of a watch that is no event ends it as a fault of upstream', async () => {
    const feed = new Feed().send({ type: 'ADDED' } as never).end();
    const events = await new VerbLab(() => ({ status: 200, body: feed })).watch(`${PODS}?watch=true`);
    await expect(events.next()).rejects.toMatchObject({ code: 'ERR_BAD_GATEWAY' });
  });

  it('that is a list is not taken for another kind’s', async () => {
    const lab = new VerbLab(() => listOf('NodeList', 5, []));
    await expect(lab.request('GET', PODS)).rejects.toThrow('where a list of');
  });
});

describe('how far the tenant has written', () => {
  const REHEARSED = { body: { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] } };
  const namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'acme--new', resourceVersion: '60' } };
  const WRITES = [
    ['POST', PODS, { body: { metadata: { name: 'one' } } }],
    ['PUT', `${PODS}/one`, { body: { metadata: { name: 'one' } } }],
    ['DELETE', `${PODS}/one`, {}],
    ['POST', '/api/v1/namespaces', { body: { metadata: { name: 'new' } } }],
  ] as const;

  /** What is known of it after the write, when all was known up to revision 50 before. */
  async function floorAfter(
    [method, target, options]: readonly [method: string, target: string, options: RequestOptions],
    answer: () => Scripted,
  ): Promise<string | undefined> {
    const lab = new VerbLab((request) => (request.method === method ? answer() : OK));
    const call = lab.call(method, target, options);
    lab.deps.sessions.listing(call)('50');
    await serve(call, lab.deps).catch(() => {});
    expect(lab.upstream.requests.some((request) => request.method === method)).toBe(true);
    return lab.deps.sessions.floor(call);
  }

  const fail = (): never => {
    throw new Error('the connection is gone');
  };
  const taken = { status: 201, body: { ...POD, metadata: { ...POD.metadata, resourceVersion: '60' } } };

  it('is the revision of a write that was taken', async () => {
    expect(await floorAfter(WRITES[0], () => taken)).toBe('60');
    expect(await floorAfter(WRITES[1], () => ({ ...taken, status: 200 }))).toBe('60');
    expect(await floorAfter(WRITES[3], () => ({ status: 201, body: namespace }))).toBe('60');
  });

  it.each(WRITES)('is not known when nobody knows what became of a write: %s %s', async (...write) => {
    expect(await floorAfter(write, fail)).toBeUndefined();
    expect(await floorAfter(write, () => ({ status: 200, body: [] as never }))).toBeUndefined();
    for (const code of [500, 503, 504]) {
      expect(await floorAfter(write, () => refusal(code, 'InternalError')), String(code)).toBeUndefined();
    }
  });

  it.each(WRITES)('stays where it was when a write is refused: %s %s', async (...write) => {
    for (const code of [400, 403, 404, 409, 422, 429]) {
      expect(await floorAfter(write, () => refusal(code, 'Forbidden')), String(code)).toBe('50');
    }
  });

  it('is not known after a refused deletion of many: some of them may be gone', async () => {
    expect(await floorAfter(['DELETE', PODS, {}], () => refusal(403, 'Forbidden'))).toBeUndefined();
  });

  it('stays where it was at a dry run, whatever comes of it', async () => {
    for (const [method, target, options] of WRITES) {
      const dry = [method, `${target}?dryRun=All`, options] as const;
      for (const answer of [() => taken, () => refusal(409, 'Conflict'), () => refusal(500, 'InternalError'), fail]) {
        expect(await floorAfter(dry, answer), `${method} ${target}`).toBe('50');
      }
    }
    expect(await floorAfter(['DELETE', `${PODS}/one`, REHEARSED], () => OK)).toBe('50');
    expect(await floorAfter(['DELETE', `${PODS}/one`, {}], () => OK)).toBeUndefined();
  });
});
