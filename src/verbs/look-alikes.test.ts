/** CRDs may define kinds of the names that the API server itself uses for Tables, partial objects and Status. */
import { describe, expect, it } from 'vitest';
import { Feed, type Scripted } from '../../test/support/scripted-upstream.ts';
import { TABLE, VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject } from '../k8s/types.ts';
import { serve } from './verbs.ts';

const KINDS = ['Table', 'Status', 'PartialObjectMetadata', 'PartialObjectMetadataList', 'List', 'Widget'];
const COLLECTION = '/apis/stable.example.com/v1/namespaces/web/widgets';
const UPSTREAM = '/apis/acme--stable.example.com/v1/namespaces/acme--web/widgets';

/** An object with all the fields that a Table, a list or a Status has. */
function object(kind: string, namespace: string, apiVersion: string): JsonObject {
  return {
    apiVersion,
    kind,
    metadata: { name: 'x', namespace, resourceVersion: '7' },
    spec: { a: 'b' },
    rows: [{ cells: ['acme--web'], object: null }],
    columnDefinitions: [{ name: 'Where', type: 'string' }],
    status: 'Failure',
    message: 'x',
  };
}
const stored = (kind: string) => object(kind, 'acme--web', 'acme--stable.example.com/v1');
const shown = (kind: string) => object(kind, 'web', 'stable.example.com/v1');

function listed(kind: string, items: JsonObject[], apiVersion: string): JsonObject {
  return { apiVersion, kind, metadata: { resourceVersion: '7' }, items };
}

/** As the tenant whose kind `widgets` is of this name. */
async function ask(kind: string, method: string, target: string, answer: Scripted, body?: JsonObject) {
  const lab = new VerbLab(() => answer);
  const call = lab.call(method, target, body === undefined ? {} : { body });
  return await serve({ ...call, at: { ...call.at, kind: { ...call.at.kind, kind } } }, lab.deps);
}

describe.each(KINDS)('an object of a custom kind %s', (kind) => {
  it('is read, made and changed as any other', async () => {
    const answer = { status: 200, body: stored(kind) };
    const one = await ask(kind, 'GET', `${COLLECTION}/x`, answer);
    expect(one).toMatchObject({ kind: 'object', object: shown(kind) });
    const made = await ask(kind, 'POST', COLLECTION, { status: 201, body: stored(kind) }, shown(kind));
    expect(made).toMatchObject({ kind: 'object', status: 201, object: shown(kind) });
  });

  it('is listed, under whatever name its lists have', async () => {
    for (const listKind of new Set([`${kind}List`, ...KINDS])) {
      const body = listed(listKind, [stored(kind)], 'acme--stable.example.com/v1');
      const reply = await ask(kind, 'GET', COLLECTION, { status: 200, body });
      const items = listed(listKind, [shown(kind)], 'stable.example.com/v1');
      expect(reply).toMatchObject({ kind: 'object', object: items });
    }
  });

  it('is watched', async () => {
    const feed = new Feed().send({ type: 'ADDED', object: stored(kind) }).end();
    const reply = await ask(kind, 'GET', `${COLLECTION}?watch=true&resourceVersion=7`, { status: 200, body: feed });
    if (reply.kind !== 'watch') throw new Error('no watch');
    const events: unknown[] = [];
    for await (const event of reply.events) events.push(event);
    expect(events).toEqual([{ type: 'ADDED', object: shown(kind) }]);
  });

  it('is deleted with its collection', async () => {
    const body = listed(`${kind}List`, [stored(kind)], 'acme--stable.example.com/v1');
    const reply = await ask(kind, 'DELETE', COLLECTION, { status: 200, body });
    expect(reply).toMatchObject({ kind: 'object', object: { items: [shown(kind)] } });
  });

  it('of another tenant is shown in no way', async () => {
    const body = object(kind, 'globex--web', 'acme--stable.example.com/v1');
    await expect(ask(kind, 'GET', `${COLLECTION}/x`, { status: 200, body })).rejects.toThrow(/./);
    const list = listed(`${kind}List`, [body], 'acme--stable.example.com/v1');
    expect(await ask(kind, 'GET', COLLECTION, { status: 200, body: list })).toMatchObject({ object: { items: [] } });
  });
});

describe('what the API server itself makes', () => {
  it('of a custom kind is told by its group', async () => {
    const table = {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '7' },
      columnDefinitions: [{ name: 'Where', type: 'string' }],
      rows: [{ cells: ['acme--web'], object: stored('Table') }],
    };
    const lab = new VerbLab({ [`GET ${UPSTREAM}?includeObject=Metadata`]: { status: 200, body: table } });
    const call = lab.call('GET', COLLECTION, { accept: TABLE });
    const reply = await serve({ ...call, at: { ...call.at, kind: { ...call.at.kind, kind: 'Table' } } }, lab.deps);
    expect(reply).toMatchObject({
      object: { rows: [{ cells: ['web'], object: { kind: 'PartialObjectMetadata', metadata: { namespace: 'web' } } }] },
    });
  });
});
