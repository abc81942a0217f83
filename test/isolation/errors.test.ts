/**
 * Refusals quote what was refused. So every string of every sample is replaced by values that no field takes, or that
 * look like names upstream, and whatever the host says about it must come back in acme's terms: the canary check runs
 * on each answer. Nothing is stored: all are dry runs.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject, type JsonValue } from '../../src/k8s/types.ts';
import { kindOf } from '../support/api.ts';
import { useProduct } from '../support/as-tenant.ts';
import { samples } from '../support/samples.ts';

const { acme } = useProduct();
const NAMESPACE = 'quotes';
const RBAC = 'rbac.authorization.k8s.io';

/** `typed` is what of a value may come back although it looks like somebody else's. */
const VALUES = [
  { value: 'Not a/N\u00e4me*%', typed: [] },
  { value: 'UPPER_case', typed: [] },
  { value: '-starts.and.ends-', typed: [] },
  { value: 'x'.repeat(300), typed: [] },
  { value: 'some.group.example.com/v1', typed: [] },
  { value: 'Odd Group/v1', typed: [] },
  { value: 'acme--web', typed: ['acme--web'] },
  { value: 'globex--web', typed: ['globex--web'] },
  { value: '', typed: [] },
];

const CLUSTER_SCOPED: JsonObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'sample', generateName: 'sample-' } },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'sample' },
    rules: [{ apiGroups: ['stable.example.com'], resources: ['samples'], resourceNames: ['sample'], verbs: ['get'] }],
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'sample' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'sample' },
    subjects: [{ kind: 'ServiceAccount', name: 'sample', namespace: NAMESPACE }],
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'samples.quotes.example.com' },
    spec: {
      group: 'quotes.example.com',
      scope: 'Namespaced',
      names: { plural: 'samples', singular: 'sample', kind: 'Sample', listKind: 'SampleList', shortNames: ['sa'] },
      conversion: { strategy: 'None' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  },
];

const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'sample', uid: '00000000-0000-0000-0000-000000000001' };
const objects = [...samples(NAMESPACE), ...CLUSTER_SCOPED].map((object) => {
  const metadata = object['metadata'] as JsonObject;
  const more = { labels: { app: 'sample' }, annotations: { note: 'sample' }, ownerReferences: [OWNER] };
  return { ...object, metadata: { ...more, ...metadata } } as JsonObject;
});

/** The object once for each string in it, with that string replaced. */
function* replaced(object: JsonObject, value: string): Iterable<{ path: string; object: JsonObject }> {
  for (const path of stringsOf(object)) {
    if (path[0] === 'apiVersion' || path[0] === 'kind') continue;
    const copy = structuredClone(object);
    const last = path.at(-1) as string;
    const parent = path.slice(0, -1).reduce<JsonValue>((at, key) => (at as JsonObject)[key] ?? null, copy);
    (parent as JsonObject)[last] = value;
    yield { path: path.join('.'), object: copy };
  }
}

function* stringsOf(value: JsonValue, path: string[] = []): Iterable<string[]> {
  if (typeof value === 'string') yield path;
  else if (isObject(value) || Array.isArray(value)) {
    for (const [key, child] of Object.entries(value)) yield* stringsOf(child, [...path, key]);
  }
}

beforeAll(async () => void (await acme.kubectl(`create namespace ${NAMESPACE}`)));

describe('whatever is wrong with', () => {
  it.each(objects.map((object) => ({ kind: `${object['apiVersion']} ${object['kind']}`, object })))(
    '$kind is told in the tenant\u2019s terms',
    async ({ object }) => {
      const kind = kindOf(object);
      const path = `${kind.collection(kind.namespaced ? NAMESPACE : '')}?dryRun=All`;
      let refused = 0;
      for (const { value, typed } of VALUES) {
        for (const { path: field, object: body } of replaced(object, value)) {
          const answer = await acme.write('POST', path, body, { typed }).catch((error: Error) => {
            throw new Error(`${field} = ${JSON.stringify(value)}: ${error.message}`, { cause: error });
          });
          expect({ field, value, fault: answer.status >= 500 }).toEqual({ field, value, fault: false });
          if (answer.status >= 400) refused += 1;
        }
      }
      expect(refused).toBeGreaterThan(5);
    },
  );

  it('a patch is told in the tenant\u2019s terms', async () => {
    await acme.kubectl(`create configmap patched -n ${NAMESPACE}`);
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps/patched`;
    for (const { value, typed } of VALUES) {
      const patches: [string, unknown][] = [
        ['merge-patch', { metadata: { labels: { [value]: value } } }],
        ['merge-patch', { metadata: { ownerReferences: [{ ...OWNER, apiVersion: value }] } }],
        ['strategic-merge-patch', { metadata: { namespace: value } }],
        ['json-patch', [{ op: 'add', path: `/metadata/labels/${value}`, value }]],
        ['json-patch', [{ op: 'test', path: '/metadata/namespace', value }]],
        ['json-patch', [{ op: value, path: value, value }]],
        ['apply-patch', { apiVersion: 'v1', kind: value, metadata: { name: value } }],
        ['apply-patch', { apiVersion: value, kind: 'ConfigMap', metadata: { name: 'patched', namespace: value } }],
      ];
      for (const [type, body] of patches) {
        const format = type === 'apply-patch' ? 'yaml' : 'json';
        const headers = { 'content-type': `application/${type}+${format}` };
        const answer = await acme.write('PATCH', `${path}?dryRun=All&fieldManager=test`, body, { typed, headers });
        expect({ type, body, fault: answer.status >= 500 }).toEqual({ type, body, fault: false });
      }
    }
  });
});
