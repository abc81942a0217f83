import { describe, expect, it } from 'vitest';
import { type Scripted, textOf } from '../../test/support/scripted-upstream.ts';
import { listOf, refusal, TABLE, VerbLab } from '../../test/support/verb-lab.ts';
import { nameOf, namespaceOf } from '../k8s/meta.ts';
import { objects } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';

const NAMESPACES = 'GET /api/v1/namespaces?labelSelector=kubeveil.dev/tenant=acme&';
const EXACT = 'resourceVersion=50&resourceVersionMatch=Exact';

function pod(namespace: string, name: string): JsonObject {
  return { metadata: { namespace, name, uid: `${namespace}-${name}`, resourceVersion: '7' } };
}
function pods(namespace: string): string {
  return `GET /api/v1/namespaces/${namespace}/pods`;
}
function podList(items: readonly JsonObject[], metadata?: JsonObject): Scripted {
  return listOf('PodList', 50, items, metadata);
}
function namespaceList(...names: string[]): Scripted {
  return listOf(
    'PartialObjectMetadataList',
    50,
    names.map((name) => ({ metadata: { name, labels: { 'kubeveil.dev/tenant': 'acme' } } })),
  );
}
function shown({ object }: { object: JsonObject }): string[] {
  return objects(object, 'items').map((item) => `${namespaceOf(item)}/${nameOf(item)}`);
}

/** What upstream is asked for first: the revision. */
const FIRST = `${pods('acme--default')}?limit=1`;

