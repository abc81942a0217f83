import { describe, expect, it } from 'vitest';
import { nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { defaultRoles } from '../virtual/standing.ts';
import { ClusterRoles } from './cluster-roles.ts';

const TO_ADMIN = { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' };

function role(labels: Record<string, string>, ...resources: string[]): JsonObject {
  return { metadata: { labels }, rules: resources.map((resource) => grants(resource)) };
}
function grants(resource: string): JsonObject {
  return { verbs: ['get'], apiGroups: ['x'], resources: [resource] };
}
function gathers(matchLabels: Record<string, string>, labels: Record<string, string> = {}): JsonObject {
  return { ...role(labels, 'stored'), aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } };
}
function resourcesOf(roles: ClusterRoles, name: string): string[] | undefined {
  const rules = roles.rules(name);
  return typeof rules === 'string' ? [rules] : rules?.flatMap(({ rule }) => rule.resources);
}
function defaults(): ClusterRoles {
  const roles = new ClusterRoles();
  for (const object of defaultRoles().clusterroles) roles.put(nameOf(object), object);
  return roles;
}

describe('a role with an aggregation rule', () => {
  it('grants what the roles that it selects grant, not what it stores, and follows them', () => {
    const roles = new ClusterRoles();
    roles.put('all', gathers({ part: 'yes' }));
    expect(resourcesOf(roles, 'all')).toEqual([]);
    roles.put('two', role({ part: 'yes' }, 'b', 'a'));
    roles.put('one', role({ part: 'yes' }, 'a'));
    roles.put('other', role({ part: 'no' }, 'c'));
    expect(resourcesOf(roles, 'all')).toEqual(['a', 'b']);
    roles.put('two', role({}, 'b'));
    expect(resourcesOf(roles, 'all')).toEqual(['a']);
    roles.remove('one');
    expect(resourcesOf(roles, 'all')).toEqual([]);
  });

  it('gathers through others, and in a circle gains nothing', () => {
    const roles = new ClusterRoles();
    roles.put('top', gathers({ to: 'top' }));
    roles.put('middle', gathers({ to: 'middle' }, { to: 'top' }));
    roles.put('leaf', role({ to: 'middle' }, 'a'));
    expect(resourcesOf(roles, 'top')).toEqual(['a']);
    roles.put('middle', gathers({ to: 'top' }, { to: 'top' }));
    expect(resourcesOf(roles, 'top')).toEqual([]);
    expect(resourcesOf(roles, 'middle')).toEqual([]);
  });

  it('among many that all select each other is worked out without walking every way', () => {
    const roles = new ClusterRoles();
    for (let at = 0; at < 60; at += 1) roles.put(`r${at}`, gathers({}));
    roles.put('leaf', role({}, 'a'));
    expect(resourcesOf(roles, 'r0')).toEqual(['a']);
  });

  it('that names a label and its value looks at the roles alone that have it', () => {
    const roles = new ClusterRoles();
    for (let at = 0; at < 1_000; at += 1) {
      roles.put(`r${at}`, role({ of: `${at}` }, 'a'));
      roles.put(`all${at}`, gathers({ of: `${at}` }));
    }
    // Each compared with each would be a million, which is more than is done.
    for (let at = 0; at < 1_000; at += 1) expect(resourcesOf(roles, `all${at}`)).toEqual(['a']);
  });

  it('that takes too much work grants nothing, until it takes less', () => {
    const roles = new ClusterRoles();
    const clusterRoleSelectors = Array.from({ length: 1_000 }, (_, at) => ({
      matchExpressions: [{ key: 'of', operator: 'NotIn', values: ['all', `${at}`] }],
    }));
    for (let at = 0; at < 1_000; at += 1) roles.put(`r${at}`, role({ of: 'all' }, 'a'));
    roles.put('wild', { metadata: {}, aggregationRule: { clusterRoleSelectors } });
    expect(resourcesOf(roles, 'wild')).toEqual(['gathers from too many roles by too many selectors']);
    expect([...roles.aggregated()]).toEqual([]);
    roles.put('other', role({ of: 'some' }, 'b'));
    roles.put('wild', { metadata: {}, aggregationRule: { clusterRoleSelectors: clusterRoleSelectors.slice(0, 9) } });
    expect(resourcesOf(roles, 'wild')).toEqual(['b']);
    expect([...roles.aggregated()]).toMatchObject([{ name: 'wild' }]);
  });

  it.each([
    ['that name many things each', 30_000, 1],
    ['with long names', 1, 600_000],
  ])('that gathers rules %s is too much work, too', (_what, names, length) => {
    const gathered = (count: number, characters: number) => {
      const roles = new ClusterRoles();
      const resourceNames = Array.from({ length: count }, (_, at) => `${at}`.padEnd(characters, 'x'));
      for (let at = 0; at < 10; at += 1) {
        roles.put(`r${at}`, { metadata: { labels: { of: 'all' } }, rules: [{ ...grants(`a${at}`), resourceNames }] });
      }
      roles.put('all', gathers({ of: 'all' }));
      return resourcesOf(roles, 'all');
    };
    expect(gathered(names, length)).toEqual(['gathers from too many roles by too many selectors']);
    expect(gathered(Math.ceil(names / 100), Math.ceil(length / 100))).toHaveLength(10);
  });

  it('with a selector that is not well-formed picks nothing by it', () => {
    const roles = new ClusterRoles();
    roles.put('one', role({ a: 'b' }, 'a'));
    const expression = { key: 'a', operator: 'Near', values: [] };
    roles.put('all', {
      metadata: {},
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [expression] }] },
    });
    expect(resourcesOf(roles, 'all')).toEqual([]);
  });
});

describe('the default roles', () => {
  it('grant what they say that they grant', () => {
    const aggregated = [...defaults().aggregated()];
    expect(aggregated.map(({ name }) => name)).toEqual(['admin', 'edit', 'view']);
    for (const { rules, stored } of aggregated) expect(rules).toEqual(stored);
  });

  it('of a tenant grow by the roles that it labels, and its own of the same name takes their place', () => {
    const roles = new ClusterRoles(defaults());
    const before = resourcesOf(roles, 'admin') ?? [];
    roles.put('mine', role(TO_ADMIN, 'widgets'));
    expect(resourcesOf(roles, 'admin')).toContain('widgets');
    expect(resourcesOf(roles, 'admin')).toHaveLength(before.length + 1);
    roles.put('admin', role({}, 'little'));
    expect(resourcesOf(roles, 'admin')).toEqual(['little']);
    expect(resourcesOf(new ClusterRoles(defaults()), 'admin')).toEqual(before);
  });
});
