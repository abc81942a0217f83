/** `kubeveil serve`: the proxy in front of a cluster, until it is told to stop. */
import { type ProxyOptions, type RunningProxy, startProxy } from '../app/app.ts';
import { openAuditSinks } from '../app/audit-sinks.ts';
import { followAuthentication } from '../authn/jwt/load.ts';
import { loadConfig } from '../config/load.ts';
import type { Config, SettingName } from '../config/settings.ts';
import type { PodSettings } from '../controllers/pods/pod-settings.ts';
import { flushLog, logger, setLogLevel } from '../observe/log.ts';
import { followPolicies } from '../policy/follow.ts';
import { inClusterHost, readKubeconfig } from '../upstream/host-connection.ts';
import { policiesFolder } from './policies.ts';
import { untilSignal } from './until-signal.ts';

export interface ServeFlags extends Partial<Record<SettingName, string>> {
  config?: string;
}

export async function serve({ config: file, ...flags }: ServeFlags): Promise<void> {
  const config = loadConfig({ flags, ...(file === undefined ? {} : { file }) });
  setLogLevel(config.logLevel);
  const host = config.kubeconfig === undefined ? inClusterHost() : readKubeconfig(config.kubeconfig, config.context);
  if (host === undefined) {
    throw new Error(
      'there is no cluster to stand in front of: give its kubeconfig with --kubeconfig, or run as a pod of it',
    );
  }
  const stopping = new AbortController();
  const stop = untilSignal().then(() => stopping.abort());
  const log = logger('serve');
  const folder = policiesFolder(config.policies);
  using policies = followPolicies(folder, {
    onReload: () => log.info({ folder }, 'policies read again'),
    onInvalid: (error) =>
      log.error({ why: String(error) }, 'the policy files are not valid; the last valid ones go on'),
  });
  log.info({ folder }, 'policies read');
  using authentication =
    config.authentication === undefined
      ? undefined
      : followAuthentication(config.authentication, {
          nowMs: Date.now,
          onReload: () => log.info({ file: config.authentication }, 'authentication file read'),
          onInvalid: (error) =>
            log.error({ why: String(error) }, 'the authentication file is not valid; the last valid one goes on'),
        });
  await using audit = openAuditSinks({
    file: config.auditFile,
    webhook: config.auditWebhook,
    webhookCa: config.auditWebhookCa,
    webhookToken: config.auditWebhookToken,
    log: logger('audit'),
  });
  // Without a file SIGHUP ends the process, as it does any other.
  if (config.auditFile !== undefined) process.on('SIGHUP', () => audit.reopen());
  const proxy = await startUnless(stopping.signal, {
    host,
    listen: config.listen,
    publicUrl: config.publicUrl,
    policies,
    authentication,
    advertised: config.advertise,
    auditTo: audit.write,
    pods: podSettings(config),
    requestTimeoutMs: config.requestTimeout,
    shutdownGraceMs: config.shutdownGrace,
    maxConnections: config.maxConnections,
  });
  if (proxy === undefined) return await flushLog();
  log.info({ server: proxy.server }, 'listening');
  proxy.whenReady().then(
    () => log.info({ server: proxy.server }, 'ready'),
    () => {},
  );
  await stop;
  log.info('stopping: open requests are let to their end');
  await proxy.close();
  await flushLog();
}

/** Undefined when the process was told to stop while it waited for its host. */
async function startUnless(signal: AbortSignal, options: ProxyOptions): Promise<RunningProxy | undefined> {
  try {
    return await startProxy({ ...options, signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function podSettings({ advertise, podAddress, podDns, podDnsSuffix }: Config): PodSettings {
  const [first] = advertise?.addresses ?? [];
  const advertised = advertise === undefined || first === undefined ? undefined : { host: first, port: advertise.port };
  return {
    api: podAddress ?? advertised,
    dns: podDns === undefined ? undefined : { server: podDns, suffix: podDnsSuffix },
  };
}
