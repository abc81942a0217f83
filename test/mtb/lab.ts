/** What the benchmarks of multi-tenancy run against: a control plane, the proxy, two tenants, and a user who is no administrator. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { createKubeClient, type KubeAnswer, type KubeClient } from '../../src/dev/kube-client.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { cli } from '../support/cli.ts';
import { adminClient, factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { makeTenant, startProxy } from '../support/product.ts';

export interface MtbLab extends AsyncDisposable {
  /** Administrators of two tenants, through the proxy. */
  readonly acme: KubeClient;
  readonly globex: KubeClient;
  /** A user of acme with the role `edit` in `default`, and no other right. */
  readonly developer: KubeClient;
  /** The host's administrator, past the proxy: only to look. */
  readonly host: KubeClient;
}

export async function startMtbLab(progress: (line: string) => void): Promise<MtbLab> {
  await using stack = new AsyncDisposableStack();
  const facts = factsOf(stack.use(await startPrivateControlPlane({ progress })));
  const policies = fileURLToPath(new URL('policies', import.meta.url));
  stack.use(await startProxy(facts, ['--policies', policies]));
  const held = (client: KubeClient) => stack.adopt(client, (one) => one.close());
  const file = (name: string) => join(facts.workDir, `${name}.kubeconfig`);
  for (const id of ['acme', 'globex']) await makeTenant(facts, id, file(id));
  await cli([
    ...['kubeconfig', 'acme', '--user', 'developer', '--group', 'developers'],
    ...['--kubeconfig', facts.adminKubeconfigPath, '--out', file('developer')],
  ]);
  const [acme, globex, developer] = ['acme', 'globex', 'developer'].map((name) => held(clientOf(file(name)))) as [
    KubeClient,
    KubeClient,
    KubeClient,
  ];
  await must(acme, 'POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'developers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'developers' }],
  });
  const host = held(adminClient(facts));
  const owned = stack.move();
  return { acme, globex, developer, host, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function clientOf(path: string): KubeClient {
  const { clusters, users } = parse(readFileSync(path, 'utf8'));
  const text = (data: string) => Buffer.from(data, 'base64').toString('utf8');
  const { server } = clusters[0].cluster;
  return createKubeClient({
    server,
    caPem: text(clusters[0].cluster['certificate-authority-data']),
    certPem: text(users[0].user['client-certificate-data']),
    keyPem: text(users[0].user['client-key-data']),
  });
}

/** @throws {Error} when the answer is no success */
export async function must(client: KubeClient, method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const answer = await client.send(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${textOf(answer)}`);
  return answer.body as JsonObject;
}

export function textOf({ status, body }: KubeAnswer): string {
  const message = typeof body === 'object' && body !== null ? (body as { message?: string }).message : undefined;
  return `${status} ${message ?? JSON.stringify(body).slice(0, 120)}`;
}
