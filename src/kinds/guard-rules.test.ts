import { describe, expect, it } from 'vitest';
import {
  guardRules,
  type HostRule,
  readerRules,
  readerSecretRules,
  tenantClusterRules,
  trustedResources,
} from './guard-rules.ts';

const BY_METRIC = 'custom.metrics.k8s.io';
const ALL_RULES = [...guardRules(), ...tenantClusterRules(), ...readerRules(), ...readerSecretRules()];

/** Whether the rules give a verb on exactly this resource. */
function gives(rules: readonly HostRule[], group: string, resource: string, verb: string): boolean {
  return rules.some(
    (rule) =>
      'resources' in rule &&
      rule.apiGroups.includes(group) &&
      rule.resources.includes(resource) &&
      rule.verbs.includes(verb),
  );
}

describe('all rules', () => {
  it('name each resource and verb', () => {
    for (const rule of ALL_RULES) {
      const named = 'resources' in rule ? [...rule.apiGroups, ...rule.resources, ...rule.verbs] : rule.verbs;
      const wild = named.filter((word) => word.includes('*'));
      // What an adapter measures is named by whoever runs it; who may read it is the guard of a namespace.
      const isByMetric = 'apiGroups' in rule && rule.apiGroups.join() === BY_METRIC;
      expect(wild).toEqual(isByMetric ? ['*'] : []);
      if (isByMetric) expect(rule).toEqual({ apiGroups: [BY_METRIC], resources: ['*'], verbs: ['get'] });
    }
  });
  it('let the guard alone read what an adapter measures', () => {
    const having = [guardRules(), tenantClusterRules(), readerRules(), readerSecretRules()].map(
      (rules) => rules.filter((rule) => 'apiGroups' in rule && rule.apiGroups.includes(BY_METRIC)).length,
    );
    expect(having).toEqual([1, 0, 0, 0]);
  });
  it.each([
    ['', 'namespaces', 'create'],
    ['', 'namespaces/finalize', 'update'],
    ['', 'nodes/proxy', 'get'],
    ['', 'nodes', 'update'],
    ['', 'pods/binding', 'create'],
    ['', 'bindings', 'create'],
    ['', 'services/proxy', 'get'],
    ['', 'persistentvolumes', 'create'],
    ['', 'serviceaccounts', 'impersonate'],
    ['rbac.authorization.k8s.io', 'clusterroles', 'create'],
    ['rbac.authorization.k8s.io', 'clusterrolebindings', 'create'],
    ['certificates.k8s.io', 'certificatesigningrequests', 'create'],
    ['admissionregistration.k8s.io', 'validatingwebhookconfigurations', 'create'],
    ['authorization.k8s.io', 'subjectaccessreviews', 'create'],
  ])('never give %s/%s %s', (group, resource, verb) => {
    expect(gives(ALL_RULES, group, resource, verb)).toBe(false);
  });
});

describe('what only trusted tenants write', () => {
  it('is what the guard gives and the table holds back from others', () => {
    expect([...trustedResources()]).toEqual([
      ['', ['pods/status', 'services/status']],
      ['resource.k8s.io', ['resourceclaims/status']],
    ]);
    for (const [group, resources] of trustedResources()) {
      for (const resource of resources) expect(gives(guardRules(), group, resource, 'patch')).toBe(true);
    }
  });
});

describe('the guard', () => {
  it.each([
    ['', 'pods/exec', 'create'],
    ['', 'pods/exec', 'get'],
    ['', 'pods/log', 'get'],
    ['', 'pods/proxy', 'delete'],
    ['', 'pods', 'deletecollection'],
    ['', 'secrets', 'watch'],
    ['', 'pods/eviction', 'create'],
    ['', 'pods/status', 'get'],
    ['', 'serviceaccounts/token', 'create'],
    ['apps', 'deployments/scale', 'patch'],
    ['apps', 'deployments/finalizers', 'update'],
    ['rbac.authorization.k8s.io', 'roles', 'escalate'],
    ['rbac.authorization.k8s.io', 'clusterroles', 'bind'],
    ['rbac.authorization.k8s.io', 'rolebindings', 'create'],
  ])('gives %s/%s %s', (group, resource, verb) => {
    expect(gives(guardRules(), group, resource, verb)).toBe(true);
  });
});

describe('cluster-scoped writes', () => {
  it.each([
    ['apiextensions.k8s.io', 'customresourcedefinitions', 'create'],
    ['apiextensions.k8s.io', 'customresourcedefinitions/status', 'patch'],
    ['virtual.kubeveil.dev', 'clusterroles', 'delete'],
  ])('give %s/%s %s', (group, resource, verb) => {
    expect(gives(tenantClusterRules(), group, resource, verb)).toBe(true);
  });
  it('come without reads and without deleting all at once', () => {
    const verbs = tenantClusterRules().flatMap((rule) => rule.verbs);
    expect(new Set(verbs)).toEqual(new Set(['create', 'delete', 'patch', 'update']));
  });
});

describe('into a pod', () => {
  it.each(['exec', 'attach', 'portforward', 'log', 'proxy'])('only a tenant reaches: %s', (subresource) => {
    expect(gives(guardRules(), '', `pods/${subresource}`, 'get')).toBe(true);
    expect(gives(readerRules(), '', `pods/${subresource}`, 'get')).toBe(false);
  });
});

describe('the reader', () => {
  it.each([
    ['', 'pods', 'watch'],
    ['', 'namespaces', 'list'],
    ['', 'nodes', 'get'],
    ['virtual.kubeveil.dev', 'clusterrolebindings', 'list'],
    ['authentication.k8s.io', 'tokenreviews', 'create'],
  ])('may %s/%s %s', (group, resource, verb) => {
    expect(gives(readerRules(), group, resource, verb)).toBe(true);
  });
  it('writes nothing', () => {
    const verbs = readerRules().flatMap((rule) =>
      'resources' in rule && rule.resources.includes('tokenreviews') ? [] : rule.verbs,
    );
    expect(verbs.filter((verb) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);
  });
  it('sees Secrets by a rule of their own only', () => {
    expect(gives(readerRules(), '', 'secrets', 'list')).toBe(false);
    expect(gives(readerSecretRules(), '', 'secrets', 'list')).toBe(true);
  });
});
