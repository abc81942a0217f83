import { describe, expect, it } from 'vitest';
import { decodeObject, encodeObject } from '../codec/protobuf/codec.ts';
import type { Accept, Reply, SharedObject, SharedText } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import { type Printed, printedAs } from './printed.ts';

const PROTOBUF: Accept = { media: 'protobuf', as: undefined };
const HEAD = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '9' } };
const GVK = { group: '', version: 'v1', kind: 'ConfigMapList' };

/** How often each object was parsed. */
const parsed: string[] = [];

function configMap(name: string, more: JsonObject = {}): SharedObject {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'web' }, data: { name }, ...more };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    json: Buffer.from(JSON.stringify(object)),
    get object() {
      parsed.push(name);
      return structuredClone(object);
    },
    forms: new Map(),
  };
}

function chunk(...items: SharedObject[]): SharedText {
  return { text: Buffer.from('not asked for'), items, forms: new Map() };
}

function reply(shared: Extract<Reply, { kind: 'printed' }>['shared']): Extract<Reply, { kind: 'printed' }> {
  return { kind: 'printed', status: 200, json: [], object: () => ({}), shared };
}

function bytesOf(printed: Printed | undefined): Buffer | undefined {
  return printed && Buffer.concat(printed.parts.map((part) => ('text' in part ? part.text : part)));
}

function whole(...objects: SharedObject[]): Uint8Array | undefined {
  const items = objects.map(({ object: { kind: _kind, apiVersion: _apiVersion, ...rest } }) => rest);
  return encodeObject({ ...HEAD, items }, GVK);
}

describe('a list, as protobuf', () => {
  it('is what the whole list is, of which each object is encoded once', async () => {
    const [a, b, c] = [configMap('a'), configMap('b'), configMap('c')];
    const parts = [chunk(a, b), chunk(c)];
    const expected = whole(a, b, c);
    parsed.length = 0;
    for (let times = 0; times < 2; times += 1) {
      expect(bytesOf(await printedAs(reply({ head: HEAD, parts }), PROTOBUF))).toEqual(expected);
    }
    // Of some of them, too, and by themselves.
    expect(bytesOf(await printedAs(reply({ head: HEAD, parts: [[a, c]] }), PROTOBUF))).toBeDefined();
    const one = bytesOf(await printedAs(reply(b), PROTOBUF));
    expect(parsed).toEqual(['a', 'b', 'c']);
    expect(decodeObject(one as Buffer).object).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'b' } });
  });

  it('encodes what has changed, and nothing else', async () => {
    const [a, b] = [configMap('a'), configMap('b')];
    await printedAs(reply({ head: HEAD, parts: [chunk(a, b)] }), PROTOBUF);
    const changed = configMap('b', { data: { name: 'changed' } });
    const expected = whole(a, changed);
    parsed.length = 0;
    const parts = [chunk(a, changed)];
    expect(bytesOf(await printedAs(reply({ head: HEAD, parts }), PROTOBUF))).toEqual(expected);
    expect(parsed).toEqual(['b']);
  });

  it('is none where one of them has a field that protobuf has not, each time', async () => {
    const parts = [chunk(configMap('a'), configMap('b', { later: 'field' }))];
    for (let times = 0; times < 2; times += 1) {
      expect(await printedAs(reply({ head: HEAD, parts }), PROTOBUF)).toBeUndefined();
    }
    expect(await printedAs(reply(configMap('b', { later: 'field' })), PROTOBUF)).toBeUndefined();
  });

  it('is none of custom resources', async () => {
    const widget = { ...configMap('w'), apiVersion: 'example.com/v1', kind: 'Widget', object: {}, forms: new Map() };
    const head = { kind: 'WidgetList', apiVersion: 'example.com/v1', metadata: {} };
    expect(await printedAs(reply({ head, parts: [chunk(widget)] }), PROTOBUF)).toBeUndefined();
    expect(await printedAs(reply({ head, parts: [] }), PROTOBUF)).toBeUndefined();
  });
});
