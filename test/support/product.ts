/**
 * The product as an operator runs it, in front of a control plane under test: `kubectl apply -f deploy/`, `kubeveil
 * serve` in a process of its own (so that its death is seen) with the one credential that it needs, and two tenants made
 * by the command line. What it writes goes into the control plane's folder and ends with it.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { logTail } from '../../src/dev/child.ts';
import type { KubeClient } from '../../src/dev/kube-client.ts';
import { accountToken } from './administrator.ts';
import { cli } from './cli.ts';
import { adminClient, type ControlPlaneFacts } from './control-plane.ts';
import { eventually } from './processes.ts';
import { type ServeProcess, serveKubeconfigPath, startServe } from './serve-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the Service `kubernetes` of each tenant leads: an address for documentation, since no pod really runs. */
export const ADVERTISED = '192.0.2.10:6443';
/** The cluster's DNS, as pods are told. */
export const POD_DNS = '192.0.2.11';
const PUBLISHED = [`--advertise=${ADVERTISED}`, `--pod-dns=${POD_DNS}`];

/** Whatever else is started on the same host says the same, as replicas do: the last one to publish settings wins. */
export function replicaArgs(server: string): string[] {
  return [...PUBLISHED, `--public-url=${server}`, `--pod-address=${new URL(server).host}`];
}

export interface TenantFacts {
  readonly id: string;
  readonly uid: string;
  /** Of a member of `system:masters` in the tenant. Neither the path nor what kubectl prints of it names the tenant. */
  readonly kubeconfigPath: string;
  readonly certPem: string;
  readonly keyPem: string;
  /** The CA that signs the tenant's users: tests sign odd users with it. */
  readonly caCertPem: string;
  readonly caKeyPem: string;
}

/** Plain data, as it crosses from vitest's global setup to the test workers. */
export interface ProductFacts {
  /** `https://127.0.0.1:8443` */
  readonly server: string;
  readonly caPem: string;
  readonly pid: number;
  readonly logPath: string;
  readonly acme: TenantFacts;
  readonly globex: TenantFacts;
}

export interface Product {
  readonly facts: ProductFacts;
  stop(): Promise<void>;
}

/** Puts the product in front of a control plane that has none yet. `serveArgs` are added to those of `serve`. */
export async function startProduct(
  controlPlane: ControlPlaneFacts,
  serveArgs: readonly string[] = [],
): Promise<Product> {
  const { child, server, logPath, stop } = await startProxy(controlPlane, serveArgs);
  const folder = folderOf(controlPlane);
  try {
    const [acme, globex] = await Promise.all([
      makeTenant(controlPlane, 'acme', join(folder, 'one.kubeconfig')),
      makeTenant(controlPlane, 'globex', join(folder, 'two.kubeconfig')),
    ]);
    const [cluster] = parse(readFileSync(acme.kubeconfigPath, 'utf8')).clusters;
    const caPem = decoded(cluster.cluster['certificate-authority-data']);
    return { facts: { server, caPem, pid: child.pid, logPath, acme, globex }, stop };
  } catch (error) {
    await stop();
    throw new Error(`the product did not start: ${String(error)}\n${logTail(logPath, 40)}`, { cause: error });
  }
}

/** Makes the host ready and starts `kubeveil serve` in front of it, without a tenant yet. */
export async function startProxy(
  controlPlane: ControlPlaneFacts,
  serveArgs: readonly string[] = [],
): Promise<ServeProcess> {
  const folder = folderOf(controlPlane);
  mkdirSync(folder, { recursive: true });
  const { kubectlPath, adminKubeconfigPath } = controlPlane;
  await promisify(execFile)(
    kubectlPath,
    [`--kubeconfig=${adminKubeconfigPath}`, 'apply', '--server-side', '-f', join(ROOT, 'deploy')],
    { env: { HOME: folder } },
  );
  const admin = adminClient(controlPlane);
  // A proxy that finds them stored but not acting yet says so in its log, where tests look for faults.
  await eventually('the walls act', () => wallsAct(admin));
  const token = await accountToken(admin, 'kubeveil');
  admin.close();
  return startServe({ folder, host: controlPlane, token, args: [...PUBLISHED, ...serveArgs] });
}

/** True once the host refuses what the last of the policies refuses, changed by the last of those that change. */
async function wallsAct(admin: KubeClient): Promise<boolean> {
  const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kubeveil-wall-probe' } };
  const answer = await admin.send('POST', '/api/v1/namespaces/kubeveil-system/configmaps?dryRun=All', probe);
  return answer.status === 403 && JSON.stringify(answer.body).includes('pods are met');
}

/** Makes a tenant by the command line, and reads what tests need of it. */
export async function makeTenant(
  controlPlane: ControlPlaneFacts,
  id: string,
  file: string,
  policy = 'default',
): Promise<TenantFacts> {
  const kubeconfig = ['--kubeconfig', controlPlane.adminKubeconfigPath];
  await cli(['tenant', 'create', id, ...kubeconfig, '--out', file, '--policy', policy]);
  // What kubectl prints of contexts would name the tenant, and drown the search for real leaks.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`kubeveil-${id}`, 'cluster'));
  const [{ user }] = parse(readFileSync(file, 'utf8')).users;
  const admin = adminClient(controlPlane);
  const tenant = await admin.send('GET', `/apis/kubeveil.dev/v1alpha1/tenants/${id}`);
  const ca = await admin.send('GET', `/api/v1/namespaces/kubeveil-system/secrets/tenant-ca-${id}`);
  admin.close();
  const { data } = ca.body as { data: Record<string, string> };
  return {
    id,
    uid: (tenant.body as { metadata: { uid: string } }).metadata.uid,
    kubeconfigPath: file,
    certPem: decoded(user['client-certificate-data']),
    keyPem: decoded(user['client-key-data']),
    caCertPem: decoded(data['tls.crt']),
    caKeyPem: decoded(data['tls.key']),
  };
}

/** Where the credential is that the proxy runs with, once the product has been started. */
export function proxyKubeconfigPath(controlPlane: ControlPlaneFacts): string {
  return serveKubeconfigPath(folderOf(controlPlane));
}

function folderOf(controlPlane: ControlPlaneFacts): string {
  return join(controlPlane.workDir, 'product');
}

function decoded(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64').toString('utf8');
}
