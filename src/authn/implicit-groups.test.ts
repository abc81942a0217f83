import { describe, expect, it } from 'vitest';
import { withImplicitGroups } from './implicit-groups.ts';

function groupsOf(username: string, ...groups: string[]): readonly string[] {
  return withImplicitGroups({ username, groups, uid: '', extra: {} }).groups;
}

describe('implicit groups', () => {
  it('of a user are one', () => {
    expect(groupsOf('alice')).toEqual(['system:authenticated']);
    expect(groupsOf('alice', 'devs')).toEqual(['devs', 'system:authenticated']);
  });
  it('are not those of service accounts: their tokens tell them, and a name alone makes nobody one', () => {
    expect(groupsOf('system:serviceaccount:web:bot')).toEqual(['system:authenticated']);
    const all = ['system:serviceaccounts', 'system:serviceaccounts:web', 'system:authenticated'];
    expect(groupsOf('system:serviceaccount:web:bot', ...all)).toEqual(all);
  });
  it('leave an identity that has them as it is', () => {
    const identity = { username: 'alice', groups: ['system:authenticated'], uid: '', extra: {} };
    expect(withImplicitGroups(identity)).toBe(identity);
  });
});
