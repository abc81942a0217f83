/** Lists and objects put together from their parts are the bytes that Go gives: every sample of the committed corpus. */
import { describe, expect, it } from 'vitest';
import { parseExact, readCorpus } from '../../../test/protobuf/corpus.ts';
import type { Gvk, JsonObject } from '../../k8s/types.ts';
import { encodeBare, encodeObject } from './codec.ts';
import { enclose, listAround, listItems } from './parts.ts';

const samples = readCorpus(new URL('../../../test/protobuf/corpus.bin.gz', import.meta.url));
const lists = samples.filter(({ gvk }) => gvk.kind.endsWith('List'));
/** A list that is none of objects. */
const NO_LIST_OF_OBJECTS = new Set(['APIResourceList', 'APIGroupList', 'List']);

/** The one list that has its items before its metadata: its parts would stand in another order. */
function isReversed({ group, version, kind }: Gvk): boolean {
  return group === 'meta.k8s.io' && version === 'v1beta1' && kind === 'PartialObjectMetadataList';
}

function joined({ json, gvk }: (typeof samples)[number]): Buffer | undefined {
  const { items = null, ...head } = parseExact(json) as JsonObject;
  const kind = gvk.kind.slice(0, -'List'.length);
  const bare = ((items ?? []) as JsonObject[]).map((item) => encodeBare(item, { ...gvk, kind }));
  if (bare.includes(undefined)) return undefined;
  const all = listItems(bare as Uint8Array[]);
  expect(all.items).toEqual(bare.map((one) => Buffer.from(one as Uint8Array)));
  const around = listAround(head, gvk, all.bytes.length);
  return around && Buffer.concat([around.before, all.bytes, around.after]);
}

describe('put together from parts', () => {
  it('a list has the bytes that it has as a whole', () => {
    const known = lists.filter(({ gvk }) => !NO_LIST_OF_OBJECTS.has(gvk.kind) && !isReversed(gvk));
    expect(known.length).toBeGreaterThan(100);
    for (const sample of known)
      expect({ ...sample.gvk, bytes: joined(sample) }).toEqual({ ...sample.gvk, bytes: sample.bytesOfJson });
  });

  it('a list may be empty', () => {
    const gvk = { group: '', version: 'v1', kind: 'PodList' };
    const head = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' } };
    const around = listAround(head, gvk, 0);
    expect(around && Buffer.concat([around.before, around.after])).toEqual(encodeObject({ ...head, items: [] }, gvk));
  });

  it('an object has the bytes that it has as a whole', () => {
    const objects = samples.filter(({ gvk }) => !gvk.kind.endsWith('List')).slice(0, 300);
    for (const { json, bytesOfJson: bytes, gvk } of objects) {
      const bare = encodeBare(parseExact(json) as JsonObject, gvk);
      expect(bare && Buffer.from(enclose(bare, gvk))).toEqual(Buffer.from(bytes));
    }
  });

  it('what is no list of objects, has them first, or is not known, is none', () => {
    const reversed = lists.filter(({ gvk }) => isReversed(gvk));
    expect(reversed.length).toBeGreaterThan(0);
    for (const sample of reversed) expect(joined(sample)).toBeUndefined();
    const gvk = { group: '', version: 'v1', kind: 'Pod' };
    expect(listAround({ kind: 'Pod', apiVersion: 'v1', metadata: {} }, gvk, 0)).toBeUndefined();
    const widgets = { group: 'example.com', version: 'v1', kind: 'WidgetList' };
    expect(listAround({ kind: 'WidgetList', metadata: {} }, widgets, 0)).toBeUndefined();
  });
});
