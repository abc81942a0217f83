/**
 * Tenants that ask without end, in a process of its own: lists of everything, reads and writes, so many at once for each.
 * Is told whom to be (`Access[]`, by IPC) and goes on until it is ended; refusals are as good as answers.
 */
import { type Access, type BenchClient, openClient } from './client.ts';

/** More than a tenant is served at once, so that there are always some that wait. */
const AT_ONCE = 120;
const MAPS = '/api/v1/namespaces/default/configmaps';
const TEXT = 'x'.repeat(20_000);

async function ask(client: BenchClient, at: number): Promise<void> {
  const name = `greedy-${at % 50}`;
  if (at % 3 === 0) await client.get('/api/v1/configmaps');
  else if (at % 3 === 1) await client.post(MAPS, { metadata: { name }, data: { text: TEXT } });
  else await client.get(`${MAPS}/${name}`);
}

function beGreedy(access: Access): void {
  const client = openClient(access, { connections: AT_ONCE });
  let asked = 0;
  const worker = async (): Promise<void> => {
    for (;;) await ask(client, asked++).catch(() => {});
  };
  for (let at = 0; at < AT_ONCE; at++) void worker();
}

process.on('message', (accesses: readonly Access[]) => {
  for (const access of accesses) beGreedy(access);
  process.send?.('begun');
});
process.on('disconnect', () => process.exit(0));
