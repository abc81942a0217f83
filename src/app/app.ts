/**
 * Puts the proxy together: makes every long-lived object once and hands it to those who need it. Closing it ends them in
 * the reverse order.
 */
import { clientCertAuthenticator } from '../authn/client-cert.ts';
import { issuerKeys } from '../authn/issuer-keys.ts';
import { type Issuers, jwtAuthenticator } from '../authn/jwt/authenticator.ts';
import type { AuthenticationFile } from '../authn/jwt/load.ts';
import { serviceAccountAuthenticator } from '../authn/service-account.ts';
import { tenantDomain } from '../bind/locate.ts';
import { type Cache, createCache } from '../cache/cache.ts';
import { loadSchema } from '../codec/protobuf/schema.ts';
import { createSealer } from '../codec/seal.ts';
import { createYamlReader, type YamlReader } from '../codec/yaml-queue.ts';
import { type Advertised, API_SERVICE_NAMES } from '../controllers/api-service/api-service-objects.ts';
import { startCertificateSigner } from '../controllers/certificates/certificate-signer.ts';
import { publish, relayTokens, sealKeys, servingCa, servingCertificate } from '../controllers/host/serving-secrets.ts';
import { type PodSettings, publishPodSettings } from '../controllers/pods/pod-settings.ts';
import { startTypeCheckController } from '../controllers/policies/type-check-controller.ts';
import { startRoleAggregation } from '../controllers/roles/role-aggregation.ts';
import { readClientCa } from '../controllers/tenants/client-ca.ts';
import type { Identity } from '../exchange.ts';
import { untilDone } from '../lib/backoff.ts';
import { createLimiter, type Limiter } from '../limit/limit.ts';
import { createOpenStreams, type OpenStreams } from '../limit/open-streams.ts';
import type { Handler, Listener } from '../listen/options.ts';
import { startListener } from '../listen/server.ts';
import { logger } from '../observe/log.ts';
import { createPipeline } from '../pipeline.ts';
import type { CertificatePair } from '../pki/certificates.ts';
import type { Policies } from '../policy/policy.ts';
import type { Webhooks } from '../ports.ts';
import { createRelayKeys } from '../relay/keys.ts';
import { renderError } from '../respond/status.ts';
import { PROXY_NAMESPACE } from '../tenancy/host-names.ts';
import { type TenantNames, tenantNames } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createHostClient, isHostStarting } from '../upstream/host-client.ts';
import type { HostConnection } from '../upstream/host-connection.ts';
import type { ClosableUpstream } from '../upstream/upstream.ts';
import { createWebhooks } from '../webhooks/webhooks.ts';
import { connect } from './account-upstream.ts';
import { admissionsBy } from './admission.ts';
import { createAuditWriter } from './audit-writer.ts';
import { createCountLimits } from './count-limits.ts';
import { withHostMutations } from './host-mutations.ts';
import { withRelay } from './relay.ts';
import { createStages, scopeOf } from './stages.ts';
import {
  createPolicyStatusWrite,
  createRequestWrites,
  createRoleStore,
  type TenantClientOptions,
} from './tenant-client.ts';
import { createMeasures } from './usage.ts';
import { createVerbDeps } from './verb-deps.ts';
import { type WatchedHost, watchHost } from './watch-host.ts';

export interface ProxyOptions {
  /** The cluster behind the proxy, with the credential that may ask for tokens of the proxy's accounts. */
  host: HostConnection;
  listen: { host: string; port: number };
  /** URL under which tenants reach the proxy. */
  publicUrl?: string | undefined;
  policies: Policies;
  /** Issuers of tokens besides the host. */
  authentication?: AuthenticationFile | undefined;
  /** Where pods reach the proxy. */
  advertised?: Advertised | undefined;
  /** Where audit events go, each as JSON; into the log when there is no such place. */
  auditTo?: ((event: string) => void) | undefined;
  /** What pods are told of it; nothing when left out. */
  pods?: PodSettings | undefined;
  requestTimeoutMs?: number;
  shutdownGraceMs?: number;
  maxConnections?: number;
  /** Ends a start that has not come to its end, which a host that is not there makes long. */
  signal?: AbortSignal | undefined;
}

/** What a test puts in another's place. */
export interface ProxySeams {
  /** How names are mapped. A test of the host's own wall hands in one that maps nothing. */
  readonly namesOf?: (tenant: Tenant) => TenantNames;
}

export interface RunningProxy extends AsyncDisposable {
  /** `https://127.0.0.1:8443` */
  readonly server: string;
  readonly caPem: string;
  /** Resolves when the proxy serves: the walls stand on the host, and everything has been read once. */
  whenReady(): Promise<void>;
  close(): Promise<void>;
}

