/** A hub between node caches and the API server, in a process of its own. */
import { readFileSync } from 'node:fs';
import { startNodeCache } from '../../src/app/node-cache.ts';
import { setLogLevel } from '../../src/observe/log.ts';
import type { NodeCacheAddress } from './node-caches.ts';

export interface NodeHubSettings {
  readonly server: string;
  readonly caPem: string;
  /** Of the account `kubeveil-node-cache-hub`. */
  readonly token: string;
  readonly folder: string;
}

const { server, caPem, token, folder } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as NodeHubSettings;
setLogLevel('error');
const hub = await startNodeCache({
  own: () => ({ server, caPem, credentials: { authorization: async () => `Bearer ${token}` } }),
  scope: 'hub',
  listen: { host: '127.0.0.1', port: 0 },
  stateFolder: folder,
});
const address: NodeCacheAddress = { server: hub.server, caPem: hub.caPem };
process.stdout.write(`${JSON.stringify(address)}\n`);
process.once('SIGTERM', () => void hub.close().then(() => process.exit(0)));
