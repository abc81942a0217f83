import { describe, expect, it } from 'vitest';
import { fromJson } from '../cel/values.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { MutationFailed, patched } from './patched.ts';

const add = (at: number) => ({ op: 'add', path: `/data/k${at}`, value: 'v' });
const patch = (...operations: JsonValue[]) => fromJson(operations);

/** An object that counts how often all of it is read. */
function counted(): { object: JsonObject; reads: () => number } {
  let reads = 0;
  const object = {
    get data() {
      reads += 1;
      return {};
    },
  };
  return { object, reads: () => reads };
}

describe('a mutation that is a JSON patch', () => {
  it('leaves the object as its operations say', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', data: {} };
    expect(patched(object, patch(add(0), add(1)))).toEqual({ ...object, data: { k0: 'v', k1: 'v' } });
  });

  it('leaves it alone where a test in it does not hold, and fails nobody', () => {
    const object = { data: {} };
    expect(patched(object, patch(add(0), { op: 'test', path: '/data/k0', value: 'w' }))).toBe(object);
  });

  it('fails where something else in it cannot be done, a test before it or not', () => {
    const gone = { op: 'remove', path: '/data/none' };
    expect(() => patched({ data: {} }, patch(add(0), gone))).toThrow(MutationFailed);
    const held = { op: 'test', path: '/data/k0', value: 'v' };
    expect(() => patched({ data: {} }, patch(add(0), held, gone))).toThrow(MutationFailed);
  });

  it.each([
    ['a test', { op: 'test', path: '/data/k0', value: 'w' }],
    ['an operation that cannot be done', { op: 'remove', path: '/data/none' }],
  ])('reads the object once, however many operations are before %s that ends it', (_what, last) => {
    const { object, reads } = counted();
    const operations = Array.from({ length: 500 }, (_, at) => add(at));
    try {
      patched(object, patch(...operations, last));
    } catch (error) {
      expect(error).toBeInstanceOf(MutationFailed);
    }
    expect(reads()).toBe(1);
  });
});
