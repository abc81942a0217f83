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
  it('of a service account are its namespace’s too', () => {
    const all = ['system:serviceaccounts', 'system:serviceaccounts:web', 'system:authenticated'];
    expect(groupsOf('system:serviceaccount:web:bot')).toEqual(all);
    expect(groupsOf('system:serviceaccount:web:bot', ...all)).toEqual(all);
  });
  it('are nobody’s by a name that only looks like one', () => {
    for (const name of ['system:serviceaccount:web', 'system:serviceaccount::bot', 'xsystem:serviceaccount:web:bot']) {
      expect(groupsOf(name)).toEqual(['system:authenticated']);
    }
  });
  it('leave an identity that has them as it is', () => {
    const identity = { username: 'alice', groups: ['system:authenticated'], uid: '', extra: {} };
    expect(withImplicitGroups(identity)).toBe(identity);
  });
});
