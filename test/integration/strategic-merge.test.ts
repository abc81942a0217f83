/**
 * Strategic merge patch, ours against the API server's own: the same patch on the same native object gives the same
 * object, or a refusal with the same code. All as a dry run, so that each case starts from the same object.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/k8s/types.ts';
import { virtualBehaviour } from '../../src/virtual/behaviours.ts';
import { adminClient } from '../support/control-plane.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROOT = `/apis/${GROUP}/v1`;
const NAME = 'strategic-merge-test';
const STRATEGIC = 'application/strategic-merge-patch+json';
const client = adminClient(inject('controlPlane'));

const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${uid}`, uid });
const metadata: JsonObject = {
  name: NAME,
  labels: { a: '1', b: '2' },
  annotations: { note: 'x' },
  finalizers: ['example.com/one', 'example.com/two', 'example.com/three'],
  ownerReferences: [owner('1'), owner('2'), owner('3')],
};
const rule = (...resources: string[]) => ({ apiGroups: [''], resources, verbs: ['get'] });
const user = (name: string) => ({ kind: 'User', apiGroup: GROUP, name });
const OBJECTS: Record<string, JsonObject> = {
  clusterroles: { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', metadata, rules: [rule('pods'), rule('services')] },
  clusterrolebindings: {
    apiVersion: `${GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'view' },
    subjects: [user('alice'), user('bob')],
  },
};
const stored: Record<string, JsonObject> = {};

beforeAll(async () => {
  for (const [resource, object] of Object.entries(OBJECTS)) {
    const { body } = await client.send('POST', `${ROOT}/${resource}`, object);
    if (!isObject(body)) throw new Error('no object in the answer');
    expect(body).toMatchObject({ kind: object['kind'] });
    stored[resource] = body;
  }
});
afterAll(async () => {
  for (const resource of Object.keys(OBJECTS)) {
    await client.send('PATCH', `${ROOT}/${resource}/${NAME}`, { metadata: { finalizers: null } }, STRATEGIC);
    await client.send('DELETE', `${ROOT}/${resource}/${NAME}`);
  }
  client.close();
});

const meta = (part: JsonObject): JsonObject => ({ metadata: part });
const common: [string, JsonObject][] = [
  ['nothing', {}],
  ['labels, one set, one gone', meta({ labels: { a: null, c: '3' } })],
  ['labels all gone', meta({ labels: null })],
  ['labels replaced', meta({ labels: { $patch: 'replace', z: '9' } })],
  ['labels deleted by directive', meta({ labels: { $patch: 'delete' } })],
  ['labels retained', meta({ labels: { $retainKeys: ['b', 'c'], c: '3' } })],
  ['labels set beside what is retained', meta({ labels: { $retainKeys: ['b'], c: '3' } })],
  ['finalizers added', meta({ finalizers: ['example.com/four', 'example.com/one'] })],
  ['finalizers taken out', meta({ '$deleteFromPrimitiveList/finalizers': ['example.com/two', 'example.com/none'] })],
  ['finalizers ordered', meta({ '$setElementOrder/finalizers': ['example.com/three', 'example.com/one'] })],
  [
    'finalizers changed as kubectl does',
    meta({
      '$deleteFromPrimitiveList/finalizers': ['example.com/one'],
      '$setElementOrder/finalizers': ['example.com/four', 'example.com/three'],
      finalizers: ['example.com/four'],
    }),
  ],
  [
    'an order that the list breaks',
    meta({ '$setElementOrder/finalizers': ['a/b', 'c/d'], finalizers: ['c/d', 'a/b'] }),
  ],
  ['owners merged', meta({ ownerReferences: [{ uid: '2', controller: true }, owner('4')] })],
  ['an owner deleted', meta({ ownerReferences: [{ uid: '2', $patch: 'delete' }] })],
  ['owners replaced', meta({ ownerReferences: [owner('9'), { $patch: 'replace' }] })],
  ['an owner without its key', meta({ ownerReferences: [{ name: 'x' }] })],
  ['an owner with an unknown directive', meta({ ownerReferences: [{ uid: '1', $patch: 'frob' }] })],
  ['owners to be merged by directive', meta({ ownerReferences: [{ uid: '1', $patch: 'merge' }] })],
  [
    'owners ordered',
    meta({
      '$setElementOrder/ownerReferences': [{ uid: '3' }, { uid: '1' }],
      ownerReferences: [{ uid: '3', name: 'n' }],
    }),
  ],
  ['an order without its field', meta({ $setElementOrder: ['x'] })],
  ['a deletion without its field', meta({ $deleteFromPrimitiveList: ['x'] })],
  ['a set of maps and texts', meta({ finalizers: [{ a: 'b' }] })],
  ['a list of lists', meta({ finalizers: [['a/b']] })],
  ['retained keys that are no list', meta({ labels: { $retainKeys: 'a' } })],
  ['an unknown field', { frob: { a: 1 } }],
  ['metadata by an unknown directive', meta({ $patch: 'frob' })],
];
const cases: [string, string, JsonObject][] = [
  ...Object.keys(OBJECTS).flatMap((resource) =>
    common.map(([what, patch]): [string, string, JsonObject] => [resource, what, patch]),
  ),
  ['clusterroles', 'rules replaced', { rules: [rule('secrets')] }],
  ['clusterroles', 'rules emptied', { rules: [] }],
  ['clusterroles', 'rules gone', { rules: null }],
  ['clusterroles', 'a rule deleted by directive', { rules: [{ $patch: 'delete', verbs: ['get'] }] }],
  ['clusterroles', 'rules replaced by directive', { rules: [rule('secrets'), { $patch: 'replace' }] }],
  ['clusterroles', 'rules taken out as if texts', { '$deleteFromPrimitiveList/rules': [rule('pods')] }],
  ['clusterroles', 'aggregation added', { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }],
  ['clusterrolebindings', 'subjects replaced', { subjects: [user('carol')] }],
  ['clusterrolebindings', 'subjects without their group', { subjects: [{ kind: 'User', name: 'carol' }] }],
  ['clusterrolebindings', 'the same role again', { roleRef: { name: 'view' } }],
  ['clusterrolebindings', 'another role', { roleRef: { name: 'edit' } }],
  [
    'clusterrolebindings',
    'the role replaced by directive',
    { roleRef: { $patch: 'replace', kind: 'ClusterRole', name: 'view' } },
  ],
];

/** What does not depend on when and by which verb the object was written. */
function lasting(object: JsonObject): JsonValue {
  const { managedFields: _managedFields, resourceVersion: _version, ...rest } = object['metadata'] as JsonObject;
  return { ...object, metadata: rest };
}

