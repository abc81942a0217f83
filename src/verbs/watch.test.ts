import { describe, expect, it } from 'vitest';
import { Feed, queryOf, type Scripted } from '../../test/support/scripted-upstream.ts';
import { type LabOptions, NotedInformer, refusal, TABLE, VerbLab } from '../../test/support/verb-lab.ts';
import { nameOf, versionOf } from '../k8s/meta.ts';
import { child, objects } from '../k8s/read.ts';
import type { JsonObject, WatchEvent } from '../k8s/types.ts';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const UPSTREAM = '/apis/virtual.kubeveil.dev/v1/clusterroles';
const PODS = '/api/v1/namespaces/web/pods';
const END = { 'k8s.io/initial-events-end': 'true' };

function role(name: string, version: number): JsonObject {
  const metadata = { name, uid: 'u', resourceVersion: String(version), labels: { 'kubeveil.dev/tenant': 'acme' } };
  return { kind: 'ClusterRole', apiVersion: 'virtual.kubeveil.dev/v1', metadata, rules: [] };
}
function pod(name: string, version: number): JsonObject {
  const metadata = { namespace: 'acme--web', name, uid: 'u', resourceVersion: String(version) };
  return { kind: 'Pod', apiVersion: 'v1', metadata };
}
function bookmark(kind: string, apiVersion: string, version: number, annotations?: JsonObject): WatchEvent {
  const metadata = { resourceVersion: String(version), ...(annotations === undefined ? {} : { annotations }) };
  return { type: 'BOOKMARK', object: { kind, apiVersion, metadata } };
}

function labOf(feed: Feed | Scripted, options: LabOptions = {}): VerbLab {
  return new VerbLab(() => (feed instanceof Feed ? { status: 200, body: feed } : feed), options);
}

async function all(events: AsyncIterator<WatchEvent>): Promise<WatchEvent[]> {
  const seen: WatchEvent[] = [];
  for (let next = await events.next(); next.done !== true; next = await events.next()) seen.push(next.value);
  return seen;
}
function texts(events: readonly WatchEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${nameOf(object)}@${versionOf(object)}`);
}

describe('a watch of one collection', () => {
  it('shows events and bookmarks, the one that ends the initial events above all', async () => {
    const feed = new Feed()
      .send({ type: 'ADDED', object: pod('one', 5) }, bookmark('Pod', 'v1', 9, END), bookmark('Pod', 'v1', 12))
      .send({ type: 'DELETED', object: pod('one', 13) })
      .end();
    const lab = labOf(feed);
    const target = `${PODS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
    const events = await all(await lab.watch(target));
    expect(texts(events)).toEqual(['ADDED one@5', 'BOOKMARK @9', 'BOOKMARK @12', 'DELETED one@13']);
    expect(events[1]?.object).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9', annotations: END },
    });
    expect(lab.upstream.requests[0]).toMatchObject({
      path: '/api/v1/namespaces/acme--web/pods',
      identity: { as: 'tenant' },
    });
  });

  it('asks upstream for bookmarks always, and gives them only to those who asked', async () => {
    const feed = new Feed().send(bookmark('Pod', 'v1', 9), { type: 'ADDED', object: pod('one', 10) }).end();
    const lab = labOf(feed);
    expect(texts(await all(await lab.watch(`${PODS}?watch=true`)))).toEqual(['ADDED one@10']);
    expect(queryOf(lab.upstream.requests[0])).toEqual({ watch: 'true', allowWatchBookmarks: 'true' });
  });

  it('leaves out an object that cannot be shown, and goes on', async () => {
    const feed = new Feed()
      .send({ type: 'ADDED', object: { ...pod('odd', 5), kind: 'Node' } }, { type: 'ADDED', object: pod('one', 6) })
      .end();
    const lab = labOf(feed);
    expect(texts(await all(await lab.watch(`${PODS}?watch=true`)))).toEqual(['ADDED one@6']);
    expect(lab.leftOut).toHaveLength(1);
  });

  it('of what can match nothing stays open and silent', async () => {
    const lab = labOf(new Feed().end());
    await all(await lab.watch(`${PODS}?watch=true&labelSelector=kubeveil.dev%2Ftenant%3Dglobex`));
    expect(queryOf(lab.upstream.requests[0])).toMatchObject({ labelSelector: 'kubeveil.dev/nothing' });
  });

  it('is refused as upstream refuses it', async () => {
    const reply = await labOf(refusal(410, 'Expired', 'too old')).ask('GET', `${PODS}?watch=true&resourceVersion=1`);
    expect(reply).toMatchObject({ status: 410, object: { kind: 'Status', reason: 'Expired' } });
  });
});

describe('a watch of what partly stands without being stored', () => {
  it('begins with what stands', async () => {
    const feed = new Feed().send({ type: 'ADDED', object: role('acme--mine', 5) }).end();
    const events = texts(await all(await labOf(feed).watch(`${ROLES}?watch=true`)));
    expect(events).toEqual(expect.arrayContaining(['ADDED admin@1', 'ADDED view@1']));
    expect(events.at(-1)).toBe('ADDED mine@5');
  });

  it('begins without what is stored', async () => {
    const views = new NotedInformer();
    views.note(role('acme--view', 4));
    const feed = new Feed().send({ type: 'ADDED', object: role('acme--view', 4) }).end();
    const lab = labOf(feed, { followed: new Map([[UPSTREAM, views]]) });
    const events = texts(await all(await lab.watch(`${ROLES}?watch=true`)));
    expect(events.filter((text) => text.includes(' view@'))).toEqual(['ADDED view@4']);
  });

  it('does not repeat it to those who have listed', async () => {
    const feed = new Feed().send({ type: 'ADDED', object: role('acme--mine', 6) }).end();
    expect(texts(await all(await labOf(feed).watch(`${ROLES}?watch=true&resourceVersion=5`)))).toEqual([
      'ADDED mine@6',
    ]);
  });

  it('gives a standing object back when the stored one of its name goes', async () => {
    const feed = new Feed()
      .send({ type: 'DELETED', object: role('acme--view', 9) }, { type: 'DELETED', object: role('acme--mine', 10) })
      .end();
    expect(texts(await all(await labOf(feed).watch(`${ROLES}?watch=true&resourceVersion=5`)))).toEqual([
      'DELETED view@9',
      'ADDED view@9',
      'DELETED mine@10',
    ]);
  });

  it('prints it as rows where a Table is asked for', async () => {
    const events = await all(await labOf(new Feed().end()).watch(`${ROLES}?watch=true`, { accept: TABLE }));
    const rows = events.flatMap(({ object }) => objects(object, 'rows'));
    expect(rows.map((row) => nameOf(child(row, 'object')))).toContain('view');
    for (const row of rows) expect(row).toMatchObject({ object: { kind: 'PartialObjectMetadata' } });
  });
});
