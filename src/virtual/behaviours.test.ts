import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { virtualBehaviour } from './behaviours.ts';

const RBAC = 'rbac.authorization.k8s.io';
const role = (metadata: JsonObject): JsonObject => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name: 'x', ...metadata },
});

function judged(group: string, resource: string, object: JsonObject): JsonObject {
  const behaviour = virtualBehaviour(group, resource);
  if (behaviour === undefined) throw new Error(`${resource} has no behaviour`);
  const complete = behaviour.withDefaults(object);
  behaviour.validate(complete, undefined, '');
  return complete;
}

describe('metadata of virtual kinds', () => {
  it('has empty texts where a map has null', () => {
    const object = judged(RBAC, 'clusterroles', role({ annotations: { a: null, b: 'c' }, labels: { d: null } }));
    expect(object['metadata']).toMatchObject({ annotations: { a: '', b: 'c' }, labels: { d: '' } });
    expect(judged(RBAC, 'clusterroles', role({ annotations: null }))['metadata']).toEqual({ name: 'x' });
  });

  it.each(['kubernetes', 'orphan', 'foregroundDeletion', 'example.com/own'])('takes the finalizer %s', (name) => {
    expect(judged(RBAC, 'clusterroles', role({ finalizers: [name] }))['metadata']).toMatchObject({
      finalizers: [name],
    });
  });

  it('takes no finalizer without a domain, but where the native kind does', () => {
    expect(() => judged(RBAC, 'clusterroles', role({ finalizers: ['bad'] }))).toThrow(
      /metadata\.finalizers\[0\]: Invalid value: "bad": name is neither a standard finalizer name/,
    );
    const group = 'admissionregistration.k8s.io';
    const kind = 'ValidatingWebhookConfiguration';
    const webhooks = { apiVersion: `${group}/v1`, kind, metadata: { name: 'x', finalizers: ['bad'] } };
    expect(judged(group, 'validatingwebhookconfigurations', webhooks)['metadata']).toMatchObject({
      finalizers: ['bad'],
    });
  });
});