const NO_POD_SETTINGS: PodSettings = { api: undefined, dns: undefined };
const NO_ISSUERS: Issuers = { get: () => undefined };
const REQUEST_TIMEOUT_MS = 60_000;
const SHUTDOWN_GRACE_MS = 10_000;

/** Resolves when it listens, which a host that is not there yet delays. @throws {Error} when the port is taken */
export async function startProxy(options: ProxyOptions, seams: ProxySeams = {}): Promise<RunningProxy> {
  const log = logger('app');
  loadSchema();
  // Ended in reverse order when the proxy closes, and when it cannot be started.
  await using starting = new AsyncDisposableStack();
  const ending = new AbortController();
  const { signal } = ending;
  const giveUp = (): void => ending.abort();
  options.signal?.addEventListener('abort', giveUp);
  const onError = (what: string, error: unknown): void => {
    if (!signal.aborted) log[isHostStarting(error) ? 'debug' : 'warn']({ why: reasonOf(error) }, what);
  };

  const upstream = connect(options.host, starting);
  starting.defer(() => ending.abort());
  const client = createHostClient(upstream, { as: 'provisioner' }, signal);

  // Nothing can be served without these; a host that is not there yet is waited for.
  const shared = await untilDone(
    signal,
    (error) => onError('the host cannot be used yet; trying again', error),
    async () => ({ ca: await servingCa(client), sealKeys: await sealKeys(client) }),
  );

  const { policies, advertised, pods = NO_POD_SETTINGS } = options;
  const host = watchHost({ upstream, policies, advertised, rootCaPem: shared.ca.certPem, signal, onError });
  starting.defer(() => {
    ending.abort();
    return host.controllers.stop();
  });
  const streams = starting.use(
    createOpenStreams({ nowMs: Date.now, onFault: (error) => onError('judging what is open', error) }),
  );
  const yaml = starting.use(createYamlReader());
  const limiter = starting.use(createLimiter({ nowMs: Date.now }));
  const cache = createCache({
    upstream,
    history: host.history,
    onError: (error) => onError('keeping a collection', error),
    onGap: (gap) => log.info(gap, 'what is kept was read again: the host no longer tells what happened in between'),
  });
  const webhooks = createWebhooks({
    upstream,
    namespaces: host.controllers.namespaces,
    mayReach: (tenant, name, port) => options.policies.of(tenant).mayCallHost(name, port),
  });
  starting.defer(() => webhooks.close());
  const address = Promise.withResolvers<string>();
  const parts = {
    upstream,
    host,
    sealKeys: shared.sealKeys,
    streams,
    limiter,
    yaml,
    cache,
    webhooks,
    server: () => address.promise,
    ...seams,
  };
  const { handler, inTenants } = assemble(options, parts, signal, onError);
  for (const controller of inTenants) starting.defer(() => controller.stop());
  const listener = await listen(options, handler, shared.ca);
  starting.defer(() => listener.close());
  // Before the listener: watches end with a last bookmark, so that their clients need not read everything again.
  starting.defer(() => cache.close());

  const server = options.publicUrl ?? `https://127.0.0.1:${listener.port}`;
  address.resolve(server);
  await untilDone(
    signal,
    (error) => onError('the address cannot be published yet', error),
    async () => {
      await publish(client, server, shared.ca.certPem);
      await publishPodSettings(client, pods);
    },
  );

  options.signal?.removeEventListener('abort', giveUp);
  const running = starting.move();
  const close = (): Promise<void> => {
    // At once: a document that is read for seconds would keep its request, and so the process, to the end of the grace.
    yaml[Symbol.dispose]();
    return running.disposeAsync();
  };
  return { server, caPem: shared.ca.certPem, whenReady: host.whenReady, close, [Symbol.asyncDispose]: close };
}

interface Parts extends ProxySeams {
  readonly upstream: ClosableUpstream;
  readonly host: WatchedHost;
  readonly sealKeys: readonly Uint8Array[];
  readonly streams: OpenStreams;
  readonly limiter: Limiter;
  readonly yaml: YamlReader;
  readonly cache: Cache;
  readonly webhooks: Webhooks;
  server(): Promise<string>;
}

