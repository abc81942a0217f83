import { describe, expect, it } from 'vitest';
import { type TenantId, tenantIdProblem } from '../tenancy/names.ts';
import { identityHeaders } from './identity-headers.ts';

const acme = 'acme' as TenantId;

function headersOf(username: string, groups: string[]): Array<[string, string]> {
  const flat = identityHeaders({ as: 'tenant', tenant: acme, user: { username, groups, uid: 'u', extra: {} } });
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] ?? '', flat[2 * at + 1] ?? '']);
}

describe('identity headers', () => {
  it('are of one user and two groups a tenant, whoever asks', () => {
    const pairs = headersOf('alice', ['devs', 'system:masters']);
    expect(pairs.filter(([name]) => name === 'impersonate-user')).toEqual([['impersonate-user', 'kubeveil:acme']]);
    expect(pairs.filter(([name]) => name === 'impersonate-group').map(([, value]) => value)).toEqual([
      'kubeveil:tenants',
      'kubeveil:tenant:acme',
    ]);
  });

  it('are of nobody where the host is asked how it refuses, and of no one else for the accounts that are themselves', () => {
    expect(identityHeaders({ as: 'nobody' })).toEqual(['impersonate-user', 'kubeveil:system']);
    expect(tenantIdProblem('system')).toBeDefined();
    for (const as of ['reader', 'provisioner'] as const) expect(identityHeaders({ as })).toEqual([]);
  });

  it('tell the host that a tenant is trusted, and of no other', () => {
    const user = { username: 'alice', groups: [], uid: 'u', extra: {} };
    const groupsOf = (trusted: boolean) =>
      identityHeaders({ as: 'tenant', tenant: acme, user, trusted }).filter((word) => word === 'kubeveil:trusted');
    expect(groupsOf(true)).toEqual(['kubeveil:trusted']);
    expect(groupsOf(false)).toEqual([]);
  });

  it('say that controllers ask of nobody else, whatever a tenant calls its users', () => {
    const by = (headers: readonly string[]) => headers[headers.indexOf('impersonate-extra-kubeveil.dev%2Fuser') + 1];
    expect(by(identityHeaders({ as: 'tenant', tenant: acme, user: 'controllers' }))).toBe('kubeveil:controller');
    expect(headersOf('kubeveil:controller', [])).toContainEqual([
      'impersonate-extra-kubeveil.dev%2Fuser',
      '%6Bubeveil:controller',
    ]);
  });

  it('tell the host who asked', () => {
    expect(headersOf('alice', ['devs'])).toContainEqual(['impersonate-extra-kubeveil.dev%2Fuser', 'alice']);
    expect(headersOf('alice', ['devs', 'a,b'])).toContainEqual([
      'impersonate-extra-kubeveil.dev%2Fgroups',
      'devs,a%2Cb',
    ]);
  });

  it('escape what a header cannot hold', () => {
    for (const [, value] of headersOf('al\r\nimpersonate-user: root', ['größe', '100%', '\u{1f600}', '\ud83d'])) {
      expect(value).toMatch(/^[\x20-\x7e]*$/);
    }
    expect(headersOf('x', ['100%'])).toContainEqual(['impersonate-extra-kubeveil.dev%2Fgroups', '100%25']);
  });

  it('have no extra without a value', () => {
    expect(headersOf('alice', []).some(([name]) => name.endsWith('groups'))).toBe(false);
    expect(headersOf('alice', ['devs']).some(([name]) => name.endsWith('groups'))).toBe(true);
  });

  it('have a size, however many groups there are', () => {
    const groups = Array.from({ length: 1_000 }, (_, at) => `group-${at}-of-many`);
    expect(
      identityHeaders({ as: 'tenant', tenant: acme, user: { username: 'a', groups, uid: '', extra: {} } }).join('')
        .length,
    ).toBeLessThan(20_000);
  });

  it('are none for the accounts of the proxy', () => {
    expect(identityHeaders({ as: 'reader' })).toEqual([]);
    expect(identityHeaders({ as: 'provisioner' })).toEqual([]);
  });
});
