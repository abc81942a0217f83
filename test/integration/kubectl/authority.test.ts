/**
 * Who may grant what, and who may create: the same users with the same rights send the same requests to the plain API
 * server and to a virtual cluster, and both answer alike, to the word. Seeded, so a difference can be looked at again.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/k8s/types.ts';
import { sameJson } from '../../../src/lib/same-json.ts';
import { type KubeObject, useProduct } from '../../support/as-tenant.ts';
import { type Asked, as, binding, both, RBAC_GROUP as GROUP, role, told } from '../../support/both-servers.ts';
import { jsonOf } from '../../support/http.ts';
import { eventually } from '../../support/processes.ts';

const { acme, host } = useProduct();
const SEED = 20_261_130;
const WRITES = 250;
const NS = 'authority';
const RBAC = `/apis/${GROUP}/v1`;
const LOCAL = `${RBAC}/namespaces/${NS}`;

const on = (verbs: string[], resources: string[], more: object = {}) => ({
  apiGroups: [GROUP],
  resources,
  verbs,
  ...more,
});
const ALL_RBAC = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'];
const WRITE = ['get', 'create', 'update', 'patch', 'delete'];
const CORE = { apiGroups: [''], resources: ['pods', 'configmaps'], verbs: ['get', 'list'] };
const FIXED: [path: string, object: JsonObject][] = [
  [`${RBAC}/clusterroles`, role('ClusterRole', 'au-write', [on(WRITE, ALL_RBAC)] as JsonValue)],
  [
    `${RBAC}/clusterroles`,
    role('ClusterRole', 'au-basic', [
      CORE,
      { apiGroups: ['apps'], resources: ['*'], verbs: ['get'], resourceNames: ['a'] },
      { nonResourceURLs: ['/x*'], verbs: ['get'] },
    ]),
  ],
  [
    `${RBAC}/clusterroles`,
    role('ClusterRole', 'au-secrets', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]),
  ],
  [`${RBAC}/clusterroles`, role('ClusterRole', 'au-pods', [{ ...CORE, resources: ['pods'] }])],
  [
    `${RBAC}/clusterroles`,
    role('ClusterRole', 'au-escalate', [
      on(['escalate'], ['roles', 'clusterroles'], { resourceNames: ['w0', 'w1'] }),
    ] as JsonValue),
  ],
  [
    `${RBAC}/clusterroles`,
    role('ClusterRole', 'au-bind', [on(['bind'], ['clusterroles'], { resourceNames: ['au-secrets'] })] as JsonValue),
  ],
  [`${RBAC}/clusterrolebindings`, binding('ClusterRoleBinding', 'au-all', ['ClusterRole', 'cluster-admin'], 'all')],
  ...['limited', 'escalator', 'binder', 'broken'].flatMap((user): [string, JsonObject][] =>
    ['au-write', 'au-basic'].map((name) => [
      `${RBAC}/clusterrolebindings`,
      binding('ClusterRoleBinding', `${name}-${user}`, ['ClusterRole', name], user),
    ]),
  ),
  [`${RBAC}/clusterrolebindings`, binding('ClusterRoleBinding', 'au-esc', ['ClusterRole', 'au-escalate'], 'escalator')],
  [`${RBAC}/clusterrolebindings`, binding('ClusterRoleBinding', 'au-bind', ['ClusterRole', 'au-bind'], 'binder')],
  [
    `${RBAC}/clusterroles`,
    role('ClusterRole', 'au-edit', [
      on(['get', 'update', 'patch'], ALL_RBAC),
      { apiGroups: [''], resources: ['services', 'configmaps', 'namespaces'], verbs: ['get', 'update', 'patch'] },
    ] as JsonValue),
  ],
  [`${RBAC}/clusterrolebindings`, binding('ClusterRoleBinding', 'au-edit', ['ClusterRole', 'au-edit'], 'editor')],
  [`${LOCAL}/rolebindings`, binding('RoleBinding', 'au-none', ['Role', 'au-nowhere'], 'broken')],
];

beforeAll(async () => {
  await Promise.all([
    host.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } }),
    acme.kubectl(`create namespace ${NS}`),
  ]);
  for (const [path, json] of FIXED) {
    const made = await both(acme, { method: 'POST', path, json });
    expect(
      made.map(({ status }) => status),
      path,
    ).toEqual([201, 201]);
  }
  // The API server's own view is a moment late; the last binding of each collection tells that it has all.
  const may = async (user: string, verb: string, name: string) => {
    const attributes = { group: GROUP, resource: 'clusterroles', verb, name };
    const spec = { user, resourceAttributes: attributes };
    const json = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    const [plain] = await both(acme, {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      json,
    });
    return jsonOf<KubeObject>(plain).status;
  };
  await eventually(
    'the API server knows the last role',
    async () => (await may('binder', 'bind', 'au-secrets')).allowed,
  );
});
afterAll(async () => {
  for (const [path, { metadata }] of [...FIXED].reverse()) {
    await both(acme, { method: 'DELETE', path: `${path}/${(metadata as JsonObject)['name']}` });
  }
  await host.send('DELETE', `/api/v1/namespaces/${NS}`);
});

const some = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
const resourceRule = fc.record(
  {
    verbs: some('get', 'list', 'create', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'configmaps', 'secrets', 'pods/log', '*'),
    resourceNames: some('a', 'b'),
  },
  { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
);
/** More often than not within what the users hold, or nothing would ever be let through. */
const heldRule = fc.record({
  verbs: some('get', 'list'),
  apiGroups: fc.constant(['']),
  resources: some('pods', 'configmaps'),
});
const urlRule = fc.record({ verbs: fc.constantFrom(['get'], ['post']), nonResourceURLs: some('/x', '/xy*', '/y') });
const rulesOf = (...kinds: fc.Arbitrary<object>[]) => fc.array(fc.oneof(...kinds), { minLength: 1, maxLength: 3 });
const aggregation = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'no.such/label': 'x' } }] } };
const user = fc.constantFrom('limited', 'limited', 'escalator', 'binder', 'broken', 'all');
const name = fc.constantFrom('w0', 'w1', 'w2');
const localRole = fc.tuple(name, rulesOf(heldRule, heldRule, resourceRule)).map(([of, rules]) => ({
  path: `${LOCAL}/roles`,
  object: role('Role', of, rules as JsonValue),
}));
const clusterRole = fc
  .tuple(name, rulesOf(heldRule, heldRule, resourceRule, urlRule), fc.constantFrom({}, {}, {}, aggregation))
  .map(([of, rules, more]) => ({
    path: `${RBAC}/clusterroles`,
    object: { ...role('ClusterRole', of, rules as JsonValue), ...more } as JsonObject,
  }));
