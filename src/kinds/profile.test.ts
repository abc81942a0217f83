import { describe, expect, it } from 'vitest';
import type { Kind } from './kind.ts';
import { forProfile } from './profile.ts';
import { kindOf } from './table.ts';

const pods = kindOf('', 'pods') as Kind;
const namespaces = kindOf('', 'namespaces') as Kind;

describe('a row as a profile has it', () => {
  it('gives trusted tenants what only they write', () => {
    expect(forProfile(pods, 'trusted').subresources['status']?.verbs).toEqual(['get', 'patch', 'update']);
    expect(forProfile(namespaces, 'trusted').subresources['finalize']?.verbs).toEqual(['update']);
  });

  it.each(['baseline', 'restricted'] as const)('gives it nobody under %s', (profile) => {
    expect(forProfile(pods, profile).subresources['status']?.verbs).toEqual(['get']);
    expect(forProfile(namespaces, profile).subresources).not.toHaveProperty('finalize');
  });

  it('is the same object each time, and the row itself where profiles do not differ', () => {
    expect(forProfile(pods, 'trusted')).toBe(forProfile(pods, 'trusted'));
    const secrets = kindOf('', 'secrets') as Kind;
    expect(forProfile(secrets, 'trusted')).toBe(secrets);
  });
});
