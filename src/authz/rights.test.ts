import { describe, expect, it } from 'vitest';
import type { Attributes } from '../k8s/rbac.ts';
import { Rights } from './rights.ts';
import { type CompiledRule, compileRule } from './rules.ts';

const GET_POD = {
  isResource: true,
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'web',
  name: 'x',
} satisfies Attributes;

/** A rule that counts how often it is looked at. */
function counted(resource: string, names: readonly string[] = []) {
  const rule = { verbs: ['get'], apiGroups: [''], resources: [resource], resourceNames: names, nonResourceURLs: [] };
  const compiled = compileRule(rule);
  const looks = { count: 0 };
  const counting: CompiledRule = {
    ...compiled,
    covers(attributes) {
      looks.count += 1;
      return compiled.covers(attributes);
    },
  };
  return { rule: counting, looks };
}

describe('the rights of a user', () => {
  it('take one look at a role, however many bindings name it, and name the first of them', () => {
    const { rule, looks } = counted('pods');
    const rules = [rule];
    const rights = new Rights(Array.from({ length: 1_000 }, (_, at) => ({ rules, source: () => `binding ${at}` })));
    expect(rights.decide({ ...GET_POD, resource: 'secrets' })).toEqual({ allowed: false, reason: '' });
    expect(looks.count).toBe(1);
    expect(rights.decide(GET_POD)).toEqual({ allowed: true, reason: 'RBAC: allowed by binding 0' });
  });

  it('that were asked for are known, but for those of very many names, which are found each time', () => {
    const few = counted('pods', ['x']);
    const many = Array.from({ length: 100 }, (_, at) => counted('secrets', [`s${at}`]));
    const rights = new Rights([{ rules: [few.rule, ...many.map(({ rule }) => rule)], source: () => 'b' }]);
    const secret = { ...GET_POD, resource: 'secrets' };
    for (const name of ['s1', 's99', 's1']) expect(rights.decide({ ...secret, name }).allowed).toBe(true);
    expect(rights.decide({ ...secret, name: 's100' }).allowed).toBe(false);
    expect(few.looks.count).toBe(4);
    for (const name of ['x', 'y', 'x']) expect(rights.decide({ ...GET_POD, name }).allowed).toBe(name === 'x');
    expect(few.looks.count).toBe(5);
  });
});
