import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, stringifyJson } from '../codec/json.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { applyPatch } from './apply.ts';

function json(object: JsonObject, ...operations: JsonValue[]): JsonObject {
  return applyPatch(object, operations, 'application/json-patch+json');
}

function merge(object: JsonObject, patch: JsonValue): JsonObject {
  return applyPatch(object, patch, 'application/merge-patch+json');
}

describe('merge patches', () => {
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j and %j give %j (RFC 7386)', (object, patch, result) => {
    expect(merge(object, patch)).toEqual(result);
  });

  it('leave an object', () => {
    expect(() => merge({ a: 1 }, 'x')).toThrow('the server rejected our request');
  });

  it('are safe with any key', () => {
    const patched = merge({}, parseJson('{"__proto__":{"polluted":1},"constructor":{"x":1}}'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(stringifyJson(patched)).toBe('{"__proto__":{"polluted":1},"constructor":{"x":1}}');
  });
});

describe('JSON patches', () => {
  it.each<[JsonObject, JsonValue, JsonObject]>([
    [{ a: 1 }, { op: 'add', path: '/b', value: 2 }, { a: 1, b: 2 }],
    // As kube-apiserver, and against RFC 6902.
    [{ a: 1 }, { op: 'replace', path: '/b', value: 2 }, { a: 1, b: 2 }],
    [{ a: [1] }, { op: 'add', path: '/a/0', value: 0 }, { a: [0, 1] }],
    [{ a: [1] }, { op: 'add', path: '/a/-', value: 2 }, { a: [1, 2] }],
    [{ a: [1] }, { op: 'add', path: '/a/1', value: 2 }, { a: [1, 2] }],
    [{ a: [1, 2] }, { op: 'remove', path: '/a/-1' }, { a: [1] }],
    [{ a: 1, b: 2 }, { op: 'remove', path: '/a' }, { b: 2 }],
    [{ a: 1 }, { op: 'replace', path: '/a', value: null }, { a: null }],
    [{ a: { b: 1 } }, { op: 'move', from: '/a/b', path: '/c' }, { a: {}, c: 1 }],
    [{ a: { b: 1 } }, { op: 'copy', from: '/a', path: '/c' }, { a: { b: 1 }, c: { b: 1 } }],
    [{ a: { b: [1] } }, { op: 'test', path: '/a', value: { b: [1] } }, { a: { b: [1] } }],
    [{ a: 1 }, { op: 'test', path: '/b', value: null }, { a: 1 }],
    [{ 'x/y~z': 1 }, { op: 'replace', path: '/x~1y~0z', value: 2 }, { 'x/y~z': 2 }],
    [{ a: 1 }, { op: 'replace', path: '', value: { b: 1 } }, { b: 1 }],
  ])('%j after %j is %j', (object, operation, result) => {
    expect(json(object, operation)).toEqual(result);
  });

  it.each<[JsonObject, JsonValue]>([
    [{ a: 1 }, { op: 'remove', path: '/b' }],
    [{ a: 1 }, { op: 'replace', path: '/b/c', value: 1 }],
    [{ a: 1 }, { op: 'add', path: '', value: {} }],
    [{ a: [1] }, { op: 'replace', path: '/a/1', value: 1 }],
    [{ a: 1 }, { op: 'add', path: '/b/c', value: 1 }],
    [{ a: 1 }, { op: 'add', path: '/a/c', value: 1 }],
    [{ a: [1] }, { op: 'add', path: '/a/2', value: 1 }],
    [{ a: [1] }, { op: 'replace', path: '/a/1', value: 1 }],
    [{ a: [1] }, { op: 'remove', path: '/a/x' }],
    [{ a: 1 }, { op: 'test', path: '/a', value: 2 }],
    [{ a: 1 }, { op: 'test', path: '/b/c', value: 2 }],
    [{ a: 1 }, { op: 'move', from: '/b', path: '/a' }],
    [{ a: 1 }, { op: 'remove', path: '/constructor' }],
    [{ a: 1 }, { op: 'remove', path: '' }],
  ])('%j refuses %j', (object, operation) => {
    expect(() => json(object, operation)).toThrow();
  });

  it.each([
    ['copies', Array.from({ length: 9_000 }, () => ({ op: 'copy', from: '/data', path: '/data/a' }))],
    [
      'moves',
      Array.from({ length: 9_000 }, (_, at) => ({ op: 'move', from: `/n${at}`, path: `/n${at + 1}/n` })),
      Object.fromEntries(Array.from({ length: 9_001 }, (_, at) => [`n${at}`, {}])),
    ],
  ])('nest no deeper than a body may: %s', (_what, patch, object = { data: {} }) => {
    const refusal = { code: 'ERR_INVALID', cause: expect.stringContaining('1000 levels') };
    expect(() => json(structuredClone(object), ...patch.slice(0, 900))).not.toThrow();
    expect(() => json(structuredClone(object), ...patch.slice(0, 1_010))).toThrow(expect.objectContaining(refusal));
    expect(() => json(structuredClone(object), ...patch)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^ERR_(INVALID|TOO_LARGE)$/) }),
    );
  });

  it('stop growing', () => {
    const double: JsonValue[] = [];
    for (let i = 0; i < 40; i++) double.push({ op: 'copy', from: '/a', path: '/a/-' });
    expect(() => json({ a: ['x'.repeat(100)] }, ...double)).toThrow('copies too much');
  });

  it.each<[op: string, at: string]>([
    ['add', '/a/0'],
    ['remove', '/a/0'],
    ['move', '/a/0'],
    ['copy', '/a/0'],
  ])('move no long list ten thousand times: %s', (op, path) => {
    const operations = Array<JsonValue>(10_000).fill({ op, path, from: '/a/1', value: 1 });
    const list = (elements: number) => ({ a: Array<JsonValue>(elements).fill(0) });
    expect(() => json(list(100_000), ...operations)).toThrow('moves too much');
    // At the end nothing is moved.
    const last = { op: 'add', path: '/a/-', value: 1 };
    expect(json(list(100_000), ...Array<JsonValue>(10_000).fill(last))['a']).toHaveLength(110_000);
    expect(() => json(list(100), ...operations.slice(0, 90))).not.toThrow();
  });

  it('compare numbers by their digits, and keep them', () => {
    const object = parseJson('{"a":9223372036854775807}') as JsonObject;
    const test = (digits: string) => parseJson(`{"op":"test","path":"/a","value":${digits}}`);
    expect(stringifyJson(json(object, test('9223372036854775807')))).toBe('{"a":9223372036854775807}');
    expect(() => json(object, test('9223372036854775806'))).toThrow('the server rejected our request');
  });

  it('are safe with any key', () => {
    json(
      { a: {} },
      { op: 'add', path: '/a/__proto__', value: { polluted: 1 } },
      { op: 'add', path: '/__proto__', value: { polluted: 1 } },
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(() => json({ a: 1 }, { op: 'add', path: '/constructor/prototype/polluted', value: 1 })).toThrow();
  });

  it('never end in anything but a result or a refusal', () => {
    const path = fc.constantFrom('', '/a', '/a/0', '/a/-', '/b/c', '/-1', '/__proto__', '/a/__proto__/x');
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path,
      from: path,
      value: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        try {
          json({ a: [1, { c: 2 }], b: { c: 3 } }, ...(operations as JsonValue[]));
        } catch (error) {
          expect(error).toHaveProperty('name', 'ApiError');
        }
      }),
    );
  });
});
