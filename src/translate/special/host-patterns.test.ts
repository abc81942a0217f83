import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../../test/support/translate-scope.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { toUpstream } from '../object.ts';
import { patternSteps } from './host-patterns.ts';

const ACME = scopeOf('acme');
const CRDS = kindAt(ACME, 'apiextensions.k8s.io/customresourcedefinitions');

function define(openAPIV3Schema: JsonObject): JsonObject {
  const versions = [{ name: 'v1', schema: { openAPIV3Schema } }];
  const spec = { group: 'a.b', names: { plural: 'cs', kind: 'C' }, versions };
  return toUpstream({ metadata: { name: 'cs.a.b' }, spec }, CRDS, ACME);
}

const text = (pattern: string) => ({ type: 'object', properties: { t: { type: 'string', pattern } } });
const PLACE = 'spec.versions[0].schema.openAPIV3Schema.properties.t.pattern';

describe('the steps of a pattern', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['a{3}', 3],
    ['ab{0,10}c', 12],
    ['a{2,}', 3],
    ['(a{0,30}){0,30}', 960],
    ['a{0,1000}'.repeat(100), 100_000],
    ['(?:ab|c){2}', 16],
    ['[]a{9}]{2}', 2],
    ['[[:alpha:]{5}]{3}', 3],
    ['\\(\\{3}', 4],
    ['a{x}', 4],
    ['((((', 0],
    ['a{0}', 1],
  ])('%s are %i', (pattern, steps) => {
    expect(patternSteps(pattern)).toBe(steps);
  });

  it('are counted in one pass, whatever the pattern is', () => {
    const bombs = ['['.repeat(1e6), '('.repeat(1e6), 'a{1,2}'.repeat(2e5), '\\'.repeat(1e6), `[${'[:'.repeat(5e5)}`];
    expect(bombs.map(patternSteps)).toEqual([1, 0, 400_000, 500_000, 1]);
  });
});

describe('patterns of a CRD', () => {
  it.each([
    '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$',
    '^arn:[a-z-]{1,20}:[a-z0-9-]{1,63}:[a-z0-9-]{0,63}:[0-9]{12}:.{1,1000}$',
  ])('in use are taken: %s', (pattern) => {
    expect(JSON.stringify(define(text(pattern)))).toContain(JSON.stringify(pattern));
  });

  it.each(['(a{0,100}){0,60}', 'a{0,1000}'.repeat(100), `${'a{0,1000}'.repeat(6)}b`, 'a?'.repeat(5_000)])(
    'that a host matches for minutes are refused: %s',
    (pattern) => {
      expect(() => define(text(pattern))).toThrow(`${PLACE}: Invalid value: `);
      expect(() => define({ ...text('a'), items: { anyOf: [{ pattern }] } })).toThrow('anyOf[0].pattern');
    },
  );

  it('may not be too much together', () => {
    const many = (count: number) => ({ anyOf: Array.from({ length: count }, () => ({ pattern: 'a{0,1000}b' })) });
    expect(() => define(many(99))).not.toThrow();
    expect(() => define(many(100))).toThrow('patterns of one schema may take 100000 steps together');
  });

  it('are no properties of that name', () => {
    expect(() => define({ properties: { pattern: { type: 'string' } } })).not.toThrow();
  });
});
