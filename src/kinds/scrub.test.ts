import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { keepOnly } from './scrub.ts';
import { kindOf } from './table.ts';

const NODE: JsonObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'node-1',
    uid: 'u',
    resourceVersion: '7',
    labels: { 'kubernetes.io/os': 'linux' },
    annotations: { 'csi.volume.kubernetes.io/nodeid': '{}' },
    ownerReferences: [{ name: 'machine' }],
    managedFields: [{ manager: 'kubelet' }],
  },
  spec: { unschedulable: true, configSource: {}, tomorrow: 'secret' },
  status: { capacity: { cpu: '2' }, images: [{ names: ['globex/app'] }], volumesInUse: ['globex--web'] },
};

describe('what a tenant sees of the host', () => {
  it('is what the row lists, and identity and labels', () => {
    const node = structuredClone(NODE);
    kindOf('', 'nodes')?.scrub?.(node);
    expect(node).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-1', uid: 'u', resourceVersion: '7', labels: { 'kubernetes.io/os': 'linux' } },
      spec: { unschedulable: true },
      status: { capacity: { cpu: '2' } },
    });
  });
  it('takes nothing of a value where the row expects an object', () => {
    const object: JsonObject = { spec: 'text', a: [1], b: null };
    keepOnly(['spec.csi.driver', 'a.b', 'b'])(object);
    expect(object).toEqual({ b: null });
  });
  it('is not fooled by keys of the prototype', () => {
    const object = JSON.parse('{"__proto__":{"x":1},"constructor":1,"value":2}');
    keepOnly(['value'])(object);
    expect(Object.keys(object)).toEqual(['value']);
  });
});
