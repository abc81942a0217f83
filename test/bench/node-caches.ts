/** Many node caches in one process, as one would run on each node: what they cost the API server is the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startNodeCache } from '../../src/app/node-cache.ts';
import { setLogLevel } from '../../src/observe/log.ts';

export interface NodeCachesSettings {
  readonly server: string;
  readonly caPem: string;
  /** Of the account `kubeveil-node-cache`. */
  readonly token: string;
  readonly folder: string;
  /** The hub that they ask first, if any. */
  readonly hub?: NodeCacheAddress | undefined;
  readonly nodes: ReadonlyArray<{ readonly name: string; readonly certPem: string; readonly keyPem: string }>;
}

export interface NodeCacheAddress {
  readonly server: string;
  readonly caPem: string;
}

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as NodeCachesSettings;
const { server, caPem, token, folder, hub } = settings;
setLogLevel('error');
const running = await Promise.all(
  settings.nodes.map(({ name, certPem: cert, keyPem: key }) =>
    startNodeCache({
      own: () => ({ server, caPem, credentials: { authorization: async () => `Bearer ${token}` } }),
      node: () => ({ server, caPem, credentials: { authorization: async () => undefined, tls: { cert, key } } }),
      scope: { node: name },
      hub,
      listen: { host: '127.0.0.1', port: 0 },
      stateFolder: join(folder, hub === undefined ? name : `${name}-with-hub`),
    }),
  ),
);
const addresses: NodeCacheAddress[] = running.map((one) => ({ server: one.server, caPem: one.caPem }));
process.stdout.write(`${JSON.stringify(addresses)}\n`);
process.once('SIGTERM', () => {
  void Promise.all(running.map((one) => one.close())).then(() => process.exit(0));
});
