import { describe, expect, it } from 'vitest';
import { ApiError, methodNotAllowed, noSuchPath, notSynced } from './errors.ts';

describe('a refusal', () => {
  it('has the status and reason of its code, and a word for audit', () => {
    const error = new ApiError('ERR_TOO_MANY_REQUESTS', 'too many');
    expect([error.status, error.reason, error.why]).toEqual([429, 'TooManyRequests', 'too-many-requests']);
    expect(new ApiError('ERR_CONFLICT', 'x', { why: 'revision' }).why).toBe('revision');
  });
  it('of the router is in its words', () => {
    expect([noSuchPath().status, noSuchPath().why, noSuchPath('not-offered').why]).toEqual([
      404,
      'no-such-path',
      'not-offered',
    ]);
    expect(noSuchPath().message).toBe('the server could not find the requested resource');
    expect(methodNotAllowed().status).toBe(405);
    expect(methodNotAllowed().message).toBe('the server does not allow this method on the requested resource');
  });
  it('for want of knowledge says when to come back', () => {
    const error = notSynced('roles and bindings');
    expect([error.status, error.why]).toEqual([503, 'roles-and-bindings-not-synced']);
    expect(error.message).toBe('the roles and bindings are not known yet; try again');
    expect(error.details).toEqual({ retryAfterSeconds: 1 });
  });
});
