import { describe, expect, it } from 'vitest';
import { locate } from './locate.ts';

describe('locate', () => {
  it('claims what the path says, or nothing', () => {
    expect(locate({ claimed: 'acme' })).toEqual({ tenant: 'acme' });
    expect(locate({ claimed: undefined })).toEqual({ tenant: undefined });
  });

  it.each(['..', 'kube-system', 'ACME', '__proto__', 'a', ''])('has no tenant %j', (claimed) => {
    expect(() => locate({ claimed })).toThrow(expect.objectContaining({ status: 404, why: 'no-such-tenant' }));
  });
});
