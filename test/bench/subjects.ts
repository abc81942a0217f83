/**
 * The objects that are read, made alike in a tenant (through the proxy) and in a namespace of the host, and the host's
 * user who reads them directly: an ordinary one, with a client certificate and a RoleBinding.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Access, openClient } from './client.ts';
import type { Lab } from './lab.ts';

const HOST_NAMESPACE = 'bench';
const HOST_USER = 'bench-user';
const FAULT_MS = 60_000;

export interface Subject {
  readonly name: string;
  readonly hostPath: string;
  readonly tenantPath: string;
}

function subject(name: string, resource: string): Subject {
  return {
    name,
    hostPath: `/api/v1/namespaces/${HOST_NAMESPACE}/${resource}/${name.toLowerCase()}`,
    tenantPath: `/api/v1/namespaces/default/${resource}/${name.toLowerCase()}`,
  };
}

export const SUBJECTS: readonly Subject[] = [subject('ConfigMap', 'configmaps'), subject('Pod', 'pods')];

const CONFIG_MAP = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'configmap', labels: { app: 'web' } },
  data: { 'settings.conf': 'key = value\n'.repeat(64) },
};

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'pod', labels: { app: 'web', tier: 'front' } },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'registry.example.com/web:1.0.0',
        ports: [{ containerPort: 8080 }],
        env: [{ name: 'SETTINGS', valueFrom: { configMapKeyRef: { name: 'configmap', key: 'settings.conf' } } }],
        resources: { requests: { cpu: '10m', memory: '16Mi' } },
      },
    ],
  },
};

/** Returns when the pods run: their status is the larger part of them, and changes no more. */
export async function createSubjects(lab: Lab, tenant: Access): Promise<void> {
  const proxied = openClient(tenant, { connections: 1 });
  await using _closing = proxied;
  for (const [resource, object] of [
    ['configmaps', CONFIG_MAP],
    ['pods', POD],
  ] as const) {
    await lab.admin.create(`/api/v1/namespaces/${HOST_NAMESPACE}/${resource}`, object);
    const answer = await proxied.post(`/api/v1/namespaces/default/${resource}`, object);
    if (answer.status !== 201) throw new Error(`no ${resource} in the tenant: ${answer.body.toString('utf8')}`);
  }
  const untilMs = Date.now() + FAULT_MS;
  for (const namespace of [HOST_NAMESPACE, 'acme--default']) {
    while (!(await runs(lab, `/api/v1/namespaces/${namespace}/pods/pod`))) {
      if (Date.now() > untilMs) throw new Error(`the pod in ${namespace} does not run`);
      await sleep(100);
    }
  }
}

async function runs(lab: Lab, path: string): Promise<boolean> {
  const { body } = await lab.admin.send('GET', path);
  return (body as { status?: { phase?: string } }).status?.phase === 'Running';
}

/** A user of the host who may read in one namespace. */
export async function hostUser(lab: Lab): Promise<Access> {
  const { admin, controlPlane } = lab;
  await admin.create('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: HOST_NAMESPACE },
  });
  // A pod is refused where its service account has not been made yet.
  await admin.create(`/api/v1/namespaces/${HOST_NAMESPACE}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  });
  await admin.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${HOST_NAMESPACE}/rolebindings`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: HOST_USER },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: HOST_USER }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
  });
  const access: Access = {
    server: controlPlane.server,
    caPem: controlPlane.caPem,
    ...(await controlPlane.issueClient({ user: HOST_USER })),
  };
  await using client = openClient(access, { connections: 1 });
  const untilMs = Date.now() + FAULT_MS;
  // The authorizer learns of a new binding a moment after it is stored.
  while ((await client.get(`/api/v1/namespaces/${HOST_NAMESPACE}/pods`)).status !== 200) {
    if (Date.now() > untilMs) throw new Error(`${HOST_USER} may not read`);
    await sleep(20);
  }
  return access;
}
