/**
 * The shared control plane does what the other tests build on: workloads run, end and go as on a real cluster, and
 * the audit log tells who asked.
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { KubeClient } from '../../src/dev/kube-client.ts';
import { adminClient } from '../support/control-plane.ts';
import { eventually } from '../support/processes.ts';

const run = promisify(execFile);
const NAMESPACE = 'control-plane-test';

let client: KubeClient;

beforeAll(async () => {
  client = adminClient(inject('controlPlane'));
  await kubectl('create', 'namespace', NAMESPACE);
  await eventually('the default service account', async () => {
    return (await client.send('GET', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`)).status === 200;
  });
});

afterAll(async () => {
  await kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found', '--wait=false');
  client.close();
});

async function kubectl(...args: string[]): Promise<string> {
  const { kubectlPath, adminKubeconfigPath } = inject('controlPlane');
  const { stdout } = await run(kubectlPath, ['--kubeconfig', adminKubeconfigPath, ...args]);
  return stdout.trim();
}

function inNamespace(...args: string[]): Promise<string> {
  return kubectl('--namespace', NAMESPACE, ...args);
}

async function apply(object: unknown): Promise<void> {
  const { kubectlPath, adminKubeconfigPath } = inject('controlPlane');
  const applied = run(kubectlPath, ['--kubeconfig', adminKubeconfigPath, '-n', NAMESPACE, 'apply', '-f', '-']);
  applied.child.stdin?.end(JSON.stringify(object));
  await applied;
}

describe('its kubelet', () => {
  beforeAll(async () => {
    await inNamespace('run', 'streams', '--image=none');
    await inNamespace('wait', 'pod/streams', '--for=condition=Ready', '--timeout=120s');
  });

  it('runs commands, and tells their exit codes', async () => {
    expect(await inNamespace('exec', 'streams', '--', 'sh', '-c', 'echo $HOSTNAME')).toBe('streams');
    const exits = inNamespace('exec', 'streams', '--', 'sh', '-c', 'echo bad >&2; exit 7');
    await expect(exits).rejects.toMatchObject({ code: 7, stderr: expect.stringContaining('bad') });
  });

  it('serves the log that was written, from a time on, its end, or that of the container before', async () => {
    const lines = ['2026-01-01T10:00:00Z one', '2026-01-02T10:00:00Z two', '2026-01-03T10:00:00Z three'];
    await inNamespace('exec', 'streams', '--', 'sh', '-c', `echo '${lines.join('\n')}' > log; echo old > log.previous`);
    expect(await inNamespace('logs', 'streams')).toBe('one\ntwo\nthree');
    expect(await inNamespace('logs', 'streams', '--timestamps')).toBe(lines.join('\n'));
    expect(await inNamespace('logs', 'streams', '--since-time=2026-01-02T00:00:00Z')).toBe('two\nthree');
    expect(await inNamespace('logs', 'streams', '--tail=1')).toBe('three');
    expect(await inNamespace('logs', 'streams', '--previous')).toBe('old');
  });
});

describe('the control plane', () => {
  it('has the pinned version, the same kubectl and two usable nodes', async () => {
    const version = JSON.parse(await kubectl('version', '-o', 'json')) as {
      clientVersion: { gitVersion: string };
      serverVersion: { gitVersion: string };
    };
    expect(version.serverVersion.gitVersion).toMatch(/^v1\.36\.\d+$/);
    expect(version.clientVersion.gitVersion).toBe('v1.36.3');
    expect(await kubectl('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}')).toBe('node-1 node-2');
  });

  it('runs the pods of a Deployment and takes them away with it', async () => {
    await inNamespace('create', 'deployment', 'web', '--image=nginx', '--replicas=3');
    await inNamespace('rollout', 'status', 'deployment/web', '--timeout=60s');
    const phases = await inNamespace('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].status.phase}');
    expect(phases).toBe('Running Running Running');
    await inNamespace('delete', 'deployment', 'web');
    await inNamespace('wait', 'pods', '-l', 'app=web', '--for=delete', '--timeout=60s');
    expect(await inNamespace('get', 'pods', '-l', 'app=web', '-o', 'name')).toBe('');
  });

  it('completes a Job', async () => {
    await inNamespace('create', 'job', 'once', '--image=busybox');
    await inNamespace('wait', 'job/once', '--for=condition=Complete', '--timeout=60s');
    const phases = await inNamespace('get', 'pods', '-l', 'job-name=once', '-o', 'jsonpath={.items[*].status.phase}');
    expect(phases).toBe('Succeeded');
  });

  it('deletes a Job while its pod still runs', async () => {
    await inNamespace('create', 'job', 'cut-short', '--image=busybox');
    await eventually('a pod of the Job', async () => {
      return (await inNamespace('get', 'pods', '-l', 'job-name=cut-short', '-o', 'name')) !== '';
    });
    await inNamespace('delete', 'job', 'cut-short');
    await inNamespace('wait', 'pods', '-l', 'job-name=cut-short', '--for=delete', '--timeout=60s');
  });

  it('runs a StatefulSet with init containers whose claims become Bound', async () => {
    await apply(statefulSet);
    await inNamespace('rollout', 'status', 'statefulset/db', '--timeout=60s');
    expect(await inNamespace('get', 'pvc', '-o', 'jsonpath={.items[*].status.phase}')).toBe('Bound Bound');
    await inNamespace('delete', 'statefulset/db');
    await inNamespace('delete', 'pvc', '--all');
    await eventually('no volume is left', async () => (await kubectl('get', 'pv', '-o', 'name')) === '');
  });

  it('keeps a deleted pod while a finalizer holds it, and lets it go after', async () => {
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'held', finalizers: ['example.com/hold'] },
      spec: { containers: [{ name: 'c', image: 'nginx' }] },
    });
    await inNamespace('wait', 'pod/held', '--for=condition=Ready', '--timeout=60s');
    await inNamespace('delete', 'pod/held', '--wait=false');
    await inNamespace('wait', 'pod/held', '--for=jsonpath={.status.phase}=Failed', '--timeout=60s');
    expect(await inNamespace('get', 'pod/held', '-o', 'name')).toBe('pod/held');
    await inNamespace('patch', 'pod/held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    await inNamespace('wait', 'pod/held', '--for=delete', '--timeout=60s');
  });

  it('ends the deletion of a namespace that has pods', async () => {
    await kubectl('create', 'namespace', 'control-plane-gone');
    await kubectl('-n', 'control-plane-gone', 'create', 'deployment', 'web', '--image=nginx', '--replicas=2');
    await kubectl('-n', 'control-plane-gone', 'rollout', 'status', 'deployment/web', '--timeout=60s');
    await kubectl('delete', 'namespace', 'control-plane-gone', '--timeout=120s');
    const { status } = await client.send('GET', '/api/v1/namespaces/control-plane-gone');
    expect(status).toBe(404);
  });

  it('writes who asked for what into the audit log', async () => {
    const path = '/api/v1/namespaces/default/configmaps/asked-for-by-the-audit-test';
    await client.send('GET', path);
    const { auditLogPath } = inject('controlPlane');
    await eventually('the line of the request', () => readFileSync(auditLogPath, 'utf8').includes(path));
    const line = readFileSync(auditLogPath, 'utf8')
      .split('\n')
      .find((text) => text.includes(path));
    expect(JSON.parse(line ?? '')).toMatchObject({
      verb: 'get',
      requestURI: path,
      user: { username: 'host-admin' },
      responseStatus: { code: 404 },
    });
  });
});

const statefulSet = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db' },
  spec: {
    serviceName: 'db',
    replicas: 2,
    selector: { matchLabels: { app: 'db' } },
    template: {
      metadata: { labels: { app: 'db' } },
      spec: {
        initContainers: [
          { name: 'setup', image: 'busybox' },
          { name: 'sidecar', image: 'busybox', restartPolicy: 'Always' },
        ],
        containers: [{ name: 'db', image: 'postgres' }],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
};
