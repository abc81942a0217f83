/**
 * `kubeveil dev`, which `npm start` runs: a whole playground on one machine. A real control plane (or the cluster of
 * `--kubeconfig`), what the proxy needs on it, the proxy, and two tenants. All of it ends with this process.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type RunningProxy, startProxy } from '../app/app.ts';
import { install } from '../controllers/walls/install.ts';
import { startControlPlane } from '../dev/control-plane.ts';
import { type LogLevel, setLogLevel } from '../observe/log.ts';
import { administrator, issueEntry, whenActive } from '../onboarding/credential.ts';
import { newKubeconfig, writePrivateFile } from '../onboarding/kubeconfig.ts';
import { Tenants } from '../onboarding/tenants.ts';
import { followPolicies } from '../policy/follow.ts';
import { readKubeconfig } from '../upstream/host-connection.ts';
import { type ClosableUpstream, createUpstream } from '../upstream/upstream.ts';
import { print } from './output.ts';
import { policiesFolder } from './policies.ts';
import { untilSignal } from './until-signal.ts';

export interface DevOptions {
  kubeconfig?: string;
  port: number;
  apiserverPort: number;
  nodes: number;
  folder: string;
  policies?: string;
  logLevel: string;
}

const TENANTS = ['acme', 'globex'];
const TENANT_TIMEOUT_MS = 60_000;
const CREDENTIAL_TTL_MS = 12 * 3_600_000;

export async function dev(options: DevOptions): Promise<void> {
  setLogLevel(options.logLevel as LogLevel);
  using policies = followPolicies(policiesFolder(options.policies), {
    onReload: () => print('policies read again'),
    onInvalid: (error) => print(`${String(error)}\nThe last valid ones go on.`),
  });
  const folder = resolve(options.folder);
  mkdirSync(folder, { recursive: true });
  const stopping = new AbortController();
  const stop = untilSignal().then(() => stopping.abort(new Error('stopped')));

  await using stack = new AsyncDisposableStack();
  try {
    const kubeconfig = options.kubeconfig ?? (await ownCluster(options, folder, stack, stopping.signal));
    const host = readKubeconfig(kubeconfig);
    const admin = stack.adopt(createUpstream(host), (upstream) => upstream.close());
    print('installing what the proxy needs on the cluster');
    await install({ upstream: admin, signal: stopping.signal });
    // Pods are processes of this machine, if they are anything.
    const listen = { host: '127.0.0.1', port: options.port };
    const pods = { api: listen, dns: undefined };
    const proxy = stack.use(await startProxy({ host, listen, policies, pods, signal: stopping.signal }));
    writeFileSync(join(folder, 'ca.crt'), proxy.caPem);
    const tenants = makeTenants(proxy, admin, folder);
    // It fails for what is closed below it when this is stopped meanwhile.
    tenants.catch(() => {});
    await Promise.race([tenants, stop]);
    if (!stopping.signal.aborted) greet(proxy, folder);
    await stop;
    print('\nstopping');
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  }
}

/** Starts a control plane of our own; returns its administrator's kubeconfig. */
async function ownCluster(
  options: DevOptions,
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<string> {
  const cluster = stack.use(
    await startControlPlane({
      workDir: join(folder, 'cluster'),
      nodes: options.nodes,
      ports: { apiserver: options.apiserverPort },
      progress: print,
      signal,
      onUnexpectedExit: (program, error) => process.stderr.write(`kubeveil: ${program} ended: ${error.message}\n`),
    }),
  );
  const file = join(folder, 'host.kubeconfig');
  writePrivateFile(file, cluster.adminKubeconfig);
  return file;
}

async function makeTenants(proxy: RunningProxy, admin: ClosableUpstream, folder: string): Promise<void> {
  await proxy.whenReady();
  for (const id of TENANTS) await onboard(admin, id, folder);
}

async function onboard(admin: ClosableUpstream, id: string, folder: string): Promise<void> {
  const tenants = new Tenants(admin);
  if ((await tenants.get(id)) === undefined) await tenants.create(id, { policy: 'default' });
  const tenant = await whenActive(tenants, id, TENANT_TIMEOUT_MS);
  const entry = await issueEntry(tenants, tenant, administrator(CREDENTIAL_TTL_MS));
  writePrivateFile(join(folder, `${id}.kubeconfig`), newKubeconfig(entry));
}

function greet(proxy: RunningProxy, folder: string): void {
  const at = relative(process.cwd(), folder) || '.';
  print(`
ready: the proxy is at ${proxy.server}; kubeconfigs are in ${at}/

  kubectl --kubeconfig ${at}/acme.kubeconfig get namespaces
  kubectl --kubeconfig ${at}/acme.kubeconfig create deployment web --image=nginx --replicas=2
  kubectl --kubeconfig ${at}/globex.kubeconfig get deployments -A

Ctrl-C ends it, with everything that it started.`);
}
