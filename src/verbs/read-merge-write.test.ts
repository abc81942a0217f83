import { describe, expect, it } from 'vitest';
import { bodyOf, type Scripted } from '../../test/support/scripted-upstream.ts';
import { refusal, VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject } from '../k8s/types.ts';

const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/reader';
const UPSTREAM = '/apis/virtual.kubeveil.dev/v1/clusterroles/acme--reader';
const MERGE = 'application/merge-patch+json';

function role(version: number, labels: JsonObject = {}): JsonObject {
  return {
    kind: 'ClusterRole',
    apiVersion: 'virtual.kubeveil.dev/v1',
    metadata: {
      name: 'acme--reader',
      uid: 'u',
      resourceVersion: String(version),
      labels: { 'kubeveil.dev/tenant': 'acme', ...labels },
    },
    rules: [],
  };
}

/** A host whose role changes under the writer: it takes a write only after so many conflicts. */
function lab(conflicts: number): VerbLab {
  let version = 10;
  let left = conflicts;
  return new VerbLab(({ method, body }): Scripted => {
    if (method === 'GET') return { status: 200, body: role(version) };
    left -= 1;
    if (left < 0) return { status: 200, body: JSON.parse(String(body)) as JsonObject };
    version += 1;
    return refusal(409, 'Conflict', 'the object has been modified');
  });
}

function writes(one: VerbLab): JsonObject[] {
  return one.upstream.requests.filter(({ method }) => method !== 'GET').map(bodyOf);
}

async function patch(one: VerbLab, body: JsonObject | JsonObject[], type = MERGE) {
  return await one.ask('PATCH', ROLE, { body, type });
}

describe('a patch that is worked out here', () => {
  it.each([
    [MERGE, { metadata: { labels: { a: 'b' } } }],
    ['application/strategic-merge-patch+json', { metadata: { labels: { a: 'b' } } }],
    ['application/json-patch+json', [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]],
  ] as [string, JsonObject | JsonObject[]][])(
    'is written whole, with the revision that was read: %s',
    async (type, body) => {
      const one = lab(0);
      const reply = await patch(one, body, type);
      expect(reply).toMatchObject({ status: 200, object: { metadata: { name: 'reader', labels: { a: 'b' } } } });
      expect(reply.object['metadata']).not.toHaveProperty(['labels', 'kubeveil.dev/tenant']);
      expect(one.upstream.requests.at(-1)).toMatchObject({ method: 'PUT', path: UPSTREAM });
      expect(writes(one)).toMatchObject([
        { metadata: { resourceVersion: '10', labels: { a: 'b', 'kubeveil.dev/tenant': 'acme' } } },
      ]);
    },
  );

  it('is tried again on what is there when somebody else was faster', async () => {
    const one = lab(2);
    expect(await patch(one, { metadata: { labels: { a: 'b' } } })).toMatchObject({ status: 200 });
    expect(writes(one).map(({ metadata }) => (metadata as JsonObject)['resourceVersion'])).toEqual(['10', '11', '12']);
  });

  it('gives up after five times, with the conflict', async () => {
    const one = lab(100);
    expect(await patch(one, { metadata: { labels: { a: 'b' } } })).toMatchObject({
      status: 409,
      object: { kind: 'Status', reason: 'Conflict' },
    });
    expect(writes(one)).toHaveLength(5);
  });

  it('holds for the one revision that it names', async () => {
    const one = lab(100);
    expect(await patch(one, { metadata: { resourceVersion: '9', labels: { a: 'b' } } })).toMatchObject({ status: 409 });
    expect(writes(one)).toHaveLength(1);
    expect(writes(one)[0]).toMatchObject({ metadata: { resourceVersion: '9' } });
  });

  it('is 404 where there is nothing to patch', async () => {
    const one = new VerbLab(() => refusal(404, 'NotFound', 'clusterroles "acme--reader" not found'));
    const reply = await patch(one, { metadata: { labels: { a: 'b' } } });
    expect(reply).toMatchObject({ status: 404, object: { message: 'clusterroles "reader" not found' } });
    expect(writes(one)).toEqual([]);
  });
});

describe('an update without a revision', () => {
  it('of a virtual kind is taken, as the native kinds take it', async () => {
    const one = lab(1);
    const body = {
      kind: 'ClusterRole',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'reader', labels: { new: 'yes' } },
      rules: [],
    };
    expect(await one.ask('PUT', ROLE, { body })).toMatchObject({ status: 200 });
    expect(writes(one)).toMatchObject([
      { metadata: { resourceVersion: '10', labels: { new: 'yes' } } },
      { metadata: { resourceVersion: '11', labels: { new: 'yes' } } },
    ]);
  });
});
