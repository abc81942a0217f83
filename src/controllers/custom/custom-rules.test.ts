import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../k8s/types.ts';
import type { TenantId } from '../../tenancy/names.ts';
import { customGroups, customRules, definitionsOf, readDefinition } from './custom-rules.ts';

function definition(group: string, plural: string, tenant: string, scope = 'Namespaced'): JsonObject {
  return {
    metadata: { name: `${plural}.${group}`, labels: { 'kubeveil.dev/tenant': tenant } },
    spec: { group, scope, names: { plural } },
  };
}

const acme = 'acme' as TenantId;

describe('a definition', () => {
  it('is of the tenant that prefix and label name', () => {
    const own = definition('acme--example.com', 'foos', 'acme', 'Cluster');
    expect(readDefinition(own)).toEqual({
      tenant: acme,
      group: 'acme--example.com',
      plural: 'foos',
      clusterScoped: true,
    });
  });
  it.each([
    ['another label', definition('acme--example.com', 'foos', 'globex')],
    ['no prefix', definition('example.com', 'foos', 'acme')],
    ['another prefix', definition('acme-eu--example.com', 'foos', 'acme')],
    ['no plural', { ...definition('acme--example.com', 'foos', 'acme'), spec: { group: 'acme--example.com' } }],
    ['nothing', {}],
  ])('with %s is nobody’s', (_what, object) => {
    expect(readDefinition(object)).toBeUndefined();
  });
});

describe('rights on own kinds', () => {
  const all = [
    definition('acme--b.com', 'bars', 'acme'),
    definition('acme--a.com', 'foos', 'acme'),
    definition('globex--a.com', 'foos', 'globex'),
    definition('acme--a.com', 'bazes', 'acme'),
  ];

  it('name each kind and its subresources, in a stable order, and nothing of others', () => {
    const rules = customRules(definitionsOf(all, acme));
    expect(rules).toEqual(customRules(definitionsOf(all.toReversed(), acme)));
    expect(rules.map((rule) => [rule['apiGroups'], rule['resources']])).toEqual([
      [['acme--a.com'], ['bazes', 'foos']],
      [
        ['acme--a.com'],
        ['bazes', 'foos'].flatMap((name) => ['finalizers', 'scale', 'status'].map((sub) => `${name}/${sub}`)),
      ],
      [['acme--b.com'], ['bars']],
      [['acme--b.com'], ['bars/finalizers', 'bars/scale', 'bars/status']],
    ]);
    expect(JSON.stringify(rules)).not.toContain('*');
  });
  it('list every group once', () => {
    expect(customGroups(all)).toEqual(['acme--a.com', 'acme--b.com', 'globex--a.com']);
  });
});
