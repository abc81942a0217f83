/**
 * Who may grant what, and who may be whom: the same users with the same rights send the same requests to the plain API
 * server and to a virtual cluster, and both answer alike, to the word. Seeded, so a difference can be looked at again.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isObject, type JsonObject, type JsonValue } from '../../../src/k8s/types.ts';
import { sameJson } from '../../../src/lib/same-json.ts';
import { type KubeObject, useProduct } from '../../support/as-tenant.ts';
import type { ControlPlaneFacts } from '../../support/control-plane.ts';
import { jsonOf, type RawAnswer, type RawRequest, requestOnce } from '../../support/http.ts';
import { eventually } from '../../support/processes.ts';

const { acme, host } = useProduct();
const plane: ControlPlaneFacts = inject('controlPlane');
const SEED = 20_261_130;
const WRITES = 250;
const NS = 'authority';
const GROUP = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${GROUP}/v1`;
const LOCAL = `${RBAC}/namespaces/${NS}`;

type Asked = Omit<RawRequest, 'server' | 'path'> & { path: string; json?: JsonValue };

/** Sends one request to the plain API server and to acme's cluster, under the administrators' certificates. */
async function both({ json, ...asked }: Asked): Promise<[plain: RawAnswer, virtual: RawAnswer]> {
  const request = json === undefined ? asked : { ...asked, body: JSON.stringify(json) };
  const credential = asked.token === undefined ? { certPem: plane.adminCertPem, keyPem: plane.adminKeyPem } : {};
  return await Promise.all([
    requestOnce({ ...request, ...credential, server: plane.server, caPem: plane.caPem }),
    acme.send(asked.path, asked.token === undefined ? request : { ...request, certPem: undefined, keyPem: undefined }),
  ]);
}

/** As somebody whom the administrator becomes. */
function as(user: string, ...groups: string[]): { headers: Record<string, string | string[]> } {
  return { headers: { 'impersonate-user': user, ...(groups.length === 0 ? {} : { 'impersonate-group': groups }) } };
}

function told(answer: RawAnswer): JsonValue {
  const object = jsonOf<JsonObject>(answer);
  if (object['kind'] !== 'Status' || answer.status < 300) return { status: answer.status };
  const { message, reason, details } = object as KubeObject;
  return { status: answer.status, message, reason, details };
}

function role(kind: string, name: string, rules: JsonValue): JsonObject {
  return { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, rules };
}
function binding(kind: string, name: string, roleRef: [kind: string, name: string], user = 'someone'): JsonObject {
  return {
    apiVersion: `${GROUP}/v1`,
    kind,
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind: roleRef[0], name: roleRef[1] },
    subjects: [{ apiGroup: GROUP, kind: 'User', name: user }],
  };
}

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
    const made = await both({ method: 'POST', path, json });
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
    const [plain] = await both({ method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews', json });
    return jsonOf<KubeObject>(plain).status;
  };
  await eventually(
    'the API server knows the last role',
    async () => (await may('binder', 'bind', 'au-secrets')).allowed,
  );
});
afterAll(async () => {
  for (const [path, { metadata }] of [...FIXED].reverse()) {
    await both({ method: 'DELETE', path: `${path}/${(metadata as JsonObject)['name']}` });
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
      const [plain, virtual] = await both({ ...asked, headers });
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
      const [plain, virtual] = await both(asked);
      expect(told(virtual)).toEqual(told(plain));
      expect([403, 404]).toContain(virtual.status);
    }
    await both({ method: 'POST', path, json });
    for (const asked of [put, applied]) {
      const [plain, virtual] = await both(asked);
      expect(told(virtual)).toEqual(told(plain));
      expect(virtual.status, virtual.text).toBe(200);
    }
    await both({ method: 'DELETE', path: `${path}/made` });
  });
});