describe('a list over all namespaces', () => {
  it('pins a revision, lists the namespaces at it, and each of them at it, in the order of keys', async () => {
    const lab = new VerbLab({
      [FIRST]: podList([pod('acme--default', 'one')]),
      [`${NAMESPACES}${EXACT}`]: namespaceList('acme--web', 'acme--default', 'acme--web-2'),
      [`${pods('acme--default')}?${EXACT}`]: podList([pod('acme--default', 'one')]),
      [`${pods('acme--web')}?${EXACT}`]: podList([pod('acme--web', 'a'), pod('acme--web', 'b')]),
      [`${pods('acme--web-2')}?${EXACT}`]: podList([pod('acme--web-2', 'c')]),
    });
    const reply = await lab.ask('GET', '/api/v1/pods');
    expect(reply.status).toBe(200);
    // `-` comes before `/` in the keys of the API server.
    expect(shown(reply)).toEqual(['default/one', 'web-2/c', 'web/a', 'web/b']);
    expect(reply.object).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
    expect(reply.object['metadata']).toEqual({ resourceVersion: '50' });
    const [first, second, ...parts] = lab.upstream.requests;
    expect([first, second].map((request) => request && textOf(request))).toEqual([FIRST, `${NAMESPACES}${EXACT}`]);
    expect(first?.identity).toMatchObject({ as: 'tenant', tenant: 'acme' });
    expect(second?.identity).toEqual({ as: 'reader' });
    expect(parts).toHaveLength(3);
  });

  it('goes on to namespaces that are gone since, and to none of anybody else', async () => {
    const lab = new VerbLab({
      [FIRST]: podList([]),
      [`${NAMESPACES}${EXACT}`]: namespaceList('acme--gone', 'globex--web', 'kube-system'),
      [`${pods('acme--gone')}?${EXACT}`]: podList([pod('acme--gone', 'one')]),
    });
    expect(shown(await lab.ask('GET', '/api/v1/pods'))).toEqual(['gone/one']);
    expect(lab.upstream.requests.at(-1)?.identity).toEqual({ as: 'reader' });
  });

  it.each([
    [
      'the authorizer’s',
      'pods is forbidden: User "kubeveil:acme" cannot list resource "pods" in API group "" in the namespace "acme--web"',
    ],
    ['other', 'no'],
  ])(
    'reads as the reader what was in a namespace whose guard has gone, and shows only what is the tenant’s: %s words',
    async (_whose, message) => {
      const lab = new VerbLab((request) => {
        const text = textOf(request);
        if (text === FIRST) return podList([]);
        if (text.startsWith(NAMESPACES)) return namespaceList('acme--web');
        if (request.identity.as === 'tenant') return refusal(403, 'Forbidden', message);
        return podList([pod('acme--web', 'mine'), pod('globex--web', 'foreign')]);
      });
      expect(shown(await lab.ask('GET', '/api/v1/pods'))).toEqual(['web/mine']);
      expect(lab.upstream.requests.map(({ identity }) => identity.as)).toEqual([
        'tenant',
        'reader',
        'tenant',
        'reader',
      ]);
    },
  );

  it.each([
    ['the first request', FIRST],
    ['the namespaces', `${NAMESPACES}${EXACT}`],
    ['one namespace', `${pods('acme--web')}?${EXACT}`],
  ])('is refused as a whole when upstream no longer has the revision: %s', async (_what, refused) => {
    const lab = new VerbLab({
      [FIRST]: podList([]),
      [`${NAMESPACES}${EXACT}`]: namespaceList('acme--default', 'acme--web'),
      [`${pods('acme--default')}?${EXACT}`]: podList([pod('acme--default', 'one')]),
      [`${pods('acme--web')}?${EXACT}`]: podList([]),
      [refused]: refusal(410, 'Expired', 'too old resource version'),
    });
    const reply = await lab.ask('GET', '/api/v1/pods');
    expect(reply.status).toBe(410);
    expect(reply.object).toMatchObject({ kind: 'Status', reason: 'Expired', message: 'too old resource version' });
  });

  it.each([
    ['', 'limit=1'],
    // Memory may have told more than an API server knows that has just started.
    ['?resourceVersion=0', 'limit=1'],
    ['?resourceVersion=0&resourceVersionMatch=NotOlderThan', 'limit=1'],
    ['?resourceVersion=9', 'limit=1&resourceVersion=9&resourceVersionMatch=NotOlderThan'],
    ['?resourceVersion=9&limit=5', 'limit=1&resourceVersion=9'],
    ['?resourceVersion=9&resourceVersionMatch=Exact', 'limit=1&resourceVersion=9&resourceVersionMatch=Exact'],
  ])('asks for the revision with the freshness that the client asked for: %s', async (given, asked) => {
    const lab = new VerbLab((request) => (textOf(request).startsWith(NAMESPACES) ? namespaceList() : podList([])));
    const reply = await lab.ask('GET', `/api/v1/pods${given}`);
    expect(lab.upstream.texts()[0]).toBe(`${pods('acme--default')}?${asked}`);
    expect(reply.object).toMatchObject({ metadata: { resourceVersion: '50' }, items: [] });
  });

  it('keeps the selectors of the client in every part', async () => {
    const lab = new VerbLab((request) =>
      textOf(request).startsWith(NAMESPACES) ? namespaceList('acme--web') : podList([]),
    );
    await lab.ask('GET', '/api/v1/pods?labelSelector=app%3Dweb&fieldSelector=metadata.namespace%3Dweb');
    const selectors = '&labelSelector=app=web&fieldSelector=metadata.namespace=acme--web';
    expect(lab.upstream.texts()).toEqual([
      `${FIRST}${selectors}`,
      `${NAMESPACES}${EXACT}`,
      `${pods('acme--web')}?${EXACT}${selectors}`,
    ]);
  });

  it('asks in no other namespace than the one that the client selects', async () => {
    const selected = 'fieldSelector=metadata.namespace=acme--web';
    const lab = new VerbLab({
      [`${FIRST}&${selected}`]: podList([]),
      [`${NAMESPACES}${EXACT}`]: namespaceList('acme--default', 'acme--web', 'acme--x'),
      [`${pods('acme--web')}?${EXACT}&limit=1&${selected}`]: podList([pod('acme--web', 'a')]),
    });
    const reply = await lab.ask('GET', '/api/v1/pods?limit=1&fieldSelector=metadata.namespace%3Dweb');
    expect(shown(reply)).toEqual(['web/a']);
    // Nothing can follow, so no page is promised.
    expect(reply.object['metadata']).toEqual({ resourceVersion: '50' });
  });

  it('joins Tables, with the columns once', async () => {
    const columns = [{ name: 'Name', type: 'string', format: 'name' }];
    const table = (...names: string[]): Scripted => ({
      status: 200,
      body: {
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: '50' },
        columnDefinitions: columns,
        rows: names.map((name) => ({
          cells: [name],
          object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', ...pod('acme--web', name) },
        })),
      },
    });
    const lab = new VerbLab((request) => {
      const text = textOf(request);
      if (text.startsWith(NAMESPACES)) return namespaceList('acme--web');
      return text.includes('acme--default') ? table('dropped') : table('one', 'two');
    });
    const { object } = await lab.ask('GET', '/api/v1/pods', { accept: TABLE });
    expect(object['columnDefinitions']).toEqual(columns);
    expect(objects(object, 'rows').map(({ cells }) => cells)).toEqual([['one'], ['two']]);
    expect(lab.upstream.requests[2]?.accept).toBe('application/json;as=Table;v=v1;g=meta.k8s.io');
  });
});

