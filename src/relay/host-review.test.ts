import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { answerTo } from './admission-review.ts';
import { queryOf, readHostReview } from './host-review.ts';
import { requesterOf } from './requester.ts';

const REQUEST: JsonObject = {
  uid: 'u-1',
  operation: 'CREATE',
  namespace: 'acme--web',
  resource: { group: 'apps', version: 'v1', resource: 'replicasets' },
  object: { metadata: { generateName: 'a-' } },
  options: { fieldManager: 'kube-controller-manager' },
  userInfo: { username: 'system:serviceaccount:kube-system:deployment-controller' },
};
const bytes = (request: JsonObject, type: JsonObject = {}) =>
  Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request, ...type }));

describe('a review', () => {
  it('is of the creation of an object in a namespace', () => {
    expect(readHostReview(bytes(REQUEST))).toMatchObject({
      uid: 'u-1',
      group: 'apps',
      resource: 'replicasets',
      namespace: 'acme--web',
      dryRun: false,
    });
  });

  it.each<[what: string, request: JsonObject, type?: JsonObject]>([
    ['an update', { operation: 'UPDATE' }],
    ['a subresource', { subResource: 'status' }],
    ['an object outside of namespaces', { namespace: '' }],
    ['a deletion', { operation: 'DELETE', object: null }],
    ['no uid', { uid: '' }],
    ['another version of reviews', {}, { apiVersion: 'admission.k8s.io/v1beta1' }],
    ['another kind', {}, { kind: 'Pod' }],
  ])('is refused with %s', (_what, request, type) => {
    expect(() => readHostReview(bytes({ ...REQUEST, ...request }, type))).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });

  it('is refused when it is no JSON', () => {
    expect(() => readHostReview(Buffer.from('{'))).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('is a dry run where the request is one, or its options say so', () => {
    const query = (request: JsonObject) => [...queryOf(readHostReview(bytes({ ...REQUEST, ...request })))];
    expect(query({})).toEqual([['fieldManager', 'kube-controller-manager']]);
    expect(query({ dryRun: true, options: {} })).toEqual([['dryRun', 'All']]);
    expect(query({ options: { dryRun: ['All'] } })).toEqual([['dryRun', 'All']]);
  });

  it('is answered under its uid, with a patch only where there is one', () => {
    const review = readHostReview(bytes(REQUEST));
    expect(answerTo(review, { allowed: true, patch: [] })['response']).toEqual({ uid: 'u-1', allowed: true });
    const patch = [{ op: 'add', path: '/a', value: 1 }];
    expect(answerTo(review, { allowed: true, patch })['response']).toEqual({
      uid: 'u-1',
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    });
    expect(answerTo(review, { allowed: false, status: { message: 'no' } })['response']).toEqual({
      uid: 'u-1',
      allowed: false,
      status: { message: 'no' },
    });
  });
});

describe('who makes an object', () => {
  it('is the controller of that name in the virtual cluster', () => {
    const username = 'system:serviceaccount:kube-system:replicaset-controller';
    expect(requesterOf(username)).toEqual({
      username,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
      uid: '',
      extra: {},
    });
    expect(requesterOf('system:kube-controller-manager').username).toBe('system:kube-controller-manager');
  });

  it.each(['root@example.com', 'system:serviceaccount:istio-system:istiod', 'system:node:n1', ''])(
    'is not told where it is somebody of the host: %j',
    (username) => {
      expect(requesterOf(username)).toMatchObject({ username: 'system:unknown', groups: ['system:authenticated'] });
    },
  );
});
