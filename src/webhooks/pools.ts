/**
 * Connections to webhooks that are kept for the next call, each tenant's apart and each bundle of certificates apart.
 * Few of one tenant, so that none can hold what others need; those that were used longest ago go first.
 */
import type { Duplex } from 'node:stream';
import { Pool } from 'undici';
import { dial, failureOf } from './dial.ts';
import type { Target } from './target.ts';

const MOST_OF_TENANT = 20;
const MOST = 1_000;
const CONNECTIONS = 8;
const IDLE_MS = 30_000;

export interface WebhookPools {
  /** @param open the stream below TLS */
  get(tenantUid: string, target: Target, open: (signal: AbortSignal) => Promise<Duplex> | Duplex): Pool;
  close(): Promise<void>;
}

/** @param responseBytes an answer of more is not read */
export function createWebhookPools(responseBytes: number): WebhookPools {
  const pools = new Map<string, { readonly tenantUid: string; readonly pool: Pool }>();

  function drop(key: string): void {
    const dropped = pools.get(key);
    pools.delete(key);
    // What is under way on it ends in good order.
    dropped?.pool.close().catch(() => {});
  }

  function makeRoom(tenantUid: string): void {
    const own = [...pools].filter(([, entry]) => entry.tenantUid === tenantUid);
    const [oldestOwn] = own;
    if (own.length >= MOST_OF_TENANT && oldestOwn !== undefined) drop(oldestOwn[0]);
    if (pools.size >= MOST) drop(pools.keys().next().value as string);
  }

  return {
    get(tenantUid, { origin, host, ca }, open) {
      const key = JSON.stringify([tenantUid, origin, ca]);
      const known = pools.get(key);
      pools.delete(key);
      if (known === undefined) makeRoom(tenantUid);
      const pool =
        known?.pool ??
        new Pool(origin, {
          connections: CONNECTIONS,
          pipelining: 1,
          keepAliveTimeout: IDLE_MS,
          maxResponseSize: responseBytes,
          allowH2: false,
          connect(_options, callback) {
            dial({ host, ca, open }).then(
              (socket) => callback(null, socket),
              (error: unknown) => callback(failureOf(error, host), null),
            );
          },
        });
      pools.set(key, { tenantUid, pool });
      return pool;
    },
    async close() {
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()));
    },
  };
}
