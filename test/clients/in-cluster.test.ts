/**
 * Programs of a pod, given exactly what its kubelet would give them and nothing else: they meet the virtual cluster of
 * its tenant. With the same token nothing is had of the host.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { asKubelet, mountBelow, type PodRuntime } from '../support/as-kubelet.ts';
import { asBoth, inNamespace, type TenantClient, useProduct } from '../support/as-tenant.ts';
import { requestOnce } from '../support/http.ts';
import { inClusterProgram } from './support/pod-programs.ts';
import { MAKING_MS, pythonWithClient } from './support/programs.ts';

const SCRIPT = fileURLToPath(new URL('python/in_cluster.py', import.meta.url));
const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const { both, facts } = useProduct();
const controlPlane = inject('controlPlane');
const run = promisify(execFile);

let go: string;
let python: string;
beforeAll(async () => {
  go = await inClusterProgram();
  python = await pythonWithClient();
}, MAKING_MS);

/** What the kubelet of a pod gives to its container: of a Deployment, under an account that may look around. */
async function runtimeOf(tenant: TenantClient, namespace: string): Promise<PodRuntime> {
  await tenant.kubectl(`-n ${namespace} create serviceaccount looker`);
  await tenant.kubectl(
    `create clusterrolebinding ${namespace} --clusterrole=view --serviceaccount=${namespace}:looker`,
  );
  const template = {
    metadata: { labels: { app: 'looker' } },
    spec: { serviceAccountName: 'looker', containers: [{ name: 'looker', image: 'example.com/looker' }] },
  };
  await tenant.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'looker', namespace },
    spec: { selector: { matchLabels: { app: 'looker' } }, template },
  });
  await tenant.kubectl(`-n ${namespace} rollout status deployment/looker --timeout=120s`);
  const [pod] = (await tenant.get(`pods -n ${namespace}`)).items;
  return await asKubelet(controlPlane, `${tenant.id}--${namespace}`, pod.metadata.name);
}

describe('a program in a pod', () => {
  it.each(['client-go', 'the Python client'])(
    'meets its tenant’s cluster, as %s is configured there',
    async (client) => {
      const name = client === 'client-go' ? 'in-go' : 'in-python';
      await asBoth(both, (tenant) =>
        inNamespace(tenant, name, async (namespace) => {
          const runtime = await runtimeOf(tenant, namespace);
          const root = mkdtempSync(join(tmpdir(), 'kubeveil-pod-'));
          try {
            mountBelow(root, runtime);
            const options = { cwd: root, env: { ...runtime.env }, timeout: 60_000 };
            const [file, args] = client === 'client-go' ? [go, []] : [python, [SCRIPT, root]];
            const { stdout } = await run(file, args, options);
            tenant.mustBeClean(stdout);
            expect(JSON.parse(stdout)).toEqual({
              server: facts.server,
              namespace,
              user: `system:serviceaccount:${namespace}:looker`,
              namespaces: expect.arrayContaining(['default', 'kube-system', namespace]),
              configMaps: ['kube-root-ca.crt'],
            });
          } finally {
            rmSync(root, { recursive: true, force: true });
          }
          const { server, caPem } = controlPlane;
          const token = runtime.files.get(TOKEN) ?? '';
          expect((await requestOnce({ server, caPem, path: '/api', token })).status).toBe(401);
        }),
      );
    },
  );
});
