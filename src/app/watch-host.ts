/** Everything that follows the host while the proxy runs: controllers, the view that requests meet, and the walls. */
import type { Advertised } from '../controllers/api-service/api-service-objects.ts';
import { type Controllers, startControllers } from '../controllers/controllers.ts';
import { readManifests } from '../controllers/walls/manifests.ts';
import { watchReadiness } from '../controllers/walls/readiness.ts';
import { HostHistory } from '../k8s/host-history.ts';
import type { HealthCheck } from '../nonresource/health.ts';
import { logger } from '../observe/log.ts';
import type { Policies } from '../policy/policy.ts';
import type { Upstream } from '../ports.ts';
import { createInformer } from '../upstream/informer.ts';
import { type HostView, startHostView } from './host-view.ts';

export interface WatchHostOptions {
  readonly upstream: Upstream;
  readonly policies: Policies;
  readonly advertised: Advertised | undefined;
  /** By which pods know the proxy. */
  readonly rootCaPem: string;
  /** Ends everything. */
  readonly signal: AbortSignal;
  /** Hears every fault; each is tried again. */
  readonly onError: (what: string, error: unknown) => void;
}

export interface WatchedHost {
  readonly controllers: Controllers;
  readonly view: HostView;
  /** Whoever else follows this host shares it. */
  readonly history: HostHistory;
  /** What must be well before anybody may be served. */
  readonly checks: readonly HealthCheck[];
  /** Whether what was read before may be told although there is a problem: the host does not answer. */
  mayRemember(): boolean;
  /** Resolves when the walls stand and everything has been read once. */
  whenReady(): Promise<void>;
}

export function watchHost(options: WatchHostOptions): WatchedHost {
  const { upstream, policies, advertised, rootCaPem, signal, onError } = options;
  const log = logger('app');
  const history = new HostHistory();
  const controllers = startControllers({
    upstream,
    createInformer: (path, query) =>
      createInformer({
        upstream,
        identity: { as: 'provisioner' },
        path,
        query,
        history,
        signal,
        onError: (error) => onError(`following ${path}`, error),
      }),
    reserved: () => policies.reservedTenantIds,
    policyNames: () => policies.names,
    guardsOf: (policy, tenant) => (policies.names.has(policy) ? policies.of({ policy }).guards(tenant) : undefined),
    rulesPolicy: () => policies.rulesPolicy,
    advertised,
    rootCaPem,
    signal,
    onImpersonation: (form) => {
      if (form === 'constrained') log.info('the host has constrained impersonation');
      else
        log.warn('the host has no constrained impersonation: whom the data path may be is limited, and not what for');
    },
    onError,
  });
  const unsubscribe = policies.subscribe?.(() => controllers.policiesChanged());
  if (unsubscribe !== undefined) signal.addEventListener('abort', unsubscribe);
  const view = startHostView({ upstream, history, controllers, policies, signal, onError });
  const walls = watchReadiness({
    upstream,
    manifests: readManifests(),
    signal,
    onChange(problem) {
      if (problem !== undefined) return log.error({ problem }, 'not ready');
      log.info('the walls stand; whether the network plugin enforces NetworkPolicies the API does not tell: try it');
    },
  });

  let isSynced = false;
  const synced = Promise.all([controllers.whenSynced(), view.whenSynced()]).then(() => {
    isSynced = true;
  });
  // It fails only when the process is ending.
  synced.catch(() => {});
  return {
    controllers,
    view,
    history,
    checks: [
      { name: 'informer-sync', passes: () => isSynced },
      { name: 'walls', passes: () => walls.problem() === undefined },
      { name: 'shutdown', passes: () => !signal.aborted },
    ],
    mayRemember: () => isSynced && walls.mayRemember(),
    async whenReady() {
      await Promise.all([walls.whenReady(), synced]);
    },
  };
}
