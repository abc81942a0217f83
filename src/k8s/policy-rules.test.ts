import { describe, expect, it } from 'vitest';
import type { Steps } from '../lib/turns.ts';
import { describeRules, missingRules as missingSteps, TooManyPieces } from './policy-rules.ts';
import type { PolicyRule } from './rbac.ts';

/** What came out, and in how many steps. */
function taken<T>(work: Steps<T>): { result: T; steps: number } {
  for (let steps = 1; ; steps += 1) {
    const at = work.next();
    if (at.done === true) return { result: at.value, steps };
  }
}
function weighed(held: readonly PolicyRule[], asked: readonly PolicyRule[]) {
  const { result: missing, steps } = taken(missingSteps(held, asked));
  return { missing, steps };
}
function missingRules(held: readonly PolicyRule[], asked: readonly PolicyRule[]): PolicyRule[] {
  return weighed(held, asked).missing;
}
function rule(part: Partial<PolicyRule>): PolicyRule {
  return { verbs: ['get'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [], ...part };
}
const pods = rule({ apiGroups: [''], resources: ['pods'] });
const ALL = rule({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });

describe('rules', () => {
  it.each<[string, PolicyRule, PolicyRule]>([
    ['the same', pods, pods],
    ['of everything', ALL, rule({ apiGroups: ['apps', ''], resources: ['pods', 'x/y'], verbs: ['get', '*'] })],
    ['without a name', pods, { ...pods, resourceNames: ['a', 'b'] }],
    ['with more names', { ...pods, resourceNames: ['a', 'b'] }, { ...pods, resourceNames: ['b'] }],
    ['of a subresource everywhere', { ...pods, resources: ['*/log'] }, { ...pods, resources: ['pods/log'] }],
    ['of paths below', rule({ nonResourceURLs: ['/a*'] }), rule({ nonResourceURLs: ['/a/b', '/a*'] })],
  ])('%s cover', (_what, held, asked) => {
    expect(missingRules([held], [asked])).toEqual([]);
  });

  it.each<[string, PolicyRule, PolicyRule]>([
    ['of a name do not cover all names', { ...pods, resourceNames: ['a'] }, pods],
    ['of another name', { ...pods, resourceNames: ['a'] }, { ...pods, resourceNames: ['b'] }],
    ['of another verb', pods, { ...pods, verbs: ['list'] }],
    ['of another group', pods, { ...pods, apiGroups: ['apps'] }],
    ['of a resource do not cover its subresource', pods, { ...pods, resources: ['pods/log'] }],
    ['of one group do not cover all', pods, { ...pods, apiGroups: ['*'] }],
    ['of resources do not cover paths', ALL, rule({ nonResourceURLs: ['/a'] })],
    ['of a path', rule({ nonResourceURLs: ['/a'] }), rule({ nonResourceURLs: ['/a*'] })],
  ])('%s', (_what, held, asked) => {
    expect(missingRules([held], [asked])).toEqual([asked]);
  });

  it('cover together what none of them covers alone, piece by piece', () => {
    const asked = rule({ apiGroups: [''], resources: ['pods', 'secrets'] });
    const secrets = rule({ apiGroups: [''], resources: ['secrets'] });
    expect(missingRules([pods, secrets], [asked])).toEqual([]);
    expect(missingRules([pods], [asked])).toEqual([secrets]);
  });

  it('of billions of pieces are not weighed, and cost nothing', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `x${at}`);
    const asked = rule({ apiGroups: many, resources: many, verbs: many });
    expect(() => missingRules([pods], [asked])).toThrow(TooManyPieces);
    expect(missingRules([ALL], [asked])).toEqual([]);
  });

  it('of thousands are weighed against thousands by those alone that name what is asked for', () => {
    const some = (resource: (at: number) => string) =>
      Array.from({ length: 18_000 }, (_, at) => rule({ apiGroups: ['g'], resources: [resource(at)] }));
    const held = some((at) => `r${at}`);
    const same = weighed(held, held.toReversed());
    expect(same.missing).toEqual([]);
    const others = some((at) => `x${at}`);
    const none = weighed(held, others);
    expect(none.missing).toEqual(others);
    const { result: text, steps } = taken(describeRules(others));
    expect(text.split('\n')).toHaveLength(18_000);
    expect(steps).toBeGreaterThan(100);
    // Each against each would be 80,000 steps, which are as long.
    for (const { steps } of [same, none]) expect(steps).toBeLessThan(1_000);
  });

  it('are weighed in many steps where each has to be looked at for each', () => {
    const held = Array.from({ length: 1_500 }, (_, at) =>
      rule({
        apiGroups: [''],
        resources: [at % 2 === 0 ? 'a' : 'b', `x${at}`],
        verbs: [at % 2 === 0 ? 'get' : 'list'],
      }),
    );
    const asked = Array.from({ length: 1_500 }, () => rule({ apiGroups: [''], resources: ['a'], verbs: ['list'] }));
    const { missing, steps } = weighed(held, asked);
    expect(missing).toEqual(asked);
    expect(steps).toBeGreaterThan((1_500 * 750 * 4) / 4_000);
  });

  it('of many paths take a look-up for each path that is asked for', () => {
    const urls = (beginning: string) => Array.from({ length: 40_000 }, (_, at) => `${beginning}${100_000 + at}`);
    const held = [rule({ nonResourceURLs: urls('/a').map((url) => `${url}*`) })];
    expect(missingRules(held, [rule({ nonResourceURLs: urls('/a').map((url) => `${url}/x`) })])).toEqual([]);
    expect(() => missingRules(held, [rule({ nonResourceURLs: urls('/b') })])).toThrow(TooManyPieces);
  });

  it('that are missing are told by resource, with their verbs together, in order', () => {
    const missing = missingRules(
      [pods],
      [
        rule({ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }),
        rule({ apiGroups: [''], resources: ['secrets'], resourceNames: ['a'] }),
        rule({ nonResourceURLs: ['/x'], verbs: ['get', 'post'] }),
        rule({ nonResourceURLs: ['/x'], verbs: ['get'] }),
      ],
    );
    expect(taken(describeRules(missing)).result.split('\n')).toEqual([
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
      '{NonResourceURLs:["/x"], Verbs:["post"]}',
    ]);
  });
});
