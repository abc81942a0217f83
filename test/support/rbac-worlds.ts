/** Random roles, bindings, users and questions about them, for comparisons with Kubernetes' own RBAC. */
import fc from 'fast-check';

export const GROUP = 'rbac.authorization.k8s.io';
/** Of every name that is made. */
export const PREFIX = 'rbac-diff';
export const NAMESPACES = [`${PREFIX}-one`, `${PREFIX}-two`];

const some = <T>(...values: T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
/** Wildcards are rare, or they would hide everything else. */
const orStar = (...values: string[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...values) }, fc.constant('*'));
const verb = orStar('get', 'list', 'create', 'delete');
const apiGroup = orStar('', 'apps', 'x.example.com');
const resource = orStar('pods', 'pods/log', 'pods/*', 'deployments', 'deployments/scale', '*/scale', '*/log');
const path = fc.constantFrom('/api', '/apis/*', '/metrics', '/a*b', '/healthz**', '*');
const name = fc.constantFrom('a', 'b', 'c');
export const resourceRule = fc.record(
  {
    verbs: fc.uniqueArray(verb, { minLength: 1, maxLength: 3 }),
    apiGroups: fc.uniqueArray(apiGroup, { minLength: 1, maxLength: 2 }),
    resources: fc.uniqueArray(resource, { minLength: 1, maxLength: 3 }),
    resourceNames: some('a', 'b'),
  },
  { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
);
const pathRule = fc.record({
  verbs: fc.uniqueArray(fc.constantFrom('get', 'post', '*'), { minLength: 1 }),
  nonResourceURLs: fc.uniqueArray(path, { minLength: 1, maxLength: 3 }),
});
export const roleRules = fc.array(resourceRule, { maxLength: 3 });
export const clusterRules = fc.array(fc.oneof({ weight: 3, arbitrary: resourceRule }, pathRule), { maxLength: 3 });
const user = fc.constantFrom('alice', 'bob', 'carol', `system:serviceaccount:${NAMESPACES[0]}:bot`);
const group = fc.constantFrom('devs', 'ops', `system:serviceaccounts:${NAMESPACES[1]}`, 'system:authenticated');
const account = fc.record(
  {
    kind: fc.constant('ServiceAccount'),
    name: fc.constantFrom('bot', 'ci'),
    namespace: fc.constantFrom(...NAMESPACES),
  },
  { requiredKeys: ['kind', 'name', 'namespace'] },
);
const localAccount = fc.record({ kind: fc.constant('ServiceAccount'), name: fc.constantFrom('bot', 'ci') });
const named = (kind: string, of: fc.Arbitrary<string>) =>
  of.map((subject) => ({ kind, name: subject, apiGroup: GROUP }));
const subject = fc.oneof(named('User', user), named('Group', group), account);
export const subjects = fc.array(subject, { maxLength: 3 });
export const localSubjects = fc.array(fc.oneof(subject, localAccount), { maxLength: 3 });
/** The last of each kind of role is never made. */
export const roleName = fc.constantFrom(...Array.from({ length: 7 }, (_, at) => `${PREFIX}-${at}`));
export const clusterRole = fc.oneof({ weight: 6, arbitrary: roleName }, fc.constantFrom('view', 'edit', 'admin'));
export const refTo = (kind: string, of: fc.Arbitrary<string>) => of.map((to) => ({ kind, name: to, apiGroup: GROUP }));

const namespaces = fc.constantFrom(...NAMESPACES, `${PREFIX}-none`, '');
export const who = fc.record({
  user: fc.oneof(user, fc.constantFrom('dave', ...NAMESPACES.map((one) => `system:serviceaccount:${one}:ci`))),
  groups: fc.uniqueArray(fc.oneof(group, fc.constant('system:masters')), { maxLength: 2 }),
});
export const asked = fc.record({
  verb: fc.oneof(verb, fc.constant('frob')),
  group: fc.constantFrom('', 'apps', 'x.example.com', 'y.example.com'),
  version: fc.constantFrom('', 'v1', '*'),
  resource: fc.constantFrom('pods', 'deployments', 'secrets', 'configmaps', 'users', '*'),
  subresource: fc.constantFrom('', '', 'log', 'scale', '*', 'status'),
  name: fc.oneof(name, fc.constant('')),
  namespace: namespaces,
});
export const askedPath = fc.record({
  verb: fc.constantFrom('get', 'post', '*'),
  path: fc.constantFrom(
    '/api',
    '/apis',
    '/apis/x',
    '/metrics',
    '/a*b',
    '/axb',
    '/healthz',
    '/healthz/x',
    '/',
    '',
    'x',
    '*',
  ),
});
