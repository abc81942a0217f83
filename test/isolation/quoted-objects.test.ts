/**
 * A patch that cannot be applied is refused by the host with the whole stored object in the text. So objects of the kinds
 * that hold most of what is not the tenant's to see are patched, in all four forms, with values that no field takes, and
 * whatever comes back must be clean.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { kindOf } from '../support/api.ts';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { eventually } from '../support/processes.ts';

const { acme } = useProduct();
const NAMESPACE = 'quoted';
const RBAC = 'rbac.authorization.k8s.io';

const OBJECTS: KubeObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'quoted', namespace: NAMESPACE }, data: { a: 'b' } },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'quoted' },
    rules: [{ apiGroups: ['stable.example.com'], resources: ['x'], verbs: ['get'] }],
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'quoted', namespace: NAMESPACE },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'quoted' },
    subjects: [{ kind: 'Group', apiGroup: RBAC, name: 'devs' }],
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'quoted', namespace: NAMESPACE },
    spec: { podSelector: {}, ingress: [{ from: [{ namespaceSelector: { matchLabels: { a: 'b' } } }] }] },
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'quoted', namespace: NAMESPACE },
    spec: { hard: { 'count/others.quoted.example.com': '100' } },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.quoted.example.com' },
    spec: {
      group: 'quoted.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing', shortNames: ['th'], categories: ['all'] },
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
const THING: KubeObject = {
  apiVersion: 'quoted.example.com/v1',
  kind: 'Thing',
  metadata: { name: 'quoted', namespace: NAMESPACE },
};
const THINGS = `/apis/quoted.example.com/v1/namespaces/${NAMESPACE}/things`;

const PATCHES: JsonObject[] = [
  { metadata: { labels: 'x' } },
  { metadata: { annotations: 7 } },
  { metadata: { annotations: { a: 7 } } },
  { metadata: { finalizers: 7 } },
  { metadata: { deletionTimestamp: 7 } },
  { metadata: { managedFields: [{ manager: 7 }] } },
  { metadata: 7 },
  { kind: 'Other' },
  { spec: 7, data: 7, rules: 7, subjects: 7 },
];

beforeAll(async () => {
  for (const object of OBJECTS) await acme.create(object);
  await eventually('the kind takes writes', async () => {
    return (await acme.run('create -f -', { stdin: JSON.stringify(THING) })).code === 0;
  });
});

function pathOf(object: KubeObject): string {
  if (object === THING) return `${THINGS}/quoted`;
  return `${kindOf(object).collection(object.metadata.namespace)}/${object.metadata.name}`;
}

describe('patches that cannot be applied', () => {
  it.each([...OBJECTS, THING].map((object) => [object.kind, object] as const))(
    'to a %s tell nothing of what is not the tenant’s',
    async (_kind, object) => {
      const path = pathOf(object);
      let refused = 0;
      for (const patch of PATCHES) {
        const operations = Object.entries(patch).map(([field, value]) => ({ op: 'add', path: `/${field}`, value }));
        for (const [type, body] of [
          ['merge-patch+json', patch],
          ['strategic-merge-patch+json', patch],
          ['json-patch+json', operations],
          ['apply-patch+yaml', { apiVersion: object.apiVersion, kind: object.kind, ...patch }],
        ] as const) {
          // The answer passes the canary check.
          const answer = await acme.write('PATCH', `${path}?dryRun=All&fieldManager=test`, body, {
            headers: { 'content-type': `application/${type}` },
          });
          if (answer.status >= 400) refused += 1;
        }
      }
      expect(refused).toBeGreaterThan(PATCHES.length);
      expect((await acme.json(path)).metadata.name).toBe(object.metadata.name);
    },
  );
});
