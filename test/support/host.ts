/**
 * A host made ready for the proxy: `deploy/` installed, and an upstream that goes as the three accounts, with tokens that
 * the base account mints. What a test does through it meets the same walls as the proxy itself.
 */

import { fileURLToPath } from 'node:url';
import { type Controllers, type ControllersOptions, startControllers } from '../../src/controllers/controllers.ts';
import { install } from '../../src/controllers/walls/install.ts';
import { createKubeClient, type KubeClient } from '../../src/dev/kube-client.ts';
import { HostHistory } from '../../src/k8s/host-history.ts';
import { loadPolicies } from '../../src/policy/load.ts';
import { accountTokens } from '../../src/upstream/credentials.ts';
import { createInformer } from '../../src/upstream/informer.ts';
import { type ClosableUpstream, createUpstream } from '../../src/upstream/upstream.ts';
import { accountToken } from './administrator.ts';
import type { ControlPlaneFacts } from './control-plane.ts';

export interface Host extends AsyncDisposable {
  readonly facts: ControlPlaneFacts;
  /** As a member of system:masters. */
  readonly admin: KubeClient;
  /** As the accounts of deploy/20-accounts.yaml, each with its own token. */
  readonly upstream: ClosableUpstream;
}

/** Installs `deploy/` on the control plane; harmless when it is there already. */
export async function prepareHost(facts: ControlPlaneFacts): Promise<Host> {
  const { server, caPem } = facts;
  const admin = createKubeClient({ server, caPem, certPem: facts.adminCertPem, keyPem: facts.adminKeyPem });
  const tls = { cert: facts.adminCertPem, key: facts.adminKeyPem };
  const installer = createUpstream({ server, caPem, credentials: { authorization: async () => undefined, tls } });
  await install({ upstream: installer, signal: new AbortController().signal });
  await installer.close();

  const token = await accountToken(admin, 'kubeveil');
  const base = createUpstream({ server, caPem, credentials: { authorization: async () => `Bearer ${token}` } });
  const credentials = accountTokens({ base: (request) => base.request({ ...request, identity: { as: 'reader' } }) });
  const upstream = createUpstream({ server, caPem, credentials });
  return {
    facts,
    admin,
    upstream,
    async [Symbol.asyncDispose]() {
      admin.close();
      await Promise.all([upstream.close(), base.close()]);
    },
  };
}

const SHIPPED = loadPolicies(fileURLToPath(new URL('../../policies', import.meta.url)));
const DEFAULT_POLICY: ReadonlySet<string> = new Set(['default']);

/** The provisioner's controllers on a host, as `kubeveil serve` runs them. */
export function runControllers(
  host: Host,
  options: Partial<Pick<ControllersOptions, 'reserved' | 'policyNames' | 'guardsOf' | 'onError'>> = {},
): Controllers & AsyncDisposable {
  const ending = new AbortController();
  const history = new HostHistory();
  const onError = options.onError ?? (() => {});
  const controllers = startControllers({
    rootCaPem: 'of a test',
    upstream: host.upstream,
    signal: ending.signal,
    onError,
    policyNames: options.policyNames ?? (() => DEFAULT_POLICY),
    guardsOf: options.guardsOf ?? ((_policy, tenant) => SHIPPED.of({ policy: 'default' }).guards(tenant)),
    rulesPolicy: () => SHIPPED.rulesPolicy,
    ...(options.reserved && { reserved: options.reserved }),
    createInformer: (path, query) =>
      createInformer({
        upstream: host.upstream,
        identity: { as: 'provisioner' },
        path,
        query,
        history,
        signal: ending.signal,
        onError: (error) => onError(`watch of ${path}`, error),
      }),
  });
  return {
    ...controllers,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await controllers.stop();
    },
  };
}
