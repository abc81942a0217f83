/**
 * Puts the proxy together: makes every long-lived object once and hands it to those who need it. Closing it ends them in
 * the reverse order.
 */
import type { Authenticators } from '../authn/authenticate.ts';
import { clientCertAuthenticator } from '../authn/client-cert.ts';
import { issuerKeys } from '../authn/issuer-keys.ts';
import { serviceAccountAuthenticator } from '../authn/service-account.ts';
import { createSealer } from '../codec/seal.ts';
import { startControllers } from '../controllers/controllers.ts';
import { readManifests } from '../controllers/walls/manifests.ts';
import { watchReadiness } from '../controllers/walls/readiness.ts';
import { untilDone } from '../lib/backoff.ts';
import { createLimiter } from '../limit/limit.ts';
import { startListener } from '../listen/server.ts';
import { logger } from '../observe/log.ts';
import { createPipeline } from '../pipeline.ts';
import type { Policies } from '../policy/policy.ts';
import { renderError } from '../respond/status.ts';
import { type TenantNames, tenantNames } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { accountTokens } from '../upstream/credentials.ts';
import { createHostClient, isHostStarting } from '../upstream/host-client.ts';
import type { HostConnection } from '../upstream/host-connection.ts';
import { createInformer } from '../upstream/informer.ts';
import { createUpstream } from '../upstream/upstream.ts';
import { startHostView } from './host-view.ts';
import { publish, sealKeys, servingCa, servingCertificate } from './serving.ts';
import { createStages } from './stages.ts';
import { createVerbDeps } from './verb-deps.ts';

export interface ProxyOptions {
  /** The cluster behind the proxy, with the credential that may ask for tokens of the proxy's accounts. */
  host: HostConnection;
  listen: { host: string; port: number };
  /** URL under which tenants reach the proxy. */
  publicUrl?: string | undefined;
  policies: Policies;
  requestTimeoutMs?: number;
  shutdownGraceMs?: number;
  maxConnections?: number;
  /** How names are mapped. A test of the host's own wall hands in one that maps nothing. */
  namesOf?: (tenant: Tenant) => TenantNames;
}

export interface RunningProxy extends AsyncDisposable {
  /** `https://127.0.0.1:8443` */
  readonly server: string;
  readonly caPem: string;
  /** Resolves when the proxy serves: the walls stand on the host, and everything has been read once. */
  whenReady(): Promise<void>;
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 60_000;

export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const log = logger('app');
  // Ended in reverse order when the proxy closes, and when it cannot be started.
  await using starting = new AsyncDisposableStack();
  const ending = new AbortController();
  const { signal } = ending;
  const onError = (what: string, error: unknown): void => {
    if (!signal.aborted) log[isHostStarting(error) ? 'debug' : 'warn']({ why: reasonOf(error) }, what);
  };

  const base = starting.adopt(createUpstream(options.host), (one) => one.close());
  const credentials = accountTokens({
    base: (request) => base.request({ ...request, identity: { as: 'provisioner' } }),
  });
  const upstream = starting.adopt(
    createUpstream({ server: options.host.server, caPem: options.host.caPem, credentials }),
    (one) => one.close(),
  );
  starting.defer(() => ending.abort());
  const provisionerClient = createHostClient(upstream, { as: 'provisioner' }, signal);

  // Nothing can be served without these; a host that is not there yet is waited for.
  const shared = await untilDone(
    signal,
    (error) => onError('the host cannot be used yet; trying again', error),
    async () => ({
      ca: await servingCa(provisionerClient),
      sealKeys: await sealKeys(provisionerClient),
    }),
  );

  const controllers = startControllers({
    upstream,
    createInformer: (path, query) =>
      createInformer({
        upstream,
        identity: { as: 'provisioner' },
        path,
        query,
        signal,
        onError: (error) => onError(`following ${path}`, error),
      }),
    reserved: options.policies.reservedTenantIds,
    signal,
    onError,
  });
  starting.defer(() => {
    ending.abort();
    return controllers.stop();
  });
  const view = startHostView({ upstream, controllers, policies: options.policies, signal, onError });
  const walls = watchReadiness({
    client: provisionerClient,
    manifests: readManifests(),
    signal,
    onChange: (problem) => (problem === undefined ? log.info('the walls stand') : log.error({ problem }, 'not ready')),
  });
  const synced = Promise.all([controllers.whenSynced(), view.whenSynced()]);
  let isSynced = false;
  synced.then(
    () => {
      isSynced = true;
    },
    () => {},
  );
  const problem = (): string | undefined =>
    walls.problem() ?? (isSynced ? undefined : 'the host has not been read yet');

  const namesOf = options.namesOf ?? ((tenant: Tenant) => tenantNames(tenant.id));
  const authenticators: Authenticators = {
    clientCertificate: clientCertAuthenticator({ tenants: controllers.tenants, nowMs: Date.now }),
    serviceAccountToken: serviceAccountAuthenticator({
      upstream,
      tenants: controllers.tenants,
      keys: issuerKeys(upstream, Date.now),
      nowMs: Date.now,
    }),
  };
  const stages = createStages({
    upstream,
    controllers,
    view,
    policies: options.policies,
    authenticators,
    limiter: createLimiter(),
    verbDeps: createVerbDeps({
      upstream,
      controllers,
      view,
      policies: options.policies,
      sealer: createSealer(shared.sealKeys),
    }),
    namesOf,
    problem,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
  });

  const publicHost =
    options.publicUrl === undefined ? undefined : new URL(options.publicUrl).hostname.replace(/^\[|\]$/g, '');
  const certificate = await servingCertificate(shared.ca, publicHost === undefined ? [] : [publicHost]);
  const listener = await startListener({
    ...options.listen,
    tls: { cert: certificate.certPem + shared.ca.certPem, key: certificate.keyPem },
    handler: createPipeline(stages),
    renderError,
    log: logger('listen'),
    ...(options.maxConnections === undefined ? {} : { limits: { connections: options.maxConnections } }),
    graceMs: options.shutdownGraceMs ?? 10_000,
  });
  starting.defer(() => listener.close());
  const server = options.publicUrl ?? `https://127.0.0.1:${listener.port}`;
  await untilDone(
    signal,
    (error) => onError('the address cannot be published yet', error),
    () => publish(provisionerClient, server, shared.ca.certPem),
  );

  async function whenReady(): Promise<void> {
    await Promise.all([walls.whenReady(), synced]);
  }

  const running = starting.move();
  const close = (): Promise<void> => running.disposeAsync();
  return { server, caPem: shared.ca.certPem, whenReady, close, [Symbol.asyncDispose]: close };
}

/** What went wrong, down to its cause, in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}
