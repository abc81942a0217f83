import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TenantId, TenantName, UpstreamName } from './names.ts';
import { decodeSegment, encodeSegment, encodeSegmentBase, virtualNames } from './segments.ts';

const DNS = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const name = fc
  .oneof(
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.string({ minLength: 1, unit: fc.constantFrom('a', 'x', '0', '-', '.', ':', 'Z', '3') }),
  )
  .filter((text) => text.isWellFormed());

describe('path segment names as DNS names', () => {
  it.each([
    ['reader', 'reader'],
    ['a.b-c', 'a.b-c'],
    ['0', '0'],
    ['system:node', 'x--system03anode'],
    ['Pod Reader', 'x--050od020052eader'],
    ['x--a', 'x--x--a'],
    ['-a-', 'x---a02d'],
    ['a..b', 'x--a02e02eb'],
    ['a0:', 'x--a03003a'],
  ])('%j is %j', (plain, encoded) => {
    expect(encodeSegment(plain)).toBe(encoded);
    expect(decodeSegment(encoded)).toBe(plain);
  });
  it('are legal, come back, and never meet', () => {
    fc.assert(
      fc.property(name, name, (one, two) => {
        expect(`acme--${encodeSegment(one)}`).toMatch(DNS);
        expect(decodeSegment(encodeSegment(one))).toBe(one);
        expect(encodeSegment(one) === encodeSegment(two)).toBe(one === two);
      }),
    );
  });
  it('take the suffix that the server generates', () => {
    const suffix = fc.string({ minLength: 5, maxLength: 5, unit: fc.constantFrom(...'bcdfghjklmnpqrstvwxz2456789') });
    fc.assert(
      fc.property(name, suffix, (base, added) => {
        const upstream = encodeSegmentBase(base) + added;
        expect(`acme--${upstream}`).toMatch(DNS);
        expect(decodeSegment(upstream)).toBe(base + added);
        expect(encodeSegment(base + added)).toBe(upstream);
      }),
    );
  });
  it.each(['', 'A', 'a b', 'x--reader', 'x--a03', 'x--a0zz', 'x--0ff', 'x--061', '-a'])('decodes not %j', (text) =>
    expect(decodeSegment(text)).toBeUndefined(),
  );
  it('carry the prefix of their tenant', () => {
    const names = virtualNames('acme' as TenantId);
    expect(names.up('system:node' as TenantName)).toBe('acme--x--system03anode');
    expect(names.down('acme--x--system03anode' as UpstreamName)).toBe('system:node');
    expect(names.down('globex--x--system03anode' as UpstreamName)).toBeUndefined();
    expect(names.down('acme--x--plain' as UpstreamName)).toBeUndefined();
  });
});
