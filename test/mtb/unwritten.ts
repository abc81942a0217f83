/** Benchmarks that the working group named, and never wrote. */
import type { JsonObject } from '../../src/k8s/types.ts';
import { type Benchmark, DEFAULT, DRY, NETWORKING, pod, RBAC, refused, refusedPod, STANDARDS } from './asking.ts';
import { must, textOf } from './lab.ts';

export const UNWRITTEN: readonly Benchmark[] = [
  {
    id: '#1198',
    title: 'storage by claims only',
    run: (lab) => refusedPod(lab, pod({ volumes: [{ name: 'v', nfs: { server: 'a', path: '/' } }] }), STANDARDS),
  },
  {
    id: '#1199, #1200',
    title: 'block volumes: none can be made, none that is there can be chosen',
    async run({ acme }) {
      const { status } = await acme.send('POST', '/api/v1/persistentvolumes', { metadata: { name: 'a' } });
      if (![403, 404, 405].includes(status)) return `volumes can be made: ${status}`;
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      const claim = (more: JsonObject) => ({
        ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' } },
        spec: { ...spec, ...more },
      });
      const claims = `${DEFAULT}/persistentvolumeclaims${DRY}`;
      await must(acme, 'POST', claims, claim({}));
      const chosen = await acme.send('POST', claims, claim({ volumeName: 'pv-of-somebody' }));
      return chosen.status === 403 || chosen.status === 422 ? undefined : `a volume can be chosen: ${textOf(chosen)}`;
    },
  },
  {
    id: '#1201',
    title: 'block the network between tenants (what is written; no plugin enforces it here)',
    async run({ host }) {
      const path = `${NETWORKING}/namespaces/acme--default/networkpolicies/kubeveil.dev.egress.0`;
      const { spec } = (await must(host, 'GET', path)) as { spec?: JsonObject };
      const text = JSON.stringify(spec);
      return text.includes('"kubeveil.dev/tenant":"acme"') && text.includes('10.0.0.0/8') ? undefined : text;
    },
  },
  {
    id: '#1202, #1203',
    title: 'roles by oneself, up to one’s own rights',
    async run({ acme, developer }) {
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r' }, rules };
      await must(acme, 'POST', `${RBAC}/namespaces/default/roles${DRY}`, role);
      const writes = ['get', 'list', 'create', 'update', 'patch', 'delete'];
      const grants = {
        ...role,
        metadata: { name: 'grants' },
        rules: [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: writes }],
      };
      await must(acme, 'POST', `${RBAC}/namespaces/default/roles`, grants);
      await must(acme, 'POST', `${RBAC}/namespaces/default/rolebindings`, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'grants' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'grants' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'developer' }],
      });
      // Who writes roles, and has the rights of `edit`, gives those and no others.
      await must(developer, 'POST', `${RBAC}/namespaces/default/roles${DRY}`, role);
      const more = [{ apiGroups: [''], resources: ['resourcequotas'], verbs: ['delete'] }];
      return await refused(
        developer,
        `${RBAC}/namespaces/default/roles${DRY}`,
        { ...role, rules: more },
        /is attempting to grant/,
      );
    },
  },
  {
    id: 'CPV',
    title: 'a control plane of one’s own: two tenants define one kind, each in its own way',
    async run({ acme, globex }) {
      const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await must(acme, 'POST', crds, definition('Namespaced'));
      await must(globex, 'POST', crds, definition('Cluster'));
      const scopes = await Promise.all([acme, globex].map((one) => must(one, 'GET', `${crds}/things.mtb.example.com`)));
      const found = scopes.map(({ spec }) => (spec as { scope: string }).scope);
      return found.join() === 'Namespaced,Cluster' ? undefined : `they are ${found.join()}`;
    },
  },
];

function definition(scope: string): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.mtb.example.com' },
    spec: {
      group: 'mtb.example.com',
      scope,
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
