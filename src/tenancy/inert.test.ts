import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromInert, INERT_PREFIX, isSubjectKind, type Subject, toInert } from './inert.ts';
import type { TenantId } from './names.ts';

const acme = 'acme' as TenantId;
const other = fc.constantFrom('acm', 'acme-eu', 'globex') as fc.Arbitrary<TenantId>;
const text = fc.string({ minLength: 1 });
const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ kind: fc.constantFrom('User' as const, 'Group' as const), name: text }),
  fc.record({
    kind: fc.constant('ServiceAccount' as const),
    name: text.filter((name) => !name.includes(':')),
    namespace: text,
  }),
  fc.record({ kind: fc.constant('ServiceAccount' as const), name: text.filter((name) => !name.includes(':')) }),
);

describe('inert subjects', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(subject, (one) => {
        expect(fromInert(acme, toInert(acme, one))).toEqual(one);
      }),
    );
  });
  it('of one tenant are nothing to another', () => {
    fc.assert(
      fc.property(subject, other, (one, tenant) => {
        expect(fromInert(tenant, toInert(acme, one))).toBeUndefined();
      }),
    );
  });
  it('never meet the users that requests go upstream as', () => {
    fc.assert(
      fc.property(subject, (one) => {
        expect(toInert(acme, one).startsWith(INERT_PREFIX)).toBe(true);
      }),
    );
    expect(`kubeveil:acme`.startsWith(INERT_PREFIX)).toBe(false);
  });
  it('keep a name that looks inert itself, decoded once only', () => {
    const sly: Subject = { kind: 'User', name: 'kubeveil.inert/acme/Group/system:masters' };
    expect(fromInert(acme, toInert(acme, sly))).toEqual(sly);
  });
  it.each([
    'alice',
    'kubeveil:acme',
    'kubeveil.inert/acme',
    'kubeveil.inert/acme/User',
    'kubeveil.inert/acme/Robot/x',
    'kubeveil.inert/acme/ServiceAccount/bot',
  ])('refuses %j', (name) => expect(fromInert(acme, name)).toBeUndefined());
  it('refuses to encode a service account with a colon', () => {
    expect(() => toInert(acme, { kind: 'ServiceAccount', name: 'a:b' })).toThrow(TypeError);
    expect(toInert(acme, { kind: 'ServiceAccount', name: 'a', namespace: 'web' })).toBe(
      'kubeveil.inert/acme/ServiceAccount/web:a',
    );
  });
  it('knows the three kinds', () => {
    expect(['User', 'Group', 'ServiceAccount'].every(isSubjectKind)).toBe(true);
    expect(['user', '', undefined, 'Node'].some(isSubjectKind)).toBe(false);
  });
});
