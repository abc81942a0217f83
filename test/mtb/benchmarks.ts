/**
 * The benchmarks of kubernetes-sigs' multi-tenancy working group, as each must be read for virtual clusters. A refusal counts only with its reason, and every one of a pod has a twin that is taken.
 * @see https://github.com/kubernetes-retired/multi-tenancy benchmarks/kubectl-mtb
 */
import type { KubeClient } from '../../src/dev/kube-client.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import {
  type Benchmark,
  DEFAULT,
  DRY,
  NETWORKING,
  pod,
  RBAC,
  refused,
  refusedContainer,
  refusedPod,
  STANDARDS,
  UPSTREAM,
} from './asking.ts';
import { must, textOf } from './lab.ts';

/** The host's own, which no tenant writes. */
const HOSTS: ReadonlyArray<readonly [resource: string, root: string]> = [
  ['nodes', '/api/v1'],
  ['persistentvolumes', '/api/v1'],
  ['storageclasses', '/apis/storage.k8s.io/v1'],
  ['priorityclasses', '/apis/scheduling.k8s.io/v1'],
  ['runtimeclasses', '/apis/node.k8s.io/v1'],
  ['apiservices', '/apis/apiregistration.k8s.io/v1'],
  ['flowschemas', '/apis/flowcontrol.apiserver.k8s.io/v1'],
];

interface Quota {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly hard: Record<string, string> };
}