describe('pages of a list over all namespaces', () => {
  const all: Record<string, JsonObject[]> = {
    'acme--default': [pod('acme--default', 'a'), pod('acme--default', 'b'), pod('acme--default', 'c')],
    'acme--empty': [],
    'acme--web': [pod('acme--web', 'd'), pod('acme--web', 'e')],
  };

  /** A host that pages as kube-apiserver does: its token is where the next page begins. */
  function lab(): VerbLab {
    return new VerbLab((request) => {
      const query = new Map(request.query);
      if (request.path === '/api/v1/namespaces') return namespaceList(...Object.keys(all));
      const items = all[request.path.split('/')[4] ?? ''] ?? [];
      const from = Number(query.get('continue')?.replace('upstream-', '') ?? 0);
      const to = from + Number(query.get('limit') ?? items.length);
      return podList(items.slice(from, to), to < items.length ? { continue: `upstream-${to}` } : {});
    });
  }

  it.each([1, 2, 3, 4, 5, 500])('of %i hold everything once, at one revision', async (limit) => {
    const one = lab();
    const seen: string[] = [];
    let token: string | undefined;
    for (let page = 0; page < 10; page += 1) {
      const next = token === undefined ? '' : `&continue=${encodeURIComponent(token)}`;
      const reply = await one.ask('GET', `/api/v1/pods?limit=${limit}${next}`);
      expect(shown(reply).length).toBeLessThanOrEqual(limit);
      seen.push(...shown(reply));
      const metadata = reply.object['metadata'] as JsonObject;
      expect(metadata['resourceVersion']).toBe('50');
      token = metadata['continue'] as string | undefined;
      if (token === undefined) break;
      expect(token).not.toContain('upstream');
    }
    expect(token).toBeUndefined();
    expect(seen).toEqual(['default/a', 'default/b', 'default/c', 'web/d', 'web/e']);
  });

  it('go on inside a namespace by upstream’s token, and at the exact revision in the next', async () => {
    const one = lab();
    const first = await one.ask('GET', '/api/v1/pods?limit=2');
    const token = encodeURIComponent(String((first.object['metadata'] as JsonObject)['continue']));
    await one.ask('GET', `/api/v1/pods?limit=3&continue=${token}`);
    expect(one.upstream.texts().slice(2)).toEqual([
      `${pods('acme--default')}?${EXACT}&limit=2`,
      `${NAMESPACES}${EXACT}`,
      `${pods('acme--default')}?continue=upstream-2&limit=3`,
      `${pods('acme--empty')}?${EXACT}&limit=2`,
      `${pods('acme--web')}?${EXACT}&limit=2`,
    ]);
  });

  it('go on inside a namespace also without a limit', async () => {
    const one = lab();
    const first = await one.ask('GET', '/api/v1/pods?limit=2');
    const token = encodeURIComponent(String((first.object['metadata'] as JsonObject)['continue']));
    const rest = await one.ask('GET', `/api/v1/pods?continue=${token}`);
    expect(one.upstream.texts().slice(4)).toContain(`${pods('acme--default')}?continue=upstream-2`);
    expect([...shown(first), ...shown(rest)]).toEqual(['default/a', 'default/b', 'default/c', 'web/d', 'web/e']);
  });

  it('end with 410 when the revision is gone meanwhile', async () => {
    const first = await lab().ask('GET', '/api/v1/pods?limit=2');
    const token = encodeURIComponent(String((first.object['metadata'] as JsonObject)['continue']));
    const late = new VerbLab(() => refusal(410, 'Expired'));
    expect(await late.ask('GET', `/api/v1/pods?limit=2&continue=${token}`)).toMatchObject({ status: 410 });
  });

  it.each(['x', '-', '1.5'])('are refused for a limit of %s', async (limit) => {
    await expect(lab().ask('GET', `/api/v1/pods?limit=${limit}`)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' });
  });
});