/** Our merge, then validation and a PUT, as the verbs do it. */
async function ours(resource: string, patch: JsonObject): Promise<{ status: number; body: JsonObject }> {
  const behaviour = virtualBehaviour(GROUP, resource);
  const current = stored[resource];
  if (behaviour === undefined || current === undefined) throw new Error(`no ${resource}`);
  try {
    const merged = behaviour.withDefaults(behaviour.strategicMerge(current, patch));
    behaviour.validate(merged, current, '');
    const { status, body } = await client.send('PUT', `${ROOT}/${resource}/${NAME}?dryRun=All`, merged);
    return { status, body: body as JsonObject };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.status, body: { message: error.message } };
  }
}

describe('the same patch has the same outcome', () => {
  it.each(cases)('%s: %s', async (resource, _, patch) => {
    const native = await client.send('PATCH', `${ROOT}/${resource}/${NAME}?dryRun=All`, patch, STRATEGIC);
    const mine = await ours(resource, patch);
    expect({ status: mine.status, body: mine.body }).toMatchObject({ status: native.status });
    if (native.status === 200) expect(lasting(mine.body)).toEqual(lasting(native.body as JsonObject));
  });
  // After a merge natively, before it is stored with us: both refuse, not always with one code.
  it.each([meta({ labels: { a: { b: 'c' } } }), { rules: 'none' }, { rules: [['get']] }])(
    'of a wrong type, %#',
    async (patch) => {
      const native = await client.send('PATCH', `${ROOT}/clusterroles/${NAME}?dryRun=All`, patch, STRATEGIC);
      const mine = await ours('clusterroles', patch);
      expect(native.status).toBe(422);
      expect([400, 422]).toContain(mine.status);
    },
  );
});