const bound = fc.constantFrom('au-basic', 'au-pods', 'au-secrets', 'au-missing', 'view', 'cluster-admin');
const localBinding = fc.tuple(name, bound).map(([of, to]) => ({
  path: `${LOCAL}/rolebindings`,
  object: binding('RoleBinding', `${of}-${to}`, ['ClusterRole', to]),
}));
const clusterBinding = fc.tuple(name, bound).map(([of, to]) => ({
  path: `${RBAC}/clusterrolebindings`,
  object: binding('ClusterRoleBinding', `${of}-${to}`, ['ClusterRole', to]),
}));
const PATCHES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};
interface Write {
  readonly user: string;
  readonly how: string;
  readonly what: { readonly path: string; readonly object: JsonObject };
}
const write: fc.Arbitrary<Write> = fc.record({
  user,
  how: fc.constantFrom('create', 'create', 'update', 'merge', 'strategic', 'json', 'apply', 'delete'),
  what: fc.oneof(localRole, clusterRole, localBinding, clusterBinding),
});

function requestFor({ how, what: { path, object } }: Write): Asked {
  const at = `${path}/${(object['metadata'] as JsonObject)['name']}`;
  if (how === 'create') return { method: 'POST', path, json: object };
  if (how === 'update') return { method: 'PUT', path: at, json: object };
  if (how === 'delete') return { method: 'DELETE', path: at };
  const headers = { 'content-type': PATCHES[how as keyof typeof PATCHES] };
  const query = how === 'apply' ? '?fieldManager=test&force=true' : '';
  const { rules, subjects } = object;
  const changed: JsonObject = rules === undefined ? { subjects: subjects ?? [] } : { rules };
  const [[field, value] = ['', null]] = Object.entries(changed);
  const json = how === 'json' ? [{ op: 'replace', path: `/${field}`, value }] : how === 'apply' ? object : changed;
  return { method: 'PATCH', path: `${at}${query}`, json, headers };
}

describe('who may grant what', () => {
  it(`is decided alike in ${WRITES} writes of roles and bindings, to the word`, async () => {
    const seen = { granted: 0, refused: 0 };
    const differences: JsonValue[] = [];
    for (const one of fc.sample(write, { numRuns: WRITES, seed: SEED })) {
      const asked = requestFor(one);
      const headers = { ...asked.headers, ...as(one.user).headers };
      const [plain, virtual] = await both(acme, { ...asked, headers });
      if (!sameJson(told(plain), told(virtual))) {
        differences.push({
          ...one,
          asked: asked.path,
          plain: told(plain),
          virtual: told(virtual),
        } as unknown as JsonValue);
      }
      if (plain.status < 300) seen.granted += 1;
      if (plain.status === 403) seen.refused += 1;
    }
    expect(differences).toEqual([]);
    // Neither side may be right by always saying the same.
    expect(seen.granted).toBeGreaterThan(WRITES / 10);
    expect(seen.refused).toBeGreaterThan(WRITES / 10);
  });
});

describe('who may change but not create', () => {
  const of = (kind: string, more: object = {}) => ({ apiVersion: 'v1', kind, metadata: { name: 'made' }, ...more });
  const port = { spec: { ports: [{ port: 80 }] } };
  it.each<[string, JsonValue]>([
    [`/api/v1/namespaces/${NS}/configmaps`, of('ConfigMap')],
    [`/api/v1/namespaces/${NS}/services`, of('Service', port)],
    ['/api/v1/namespaces', of('Namespace')],
    [`${LOCAL}/roles`, role('Role', 'made', [])],
    [`${RBAC}/clusterroles`, role('ClusterRole', 'made', [])],
  ])('makes nothing in %s by PUT or apply, and changes what is there', async (path, json) => {
    const apply = { ...as('editor').headers, 'content-type': PATCHES.apply };
    const put: Asked = { method: 'PUT', path: `${path}/made`, json, ...as('editor') };
    const applied: Asked = { method: 'PATCH', path: `${path}/made?fieldManager=t&force=true`, json, headers: apply };
    for (const asked of [put, applied]) {
      const [plain, virtual] = await both(acme, asked);
      expect(told(virtual)).toEqual(told(plain));
      expect([403, 404]).toContain(virtual.status);
    }
    await both(acme, { method: 'POST', path, json });
    for (const asked of [put, applied]) {
      const [plain, virtual] = await both(acme, asked);
      expect(told(virtual)).toEqual(told(plain));
      expect(virtual.status, virtual.text).toBe(200);
    }
    await both(acme, { method: 'DELETE', path: `${path}/made` });
  });
});
