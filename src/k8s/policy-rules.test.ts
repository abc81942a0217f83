import { describe, expect, it } from 'vitest';
import { describeRules, missingRules, TooManyPieces } from './policy-rules.ts';
import type { PolicyRule } from './rbac.ts';

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
    expect(describeRules(missing).split('\n')).toEqual([
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
      '{NonResourceURLs:["/x"], Verbs:["post"]}',
    ]);
  });
});
