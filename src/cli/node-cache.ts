/** `kubeveil node-cache`: the cache of one node, for the kubelet and others on it, until it is told to stop. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { startNodeCache } from '../app/node-cache.ts';
import { type ListenAddress, SETTINGS } from '../config/settings.ts';
import { flushLog, type LogLevel, logger, setLogLevel } from '../observe/log.ts';
import { type HostConnection, inClusterHost, readKubeconfig } from '../upstream/host-connection.ts';
import { untilSignal } from './until-signal.ts';

export interface NodeCacheFlags {
  listen: ListenAddress;
  state: string;
  kubeconfig?: string;
  nodeKubeconfig?: string;
  nodeName?: string;
  clientCa?: string;
  logLevel: LogLevel;
}

export async function nodeCache(flags: NodeCacheFlags): Promise<void> {
  setLogLevel(flags.logLevel);
  const stop = untilSignal();
  const log = logger('node-cache');
  const { nodeKubeconfig, clientCa } = flags;
  const running = await startNodeCache({
    own: () => ownConnection(flags.kubeconfig),
    node: nodeKubeconfig === undefined ? undefined : () => readKubeconfig(nodeKubeconfig),
    nodeName: flags.nodeName ?? process.env['NODE_NAME'] ?? '',
    listen: flags.listen,
    stateFolder: flags.state,
    clientCaPem: clientCa === undefined ? undefined : readFileSync(clientCa, 'utf8'),
  });
  log.info({ server: running.server, ca: join(flags.state, 'ca.crt') }, 'listening');
  await stop;
  log.info('stopping: watches end, each with a last bookmark');
  await running.close();
  await flushLog();
}

function ownConnection(file: string | undefined): HostConnection {
  const host = file === undefined ? inClusterHost() : readKubeconfig(file);
  if (host !== undefined) return host;
  throw new Error('there is no API server to keep anything of: give a kubeconfig with --kubeconfig, or run as a pod');
}

export function listenAddress(text: string): ListenAddress {
  const read = SETTINGS.listen.schema.safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError(read.error.issues.map(({ message }) => message).join('; '));
}
