import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { JsonObject } from '../k8s/types.ts';
import { createNativeMerge } from './native-merge.ts';

const GVK = 'x-kubernetes-group-version-kind';
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const DOCUMENT = {
  components: {
    schemas: {
      Other: { [GVK]: [{ group: '', version: 'v1', kind: 'NamespaceList' }] },
      Namespace: {
        [GVK]: [{ group: '', version: 'v1', kind: 'Namespace' }],
        properties: { metadata: { allOf: [ref('Meta')] }, self: { allOf: [ref('Namespace')] } },
      },
      Meta: {
        properties: {
          name: { type: 'string' },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          owners: {
            type: 'array',
            items: { allOf: [ref('Owner')] },
            'x-kubernetes-patch-strategy': 'merge',
            'x-kubernetes-patch-merge-key': 'uid',
          },
          plain: { type: 'array', items: { type: 'string' } },
        },
      },
      Owner: { properties: { uid: { type: 'string' }, name: { type: 'string' } } },
    },
  },
};
const AT = kindAt(scopeOf('acme'), '/namespaces');

function counted(document: JsonObject, tag: () => string = () => 'one') {
  const asked: string[] = [];
  let read = 0;
  const merge = createNativeMerge(async (path) => {
    asked.push(path);
    return {
      tag: tag(),
      read: () => {
        read += 1;
        return document;
      },
    };
  });
  return { merge, asked, reads: () => read };
}

async function merged(current: JsonObject, patch: JsonObject): Promise<JsonObject | undefined> {
  return (await counted(DOCUMENT).merge(AT))?.(current, patch);
}

describe('a strategic merge patch on a native kind', () => {
  const current = { metadata: { name: 'a', labels: { x: '1' }, owners: [{ uid: '1', name: 'one' }], plain: ['a'] } };

  it.each<[patch: JsonObject, metadata: JsonObject]>([
    [{ owners: [{ uid: '2' }] }, { ...current.metadata, owners: [{ uid: '2' }, { uid: '1', name: 'one' }] }],
    [{ owners: [{ uid: '1', $patch: 'delete' }] }, { ...current.metadata, owners: [] }],
    [{ plain: ['b'] }, { ...current.metadata, plain: ['b'] }],
    [{ $patch: 'replace', name: 'a' }, { name: 'a' }],
    [{ $retainKeys: ['name'] }, { name: 'a' }],
    [{ labels: { x: null, y: '2' } }, { ...current.metadata, labels: { y: '2' } }],
  ])('merges %j as the host’s schema says', async (metadata, expected) => {
    expect((await merged(current, { metadata }))?.['metadata']).toEqual(expected);
  });

  it('goes down in schemas that hold themselves', async () => {
    const nested = { self: { self: { metadata: { plain: ['a'] } } } };
    expect(await merged(nested, nested)).toEqual(nested);
  });

  it('is refused as the API server refuses it', async () => {
    await expect(merged(current, { metadata: { $retainKeys: 'name' } })).rejects.toMatchObject({ status: 400 });
    await expect(merged(current, { metadata: { $patch: 'nonsense' } })).rejects.toMatchObject({ status: 500 });
  });

  it('knows nothing of a kind that the host does not tell of', async () => {
    expect(await counted({}).merge(AT)).toBeUndefined();
  });

  it('reads the document again when the host has another', async () => {
    let tag = 'one';
    const { merge, asked, reads } = counted(DOCUMENT, () => tag);
    await merge(AT);
    await merge(AT);
    expect([asked, reads()]).toEqual([['/openapi/v3/api/v1', '/openapi/v3/api/v1'], 1]);
    tag = 'two';
    await merge(AT);
    expect(reads()).toBe(2);
  });
});