function assemble(
  { policies, authentication, publicUrl, auditTo, requestTimeoutMs = REQUEST_TIMEOUT_MS }: ProxyOptions,
  parts: Parts,
  signal: AbortSignal,
  onError: (what: string, error: unknown) => void,
): { handler: Handler; inTenants: readonly { stop(): Promise<void> }[] } {
  const {
    upstream,
    host,
    sealKeys,
    streams,
    limiter,
    yaml,
    cache,
    webhooks,
    server,
    namesOf = ({ id }) => tenantNames(id),
  } = parts;
  const { controllers, view, checks, mayRemember } = host;
  const { tenants } = controllers;
  const nowMs = Date.now;
  const writeAudit = createAuditWriter(auditTo);
  const authenticators = {
    clientCertificate: clientCertAuthenticator({ tenants, nowMs }),
    issuerToken: jwtAuthenticator({
      issuers: () => authentication?.issuers() ?? NO_ISSUERS,
      tenants,
      nowMs,
      onRefused: (why) => logger('authn').debug({ why }, 'a token was refused'),
    }),
    serviceAccountToken: serviceAccountAuthenticator({ upstream, tenants, keys: issuerKeys(upstream, nowMs), nowMs }),
  };
  const sealer = createSealer(sealKeys);
  const { informers } = controllers;
  const counts = createCountLimits({ ...informers, customResourceDefinitions: informers.definitions });
  const admissions = admissionsBy({ upstream, view });
  const admission = admissions.with(webhooks);
  const verbDeps = createVerbDeps({
    upstream,
    controllers,
    view,
    policies,
    sealer,
    cache,
    webhooks,
    counts,
    admission,
  });
  const scopeFor = (tenant: Tenant, identity: Identity) =>
    scopeOf({ tenant, identity }, { namesOf, view, controllers, policies });
  const asController: TenantClientOptions = { view, verbDeps, scopeOf: scopeFor, signal };
  const aggregation = startRoleAggregation({
    clusterRoles: view.clusterRoles,
    tenants,
    aggregated: (tenant) => view.authorizer.aggregated(tenant),
    store: createRoleStore(asController),
    onError,
  });
  const client = createHostClient(upstream, { as: 'provisioner' }, signal);
  const signer = startCertificateSigner({
    requests: view.certificateRequests,
    tenants,
    authority: (tenant) => readClientCa(client, tenant),
    ...createRequestWrites(asController),
    nowMs,
    onError,
  });
  const typeChecks = startTypeCheckController({
    policies: view.validatingPolicies,
    tenants,
    view: (tenant, policy) => view.policyView(tenant, policy),
    warningsOf: (tenant, policy, unwanted) =>
      admissions.typeWarnings(tenant, policy, AbortSignal.any([signal, unwanted])),
    writeStatus: createPolicyStatusWrite(asController),
    onError,
  });
  const pipeline = createPipeline(
    createStages({
      upstream,
      controllers,
      view,
      policies,
      authenticators,
      limiter,
      measures: createMeasures({ policies, limiter, counts, informers }),
      streams,
      yaml,
      verbDeps,
      namesOf,
      checks,
      mayRemember,
      requestTimeoutMs,
      writeAudit,
      server,
      domain: tenantDomain(publicUrl),
    }),
  );
  const keys = createRelayKeys({ read: () => relayTokens(client), nowMs });
  const mutations = withHostMutations(pipeline, { keys, client, informers });
  const handler = withRelay(mutations, {
    keys,
    view,
    tenants,
    namespaces: controllers.namespaces,
    policies,
    verbDeps,
    webhooks,
    admissionWith: admissions.with,
    scopeOf: scopeFor,
    isReady: () => checks.every(({ passes }) => passes()),
    writeAudit,
    nowMs,
  });
  return { handler, inTenants: [aggregation, signer, typeChecks] };
}

async function listen(options: ProxyOptions, handler: Handler, ca: CertificatePair): Promise<Listener> {
  const { publicUrl, advertised, pods, maxConnections, shutdownGraceMs = SHUTDOWN_GRACE_MS } = options;
  const domain = tenantDomain(publicUrl);
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')];
  const ofTenants = domain === undefined ? [] : [`*.${domain}`];
  const ofPods = [...API_SERVICE_NAMES, ...(advertised?.addresses ?? []), ...(pods?.api ? [pods.api.host] : [])];
  // A Service of the proxy, by which the host's API server may ask for the relay.
  const ofHost = [`*.${PROXY_NAMESPACE}.svc`];
  const certificate = await servingCertificate(ca, [...own, ...ofTenants, ...ofPods, ...ofHost]);
  return await startListener({
    ...options.listen,
    tls: { cert: certificate.certPem + ca.certPem, key: certificate.keyPem },
    handler,
    renderError,
    log: logger('listen'),
    ...(maxConnections === undefined ? {} : { limits: { connections: maxConnections } }),
    graceMs: shutdownGraceMs,
  });
}

/** What went wrong, down to its cause, in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}
