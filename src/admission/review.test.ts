/** What of a webhook's answer counts, in both versions of the review. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { type Review, readReview } from './review.ts';

const PATCH = [{ op: 'add', path: '/a', value: 1 }];
const encoded = Buffer.from(JSON.stringify(PATCH)).toString('base64');

function read(version: Review['version'], response: unknown, mutating = true, more: JsonObject = {}) {
  const review = { uid: 'u', version, document: {} };
  const document = { kind: 'AdmissionReview', apiVersion: `admission.k8s.io/${version}`, response, ...more };
  return readReview(document as JsonObject, review, mutating);
}

describe('v1', () => {
  it('gives verdict, patch, warnings and annotations', () => {
    const response = {
      uid: 'u',
      allowed: true,
      patchType: 'JSONPatch',
      patch: encoded,
      warnings: ['w'],
      auditAnnotations: { k: 'v' },
      status: { message: 'm' },
    };
    expect(read('v1', response)).toEqual({
      allowed: true,
      result: { message: 'm' },
      patch: PATCH,
      warnings: ['w'],
      annotations: [['k', 'v']],
    });
  });

  it.each<[string, unknown, boolean, string]>([
    ['no response', undefined, true, 'webhook response was absent'],
    ['another uid', { uid: 'x' }, true, 'expected response.uid="u", got "x"'],
    ['a patch without a type', { uid: 'u', patch: encoded }, true, 'response.patch but not response.patchType'],
    ['a type without a patch', { uid: 'u', patchType: 'JSONPatch' }, true, 'response.patchType but not response.patch'],
    ['an empty type', { uid: 'u', patch: encoded, patchType: '' }, true, 'invalid response.patchType of ""'],
    ['another type of patch', { uid: 'u', patch: encoded, patchType: 'Merge' }, true, 'unsupported patch type "Merge"'],
    [
      'a patch where none may be',
      { uid: 'u', patch: encoded },
      false,
      'validating webhook may not return response.patch',
    ],
    ['a type where none may be', { uid: 'u', patchType: 'JSONPatch' }, false, 'may not return response.patchType'],
    ['a patch of rubbish', { uid: 'u', patch: 'eA==', patchType: 'JSONPatch' }, true, 'received undecodable patch'],
    [
      'a patch that is no list',
      { uid: 'u', patch: 'e30=', patchType: 'JSONPatch' },
      true,
      'received undecodable patch',
    ],
    ['a verdict that is none', { uid: 'u', allowed: 'yes' }, true, 'response.allowed into bool'],
    ['warnings that are a map', { uid: 'u', warnings: {} }, true, 'response.warnings into []string'],
    ['a warning that is a number', { uid: 'u', warnings: ['a', 5] }, true, 'response.warnings into []string'],
    [
      'a note that is a number',
      { uid: 'u', auditAnnotations: { k: 5 } },
      true,
      'auditAnnotations into map[string]string',
    ],
    ['a code that is a text', { uid: 'u', status: { code: '403' } }, true, 'response.status.code into int32'],
    ['a code that is a fraction', { uid: 'u', status: { code: 1.5 } }, true, 'response.status.code into int32'],
    [
      'a wait that is too long for its type',
      { uid: 'u', status: { details: { retryAfterSeconds: 1e30 } } },
      true,
      'retryAfterSeconds into int32',
    ],
    ['a reason that is none', { uid: 'u', status: { reason: [] } }, true, 'response.status.reason into string'],
  ])('refuses %s', (_what, response, mutating, why) => {
    expect(() => read('v1', response, mutating)).toThrow(why);
  });

  it('takes what may be there, and null for nothing', () => {
    const status = { code: 403, message: 'no', reason: 'Forbidden', details: { retryAfterSeconds: 5 } };
    expect(read('v1', { uid: 'u', status, warnings: null, auditAnnotations: null }).result).toEqual(status);
    expect(read('v1', { uid: 'u', status: null, warnings: ['a'] })).toMatchObject({
      warnings: ['a'],
      result: undefined,
    });
  });

  it('takes no verdict for a refusal', () => {
    expect(read('v1', { uid: 'u' }).allowed).toBe(false);
  });

  it('refuses what is another kind or version', () => {
    expect(() => read('v1', { uid: 'u' }, true, { kind: 'Other' })).toThrow('expected webhook response of');
    expect(() => read('v1', { uid: 'u' }, true, { apiVersion: 'admission.k8s.io/v1beta1' })).toThrow(
      'unknown conversion',
    );
  });
});

describe('v1beta1', () => {
  it('is not strict about uid, type and kind of patch', () => {
    expect(
      read('v1beta1', { uid: 'x', allowed: true, patch: encoded }, true, { apiVersion: '', kind: '' }),
    ).toMatchObject({ allowed: true, patch: PATCH });
    expect(read('v1beta1', { allowed: true, patch: encoded }, false).patch).toEqual([]);
  });
});
