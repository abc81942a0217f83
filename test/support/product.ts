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
import { type Child, logTail, startChild } from '../../src/dev/child.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { CLI, cli } from './cli.ts';
import { adminClient, type ControlPlaneFacts } from './control-plane.ts';
import { requestOnce } from './http.ts';
import { eventually } from './processes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** How long a start may take before it counts as broken; never how long it is expected to take. */
const FAULT_MS = 120_000;

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
  const folder = join(controlPlane.workDir, 'product');
  const logPath = join(folder, 'proxy.log');
  mkdirSync(folder, { recursive: true });
  let child: Child | undefined;
  try {
    const { kubectlPath, adminKubeconfigPath } = controlPlane;
    const env = { HOME: folder };
    await promisify(execFile)(
      kubectlPath,
      [`--kubeconfig=${adminKubeconfigPath}`, 'apply', '--server-side', '-f', join(ROOT, 'deploy')],
      { env },
    );
    await writeProxyKubeconfig(controlPlane);
    const port = await choosePort(undefined, 'the port of the proxy');
    const server = `https://127.0.0.1:${port}`;
    const args = [
      CLI,
      'serve',
      `--kubeconfig=${proxyKubeconfigPath(controlPlane)}`,
      `--listen=127.0.0.1:${port}`,
      `--public-url=${server}`,
      ...serveArgs,
    ];
    child = await startChild({ name: 'kubeveil', file: process.execPath, args, logPath, env });
    await whenReady(child, server);
    const [acme, globex] = await Promise.all([
      makeTenant(controlPlane, 'acme', join(folder, 'one.kubeconfig')),
      makeTenant(controlPlane, 'globex', join(folder, 'two.kubeconfig')),
    ]);
    const [cluster] = parse(readFileSync(acme.kubeconfigPath, 'utf8')).clusters;
    const caPem = decoded(cluster.cluster['certificate-authority-data']);
    const started = child;
    return {
      facts: { server, caPem, pid: started.pid, logPath, acme, globex },
      stop: async () => void (await started.stop(20_000)),
    };
  } catch (error) {
    await child?.kill();
    throw new Error(`the product did not start: ${String(error)}\n${logTail(logPath, 40)}`, { cause: error });
  }
}

/** Makes a tenant by the command line, and reads what tests need of it. */
export async function makeTenant(controlPlane: ControlPlaneFacts, id: string, file: string): Promise<TenantFacts> {
  await cli(['tenant', 'create', id, '--kubeconfig', controlPlane.adminKubeconfigPath, '--out', file]);
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
  return join(controlPlane.workDir, 'product', 'proxy.kubeconfig');
}

/** The account that may ask for tokens of three others, and nothing else. */
async function writeProxyKubeconfig(controlPlane: ControlPlaneFacts): Promise<void> {
  const admin = adminClient(controlPlane);
  const { status, body } = await admin.send(
    'POST',
    '/api/v1/namespaces/kubeveil-system/serviceaccounts/kubeveil/token',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } },
  );
  admin.close();
  const token = (body as { status?: { token?: string } }).status?.token;
  if (status !== 201 || token === undefined) throw new Error(`no token for the proxy: ${status}`);
  const { server, caPem } = controlPlane;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'host', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: 'kubeveil', user: { token } }],
    contexts: [{ name: 'host', context: { cluster: 'host', user: 'kubeveil' } }],
    'current-context': 'host',
  };
  // JSON is YAML.
  writeFileSync(proxyKubeconfigPath(controlPlane), JSON.stringify(config), { mode: 0o600 });
}

async function whenReady(child: Child, server: string): Promise<void> {
  await eventually(
    'the proxy is ready',
    async () => {
      if (!child.running) throw new Error('the proxy ended');
      // Its CA is known only when it has run once; readiness is no secret.
      const answer = await requestOnce({ server, path: '/readyz', insecure: true }).catch(() => undefined);
      return answer?.status === 200;
    },
    FAULT_MS,
  );
}

function decoded(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64').toString('utf8');
}
