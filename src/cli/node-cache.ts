/** `kubeveil node-cache`: the cache of one node, for the kubelet and others on it, until it is told to stop. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NodeCacheOptions, startNodeCache } from '../app/node-cache.ts';
import type { ListenAddress } from '../config/settings.ts';
import { flushLog, type LogLevel, logger, setLogLevel } from '../observe/log.ts';
import { type HostConnection, inClusterHost, readKubeconfig } from '../upstream/host-connection.ts';
import { untilSignal } from './until-signal.ts';

interface CommonFlags {
  listen: ListenAddress;
  state: string;
  kubeconfig?: string;
  clientCa?: string;
  logLevel: LogLevel;
}

export interface NodeCacheFlags extends CommonFlags {
  nodeKubeconfig?: string;
  nodeName?: string;
  hub?: string;
  hubCa?: string;
}

export interface HubFlags extends CommonFlags {
  tlsCert: string;
  tlsKey: string;
}

export async function nodeCache(flags: NodeCacheFlags): Promise<void> {
  const { nodeKubeconfig, nodeName = process.env['NODE_NAME'] ?? '' } = flags;
  const node = nodeKubeconfig === undefined ? undefined : () => readKubeconfig(nodeKubeconfig);
  await run(flags, { node, scope: { node: nodeName }, hub: hubOf(flags) }, join(flags.state, 'ca.crt'));
}

/** `kubeveil node-cache-hub`: the tier between node caches and the API server, until it is told to stop. */
export async function nodeCacheHub(flags: HubFlags): Promise<void> {
  const [certPem, keyPem] = [readFileSync(flags.tlsCert, 'utf8'), readFileSync(flags.tlsKey, 'utf8')];
  await run(flags, { scope: 'hub', serving: { certPem, keyPem, caPem: certPem } }, undefined);
}

async function run(
  flags: CommonFlags,
  options: Pick<NodeCacheOptions, 'node' | 'scope' | 'hub' | 'serving'>,
  ca: string | undefined,
): Promise<void> {
  setLogLevel(flags.logLevel);
  const stop = untilSignal();
  const log = logger('node-cache');
  const { clientCa } = flags;
  const running = await startNodeCache({
    ...options,
    own: () => ownConnection(flags.kubeconfig),
    listen: flags.listen,
    stateFolder: flags.state,
    clientCaPem: clientCa === undefined ? undefined : readFileSync(clientCa, 'utf8'),
  });
  log.info({ server: running.server, ca }, 'listening');
  await stop;
  log.info('stopping: watches end, each with a last bookmark');
  await running.close();
  await flushLog();
}

function hubOf({ hub, hubCa }: NodeCacheFlags): NodeCacheOptions['hub'] {
  if (hub === undefined) return undefined;
  if (!URL.canParse(hub) || new URL(hub).protocol !== 'https:') throw new Error(`--hub ${hub} is no https URL`);
  if (hubCa === undefined) throw new Error('--hub needs --hub-ca, the file with the CA of its certificate');
  return { server: new URL(hub).origin, caPem: readFileSync(hubCa, 'utf8') };
}

function ownConnection(file: string | undefined): HostConnection {
  const host = file === undefined ? inClusterHost() : readKubeconfig(file);
  if (host !== undefined) return host;
  throw new Error('there is no API server to keep anything of: give a kubeconfig with --kubeconfig, or run as a pod');
}