export const WRITTEN: readonly Benchmark[] = [
  {
    id: 'PL1-CC-CPI-1',
    title: 'block access to the host’s cluster-scoped resources',
    async run({ acme, host }) {
      for (const [resource, root] of HOSTS) {
        const { status } = await acme.send('POST', `${root}/${resource}`, { metadata: { name: 'mtb' } });
        if (![403, 404, 405].includes(status)) return `${resource} can be written: ${status}`;
      }
      const { status } = await acme.send('DELETE', '/api/v1/nodes/node-1');
      if (status !== 404 && status !== 405 && status !== 403) return `a node can be deleted: ${status}`;
      await must(host, 'GET', '/api/v1/nodes/node-1');
      return undefined;
    },
  },
  {
    id: 'PL1-BC-CPI-2',
    title: 'block what guards a tenant: unseen, and out of its reach',
    async run({ acme, host }) {
      for (const [root, kind] of [
        [NETWORKING, 'networkpolicies'],
        ['/api/v1', 'resourcequotas'],
        ['/api/v1', 'limitranges'],
      ] as const) {
        const own = `${root}/namespaces/default/${kind}`;
        const stored = `${root}/namespaces/acme--default/${kind}/kubeveil.dev`;
        const before = await must(host, 'GET', stored);
        const list = await must(acme, 'GET', own);
        if ((list['items'] as unknown[]).length > 0) return `${kind} are seen`;
        for (const method of ['GET', 'DELETE', 'PATCH']) {
          const { status } = await acme.send(
            method,
            `${own}/kubeveil.dev`,
            method === 'PATCH' ? {} : undefined,
            'application/merge-patch+json',
          );
          if (status !== 404) return `${method} of one of the ${kind}: ${status}`;
        }
        await must(acme, 'DELETE', own);
        const after = await must(host, 'GET', stored);
        if (JSON.stringify(after['spec']) !== JSON.stringify(before['spec'])) return `${kind} were changed`;
      }
      return undefined;
    },
  },
  {
    id: 'PL1-BC-CPI-3',
    title: 'block added capabilities',
    run: (lab) =>
      refusedContainer(lab, { securityContext: { capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] } } }, STANDARDS),
  },
  {
    id: 'PL1-BC-CPI-4',
    title: 'require to run as a user who is not root',
    run: async (lab) =>
      (await refusedContainer(lab, { securityContext: { runAsNonRoot: false } }, STANDARDS)) ??
      (await refusedContainer(lab, { securityContext: { runAsUser: 0 } }, STANDARDS)),
  },
  {
    id: 'PL1-BC-CPI-5',
    title: 'block privileged containers',
    run: (lab) =>
      refusedContainer(lab, { securityContext: { privileged: true, allowPrivilegeEscalation: true } }, STANDARDS),
  },
  {
    id: 'PL1-BC-CPI-6',
    title: 'block privilege escalation',
    run: (lab) => refusedContainer(lab, { securityContext: { allowPrivilegeEscalation: true } }, STANDARDS),
  },
  {
    id: 'PL1-BC-HI-1',
    title: 'block host paths',
    run: (lab) => refusedPod(lab, pod({ volumes: [{ name: 'v', hostPath: { path: '/' } }] }), STANDARDS),
  },
  {
    id: 'PL1-BC-HI-2',
    title: 'block NodePort services',
    async run({ acme }) {
      const service = (type: string) => ({
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } },
        spec: { type, ports: [{ port: 80 }] },
      });
      await must(acme, 'POST', `${DEFAULT}/services${DRY}`, service('ClusterIP'));
      const made = await refused(acme, `${DEFAULT}/services${DRY}`, service('NodePort'), /of type NodePort/);
      if (made !== undefined) return made;
      await must(acme, 'POST', `${DEFAULT}/services`, service('ClusterIP'));
      const changed = await acme.send(
        'PATCH',
        `${DEFAULT}/services/a${DRY}`,
        { spec: { type: 'NodePort' } },
        'application/merge-patch+json',
      );
      await must(acme, 'DELETE', `${DEFAULT}/services/a`);
      return changed.status === 403 ? undefined : `a Service can become one: ${textOf(changed)}`;
    },
  },
  {
    id: 'PL1-BC-HI-3',
    title: 'block host networking and ports',
    run: async (lab) =>
      (await refusedPod(lab, pod({ hostNetwork: true }), STANDARDS)) ??
      (await refusedPod(lab, pod({}, { ports: [{ containerPort: 80, hostPort: 80 }] }), STANDARDS)),
  },
  {
    id: 'PL1-BC-HI-4',
    title: 'block the host’s processes',
    run: (lab) => refusedPod(lab, pod({ hostPID: true }), STANDARDS),
  },
  {
    id: 'PL1-BC-HI-5',
    title: 'block the host’s memory',
    run: (lab) => refusedPod(lab, pod({ hostIPC: true }), STANDARDS),
  },
  {
    id: 'PL1-CC-TI-1',
    title: 'block changes of the host’s quota: a tenant’s own do not lift it',
    async run({ acme, host }) {
      const hard = { pods: '1000000' };
      const own = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'own' }, spec: { hard } };
      await must(acme, 'POST', `${DEFAULT}/resourcequotas`, own);
      await must(acme, 'DELETE', `${DEFAULT}/resourcequotas`);
      const { spec } = (await must(host, 'GET', `${UPSTREAM}/resourcequotas/kubeveil.dev`)) as {
        spec?: { hard?: Record<string, string> };
      };
      return Number(spec?.hard?.['pods']) <= 50 ? undefined : `the host allows ${spec?.hard?.['pods']} pods`;
    },
  },
  {
    id: 'PL1-CC-TI-2',
    title: 'block other tenants’ resources, by whatever name',
    async run({ acme, globex }) {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' }, data: { word: 'zq7canary' } };
      await must(globex, 'POST', `${DEFAULT}/configmaps`, map);
      for (const name of ['globex--default', 'globex-default', 'globex', 'acme--default', '..%2fglobex--default']) {
        for (const path of ['configmaps/kept', 'configmaps', 'secrets', 'pods']) {
          const answer = await acme.send('GET', `/api/v1/namespaces/${name}/${path}`);
          const text = JSON.stringify(answer.body);
          if (text.includes('zq7canary') || answer.status >= 500) return `${name}/${path}: ${textOf(answer)}`;
          const items = (answer.body as { items?: unknown[] }).items ?? [];
          if (items.length > 0) return `${name}/${path} holds something`;
        }
      }
      const all = await must(acme, 'GET', '/api/v1/configmaps');
      return JSON.stringify(all).includes('zq7canary') ? 'a list of all namespaces shows it' : undefined;
    },
  },
  {
    id: 'PL1-CC-FNS-1',
    title: 'a quota of cpu, memory and ephemeral storage, of all namespaces together',
    async run({ acme, host }) {
      const name = 'mtb-more';
      await must(acme, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      const { items } = (await must(host, 'GET', '/api/v1/resourcequotas')) as unknown as { items: Quota[] };
      await must(acme, 'DELETE', `/api/v1/namespaces/${name}`);
      const own = items.filter(({ metadata }) => metadata.namespace.startsWith('acme--'));
      const pods = own.reduce((sum, { spec }) => sum + Number(spec.hard['pods'] ?? Number.POSITIVE_INFINITY), 0);
      if (own.length < 2 || pods > 50) return `${own.length} quotas allow ${pods} pods`;
      return await countsIn(host, ['requests.cpu', 'requests.memory', 'requests.ephemeral-storage']);
    },
  },
  {
    id: 'PL1-CC-FNS-2',
    title: 'a quota of objects',
    run: ({ host }) =>
      countsIn(host, [
        ...['pods', 'services', 'secrets', 'configmaps', 'persistentvolumeclaims', 'count/resourcequotas'],
        ...['replicationcontrollers', 'services.nodeports', 'services.loadbalancers'],
      ]),
  },
  {
    id: 'PL1-CC-DI-1',
    title: 'require images to be pulled each time',
    async run({ acme }) {
      const made = await must(acme, 'POST', `${DEFAULT}/pods${DRY}`, pod({}, { imagePullPolicy: 'IfNotPresent' }));
      const { containers } = made['spec'] as { containers: { imagePullPolicy: string }[] };
      return containers[0]?.imagePullPolicy === 'Always' ? undefined : `it is ${containers[0]?.imagePullPolicy}`;
    },
  },
  {
    id: 'PL2-CC-TI-1',
    title: 'block escalation by roles',
    async run({ developer, acme }) {
      await must(acme, 'POST', `${RBAC}/namespaces/default/rolebindings${DRY}`, binding('cluster-admin'));
      const bindings = `${RBAC}/namespaces/default/rolebindings`;
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'all' } };
      const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
      return (
        (await refused(developer, bindings, binding('cluster-admin'), /is forbidden/)) ??
        (await refused(developer, `${RBAC}/namespaces/default/roles`, { ...role, rules: all }, /is forbidden/))
      );
    },
  },
  {
    id: 'PL2-BC-OPS-3',
    title: 'create role bindings, and roles, by oneself',
    async run({ acme }) {
      await must(acme, 'POST', `${RBAC}/namespaces/default/rolebindings${DRY}`, binding('view'));
      return undefined;
    },
  },
  {
    id: 'PL2-BC-OPS-4',
    title: 'create network policies by oneself, which pick no other tenant’s pods',
    async run({ acme, host }) {
      const spec = { podSelector: {}, ingress: [{ from: [{ namespaceSelector: {} }] }] };
      const policy = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'mtb' }, spec };
      await must(acme, 'POST', `${NETWORKING}/namespaces/default/networkpolicies`, policy);
      const stored = await must(host, 'GET', `${NETWORKING}/namespaces/acme--default/networkpolicies/mtb`);
      const { ingress } = stored['spec'] as { ingress: { from: { namespaceSelector: JsonObject }[] }[] };
      const selector = JSON.stringify(ingress[0]?.from[0]?.namespaceSelector);
      return selector.includes('"kubeveil.dev/tenant":"acme"') ? undefined : `upstream it selects ${selector}`;
    },
  },
];

async function countsIn(host: KubeClient, wanted: readonly string[]): Promise<string | undefined> {
  const stored = await must(host, 'GET', `${UPSTREAM}/resourcequotas/kubeveil.dev`);
  const { hard = {} } = stored['status'] as { hard?: Record<string, string> };
  const missing = wanted.filter((resource) => hard[resource] === undefined);
  return missing.length === 0 ? undefined : `not counted: ${missing.join(', ')}`;
}

function binding(role: string): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'mtb' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'developer' }],
  };
}
