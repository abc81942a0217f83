/** A selector picks upstream, of the tenant's objects, those that it picks of what the tenant sees; and no others. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { selectorsToUpstream } from './selectors.ts';

const ACME = scopeOf('acme');
const TENANT = 'kubeveil.dev/tenant';

const key = fc.constantFrom('app', 'tier', 'example.com/x', 'notin', TENANT, 'kubeveil.dev/other');
const value = fc.constantFrom('a', 'b', '7', '12', 'acme', 'globex', '');
const term = fc.oneof(
  fc.tuple(key, fc.constantFrom('=', '==', '!='), value).map((parts) => parts.join('')),
  fc
    .tuple(key, fc.constantFrom('in', 'notin'), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([of, operator, values]) => `${of} ${operator} (${values.join(',')})`),
  key,
  key.map((of) => `!${of}`),
  fc.tuple(key, fc.constantFrom('<', '>'), fc.constantFrom('7', '10')).map((parts) => parts.join('')),
);
const text = fc.array(term, { maxLength: 4 }).map((terms) => terms.join(','));
const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'example.com/x', 'notin'), value);

describe.each(['/pods', 'rbac.authorization.k8s.io/clusterroles', '/namespaces'])('label selectors of %s', (of) => {
  const at = kindAt(ACME, of);

  it('pick upstream what they pick of what the tenant sees', () => {
    fc.assert(
      fc.property(text, labels, (selector, seen) => {
        const upstream = selectorsToUpstream({ label: selector, field: '' }, at, ACME, [`${TENANT}=acme`]);
        const stored = { ...seen, [TENANT]: 'acme' };
        const isPicked = !upstream.nothing && parseLabelSelector(upstream.label).matches(stored);
        expect(isPicked).toBe(parseLabelSelector(selector).matches(seen));
      }),
      { numRuns: 500 },
    );
  });

  it('pick nothing of another tenant', () => {
    fc.assert(
      fc.property(text, labels, (selector, seen) => {
        const { label } = selectorsToUpstream({ label: selector, field: '' }, at, ACME, [`${TENANT}=acme`]);
        expect(parseLabelSelector(label).matches({ ...seen, [TENANT]: 'globex' })).toBe(false);
        expect(parseLabelSelector(label).matches(seen)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
