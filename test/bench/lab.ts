/**
 * Where a scenario runs: a control plane of its own on loopback, with what the proxy needs on it, and the proxy in front.
 * Everything ends, and its folder goes, when the lab is disposed of.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from '../../src/controllers/walls/install.ts';
import { type ControlPlane, startControlPlane } from '../../src/dev/control-plane.ts';
import { createKubeClient, type KubeClient } from '../../src/dev/kube-client.ts';
import { administrator, issueEntry, whenActive } from '../../src/onboarding/credential.ts';
import { Tenants } from '../../src/onboarding/tenants.ts';
import type { CertificatePair } from '../../src/pki/certificates.ts';
import { readKubeconfig } from '../../src/upstream/host-connection.ts';
import { createUpstream } from '../../src/upstream/upstream.ts';
import { accountToken } from '../support/administrator.ts';
import type { Access } from './client.ts';
import { type ProxyProcess, startProxyProcess } from './proxy-process.ts';

const INSTALL_MS = 60_000;
const TENANT_MS = 60_000;
const CREDENTIAL_MS = 12 * 3_600_000;

export interface Lab extends AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly folder: string;
  /** As the host's administrator. */
  readonly admin: KubeClient;
  readonly tenants: Tenants;
  readonly proxy: ProxyProcess;
  readonly apiserverPid: number;
  /**
   * Does what `kubeveil tenant create` does, up to a credential in hand.
   * @param policy a file of `policies` here; the one without limits when left out
   */
  onboard(id: string, policy?: string): Promise<Access>;
}

/** @param signal stops the start */
export async function startLab(progress: (line: string) => void, signal?: AbortSignal): Promise<Lab> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'kubeveil-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const controlPlane = stack.use(
    await startControlPlane({
      workDir: join(folder, 'cluster'),
      // Neither log, nor faster controllers than a real host has: what is measured is a usual API server.
      audit: false,
      extraArgs: { 'kube-controller-manager': ['--kube-api-qps=20', '--kube-api-burst=30'] },
      progress,
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  const { server, caPem } = controlPlane;
  const admin = stack.adopt(createKubeClient({ server, caPem, ...controlPlane.admin }), (client) => client.close());
  const operator = stack.adopt(createUpstream(readKubeconfig(controlPlane.adminKubeconfigPath)), (one) => one.close());
  progress('installing deploy/ and starting the proxy');
  await install({ upstream: operator, signal: AbortSignal.timeout(INSTALL_MS) });
  const tenants = new Tenants(operator);
  const proxy = stack.use(
    await startProxyProcess({
      folder,
      token: await accountToken(admin, 'kubeveil'),
      host: { server, caPem },
      args: ['--policies', fileURLToPath(new URL('policies', import.meta.url))],
      // It serves a moment before its address is published.
      isReady: async (url) => (await tenants.proxyAddress()).server === url,
    }),
  );
  async function onboard(id: string, policy = 'default'): Promise<Access> {
    await tenants.create(id, { policy });
    const tenant = await whenActive(tenants, id, TENANT_MS);
    const { server, caPem, credential } = await issueEntry(tenants, tenant, administrator(CREDENTIAL_MS));
    return { server, caPem, ...(credential as CertificatePair) };
  }

  const owned = stack.move();
  return {
    controlPlane,
    folder,
    admin,
    tenants,
    proxy,
    apiserverPid: controlPlane.programs()['kube-apiserver'].pid,
    onboard,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
