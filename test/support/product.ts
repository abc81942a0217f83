/**
 * The product as an operator runs it, in front of a control plane under test: `deploy/` applied, `kubeveil serve` in a
 * process of its own (so that its death is seen) with the one credential that it needs, and two tenants with their
 * kubeconfigs. What it writes goes into the control plane's folder and ends with it.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { writeKubeconfig } from '../../src/cli/kubeconfig.ts';
import { install } from '../../src/controllers/install.ts';
import { type Child, logTail, startChild } from '../../src/dev/child.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { metadataOf } from '../../src/k8s/meta.ts';
import { phaseOf, Tenants } from '../../src/onboarding/tenants.ts';
import { readKubeconfig } from '../../src/upstream/host-connection.ts';
import { type ClosableUpstream, createUpstream } from '../../src/upstream/upstream.ts';
import { adminClient, type ControlPlaneFacts } from './control-plane.ts';
import { requestOnce } from './http.ts';
import { eventually } from './processes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** How long anything here may take before it counts as broken; never how long it is expected to take. */
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

/** Puts the product in front of a control plane that has none yet. */
export async function startProduct(controlPlane: ControlPlaneFacts): Promise<Product> {
  const folder = join(controlPlane.workDir, 'product');
  mkdirSync(folder, { recursive: true });
  const operator = createUpstream(readKubeconfig(controlPlane.adminKubeconfigPath));
  let proxy: { child: Child; server: string; logPath: string } | undefined;
  try {
    await install({ upstream: operator, signal: AbortSignal.timeout(FAULT_MS) });
    proxy = await startProxyProcess(folder, await proxyKubeconfig(controlPlane, folder));
    const { child, server, logPath } = proxy;
    const tenants = new Tenants(operator);
    const [acme, globex] = await Promise.all([
      makeTenant(operator, 'acme', join(folder, 'one.kubeconfig')),
      makeTenant(operator, 'globex', join(folder, 'two.kubeconfig')),
    ]);
    const { caPem } = await tenants.proxyAddress();
    return {
      facts: { server, caPem, pid: child.pid, logPath, acme, globex },
      async stop() {
        await child.stop(20_000);
        await operator.close();
      },
    };
  } catch (error) {
    await proxy?.child.kill();
    await operator.close();
    throw new Error(`the product did not start: ${String(error)}\n${logTail(join(folder, 'proxy.log'), 40)}`, {
      cause: error,
    });
  }
}

/** Makes a tenant and its administrator's kubeconfig, the way the command line does. */
export async function makeTenant(operator: ClosableUpstream, id: string, file: string): Promise<TenantFacts> {
  const tenants = new Tenants(operator);
  await tenants.create(id, 'default');
  const tenant = await tenants.waitFor(id, (seen) => phaseOf(seen) === 'Active', FAULT_MS);
  if (tenant === undefined) throw new Error(`tenant ${id} went while it was made`);
  await writeKubeconfig(tenants, tenant, {
    user: 'admin',
    groups: ['system:masters'],
    ttlMs: 12 * 3_600_000,
    out: file,
  });
  // What kubectl prints of contexts would name the tenant, and drown the search for real leaks.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`kubeveil-${id}`, 'cluster'));
  const user = parse(readFileSync(file, 'utf8')).users[0].user as Record<string, string>;
  const ca = await tenants.clientCa(tenant);
  return {
    id,
    uid: String(metadataOf(tenant)['uid']),
    kubeconfigPath: file,
    certPem: fromBase64(user['client-certificate-data']),
    keyPem: fromBase64(user['client-key-data']),
    caCertPem: ca.certPem,
    caKeyPem: ca.keyPem,
  };
}

/** The credential that the proxy runs with: the account that may ask for tokens of three others, and nothing else. */
async function proxyKubeconfig(controlPlane: ControlPlaneFacts, folder: string): Promise<string> {
  const admin = adminClient(controlPlane);
  const { status, body } = await admin.send(
    'POST',
    '/api/v1/namespaces/kubeveil-system/serviceaccounts/kubeveil/token',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } },
  );
  admin.close();
  const token = (body as { status?: { token?: string } }).status?.token;
  if (status !== 201 || token === undefined) throw new Error(`no token for the proxy: ${status}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'host',
        cluster: {
          server: controlPlane.server,
          'certificate-authority-data': Buffer.from(controlPlane.caPem).toString('base64'),
        },
      },
    ],
    users: [{ name: 'kubeveil', user: { token } }],
    contexts: [{ name: 'host', context: { cluster: 'host', user: 'kubeveil' } }],
    'current-context': 'host',
  };
  const file = join(folder, 'proxy.kubeconfig');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

async function startProxyProcess(
  folder: string,
  kubeconfig: string,
): Promise<{ child: Child; server: string; logPath: string }> {
  const port = await choosePort(undefined, 'the port of the proxy');
  const server = `https://127.0.0.1:${port}`;
  const logPath = join(folder, 'proxy.log');
  appendFileSync(logPath, '');
  const child = await startChild({
    name: 'kubeveil',
    file: process.execPath,
    args: [
      join(ROOT, 'src/cli.ts'),
      'serve',
      `--kubeconfig=${kubeconfig}`,
      `--listen=127.0.0.1:${port}`,
      `--public-url=${server}`,
      `--policies=${join(ROOT, 'policies')}`,
      '--log-level=info',
    ],
    logPath,
    env: { HOME: folder },
  });
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
  return { child, server, logPath };
}

function fromBase64(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64').toString('utf8');
}