describe('who may be whom', () => {
  const me = 'impostor';
  /** Of a user that nobody impersonates: a service account's token, on each side its own. */
  async function tokens(): Promise<[string, string]> {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: me } };
    await both({ method: 'POST', path: `/api/v1/namespaces/${NS}/serviceaccounts`, json: account });
    const json = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const path = `/api/v1/namespaces/${NS}/serviceaccounts/${me}/token`;
    const made = await both({ method: 'POST', path, json });
    return made.map((answer) => jsonOf<KubeObject>(answer).status.token as string) as [string, string];
  }

  it('is decided alike, and told alike of who one is then', async () => {
    const [plainToken, virtualToken] = await tokens();
    const rules = [
      { apiGroups: [''], resources: ['users'], resourceNames: ['bob'], verbs: ['impersonate'] },
      { apiGroups: [''], resources: ['groups'], resourceNames: ['ops', 'qa'], verbs: ['impersonate'] },
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] },
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['userextras/team'],
        resourceNames: ['red'],
        verbs: ['impersonate'],
      },
      { apiGroups: ['authentication.k8s.io'], resources: ['uids'], resourceNames: ['7'], verbs: ['impersonate'] },
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['users'],
        resourceNames: ['carol'],
        verbs: ['impersonate:user-info'],
      },
      {
        apiGroups: ['authentication.k8s.io'],
        resources: ['selfsubjectreviews'],
        verbs: ['impersonate-on:user-info:create'],
      },
    ];
    const subject = { kind: 'ServiceAccount', name: me, namespace: NS };
    const grant = {
      ...binding('ClusterRoleBinding', 'au-impostor', ['ClusterRole', 'au-impostor']),
      subjects: [subject],
    };
    await both({ method: 'POST', path: `${RBAC}/clusterroles`, json: role('ClusterRole', 'au-impostor', rules) });
    await both({ method: 'POST', path: `${RBAC}/clusterrolebindings`, json: grant });
    const ask = async (headers: Record<string, string | string[]>) => {
      const json = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const request = { method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', headers };
      const body = JSON.stringify(json);
      return await Promise.all([
        requestOnce({ ...request, body, token: plainToken, server: plane.server, caPem: plane.caPem }),
        acme.send(request.path, { ...request, body, token: virtualToken, certPem: undefined, keyPem: undefined }),
      ]);
    };
    const resourceAttributes = { verb: 'impersonate', resource: 'users', name: 'bob' };
    const spec = { user: `system:serviceaccount:${NS}:${me}`, resourceAttributes };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    await eventually('the API server knows it', async () => {
      const asked = { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews', json: review };
      return jsonOf<KubeObject>((await both(asked))[0]).status.allowed;
    });
    const of = (parts: Record<string, string | string[]>) =>
      Object.fromEntries(Object.entries(parts).map(([part, value]) => [`impersonate-${part}`, value]));
    // Refusals first: of who succeeded by one mode the API server tells what that mode says next time.
    const cases = [
      { user: 'eve' },
      { user: 'bob', group: ['ops', 'system:masters'] },
      { user: 'bob', group: ['system:authenticated'] },
      { user: 'bob', uid: '8' },
      { user: 'bob', 'extra-team': ['red', 'blue'] },
      { user: 'carol', group: 'ops' },
      { user: 'system:serviceaccount:default:Default' },
      { user: 'system:node:n1' },
      { user: 'system:anonymous' },
      { user: 'bob' },
      { user: 'bob', group: ['ops', 'qa'] },
      { user: 'bob', uid: '7' },
      { user: 'bob', 'extra-team': 'red' },
      { user: 'bob', 'extra-Team': 'red', uid: '7', group: 'ops' },
      { user: 'system:serviceaccount:default:default' },
      { user: 'system:serviceaccount:default:default', group: 'ops' },
      { user: 'carol' },
    ];
    for (const one of cases) {
      const [plain, virtual] = await ask(of(one));
      expect(reviewed(virtual), JSON.stringify(one)).toEqual(reviewed(plain));
    }
    // The API server prints its own type here; that it refuses is what counts.
    for (const one of [{ group: 'ops' }, { uid: '7' }, { 'extra-team': 'red' }]) {
      expect(
        (await ask(of(one))).map(({ status }) => status),
        JSON.stringify(one),
      ).toEqual([400, 400]);
    }
    await both({ method: 'DELETE', path: `${RBAC}/clusterrolebindings/au-impostor` });
    await both({ method: 'DELETE', path: `${RBAC}/clusterroles/au-impostor` });
  });
});

/** Who one is, or what one was told. */
function reviewed(answer: RawAnswer): JsonValue {
  const object = jsonOf<JsonObject>(answer);
  return isObject(object['status']) ? { status: answer.status, is: object['status'] } : told(answer);
}
