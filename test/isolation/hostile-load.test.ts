/**
 * Load that is meant to hurt, at a proxy of its own: ten thousand connections that do nothing, bodies that are small to
 * send and large to read, answers that nobody takes. Each time other tenants are served while it lasts, and the memory of
 * the process stays below a bound.
 */
import { readdirSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Child } from '../../src/dev/child.ts';
import { rssBytes } from '../bench/process-usage.ts';
import { useProduct } from '../support/as-tenant.ts';
import { type RawAnswer, type RawRequest, requestOnce } from '../support/http.ts';
import { startIdleCrowd } from '../support/idle-crowd.ts';
import { openWatch } from '../support/open-watch.ts';
import { eventually } from '../support/processes.ts';
import type { TenantFacts } from '../support/product.ts';
import { startReplica } from '../support/replica.ts';

const { acme, globex, facts } = useProduct();
const controlPlane = inject('controlPlane');
const MIB = 1_048_576;
const CONNECTIONS = 10_000;
/** `requestsInFlightPerUser` and `requestsWaiting` of the default policy. */
const SEATS_OF_USER = 60;
const WAITING = 400;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let child: Child;
let server: string;
beforeAll(async () => {
  const args = [`--max-connections=${CONNECTIONS}`];
  ({ child, server } = await startReplica(controlPlane, facts, 'hostile-load', args));
});
afterAll(() => child.kill());

/** On a connection of its own. */
function as({ certPem, keyPem }: TenantFacts, request: Omit<RawRequest, 'server'>): Promise<RawAnswer> {
  return requestOnce({ server, caPem: facts.caPem, certPem, keyPem, ...request });
}

async function isServed(tenant: TenantFacts): Promise<void> {
  expect((await as(tenant, { path: '/api/v1/namespaces/default' })).status).toBe(200);
}

function descriptors(): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

describe(`${CONNECTIONS} connections and more that do nothing`, () => {
  it('keep nobody out, end nobody’s watch, and cost little memory', async () => {
    const { certPem, keyPem } = globex.facts;
    const path = `${CONFIG_MAPS}?watch=true&fieldSelector=metadata.name=beside-the-crowd`;
    using watch = await openWatch({ server, caPem: facts.caPem, certPem, keyPem, path });
    await isServed(acme.facts);
    const [before, rss] = [descriptors(), rssBytes(child.pid)];
    {
      await using crowd = await startIdleCrowd({
        port: Number(new URL(server).port),
        connections: CONNECTIONS + 1_000,
        addresses: 500,
      });
      expect(await crowd.open()).toBeGreaterThan(CONNECTIONS / 2);
      for (let at = 0; at < 10; at++) {
        await isServed(acme.facts);
        await isServed(globex.facts);
      }
      expect(rssBytes(child.pid) - rss).toBeLessThan(1_500 * MIB);
      const body = JSON.stringify({ metadata: { name: 'beside-the-crowd' } });
      expect((await as(globex.facts, { path: CONFIG_MAPS, method: 'POST', body })).status).toBe(201);
      await watch.until('beside-the-crowd');
    }
    await eventually('no descriptor of them is left', () => descriptors() <= before + 10, 90_000);
    await as(globex.facts, { path: `${CONFIG_MAPS}/beside-the-crowd`, method: 'DELETE' });
  });
});

describe('bodies that are small to send and large to read', () => {
  const LARGEST = 3 * MIB - 1_000;
  const of = (piece: string) => piece.repeat(Math.floor(LARGEST / piece.length));
  const BOMBS: readonly (readonly [what: string, value: string])[] = [
    ['numbers that keep their digits', `[${of('1e5,')}1]`],
    ['empty objects', `[${of('{},')}{}]`],
    ['short keys', `{${Array.from({ length: 250_000 }, (_, at) => `"${at.toString(36)}":1`).join(',')}}`],
    ['one key again and again', `{${of('"a":1,')}"a":1}`],
  ];

  it('hold up no other tenant, and make their own wait', async () => {
    const rss = rssBytes(child.pid);
    let over = 0;
    const bombs = [...BOMBS, ...BOMBS].map(async ([, value]) => {
      const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bomb"},"bomb":${value}}`;
      const { status } = await as(acme.facts, { path: `${CONFIG_MAPS}?dryRun=All`, method: 'POST', body });
      over++;
      return status;
    });
    await eventually('one of them is read', () => over > 0, 90_000);
    for (let at = 0; at < 10; at++) await isServed(globex.facts);
    expect(over).toBeLessThan(bombs.length);
    const statuses = await Promise.all(bombs);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(rssBytes(child.pid) - rss).toBeLessThan(1_500 * MIB);
  });
});

describe('answers that nobody takes', () => {
  it('hold no more than their tenant’s seats, and no other tenant’s', async () => {
    const name = 'large-and-not-taken';
    const body = JSON.stringify({ metadata: { name }, data: { a: 'x'.repeat(1_000_000) } });
    expect((await as(acme.facts, { path: CONFIG_MAPS, method: 'POST', body })).status).toBe(201);
    const rss = rssBytes(child.pid);
    const { certPem: cert, keyPem: key } = acme.facts;
    const begun = { 200: 0, 429: 0 };
    const retryAfter = new Set<unknown>();
    const sessions = Array.from({ length: 10 }, () => {
      // No room for a single byte of a body.
      const session = connectHttp2(server, { ca: facts.caPem, cert, key, settings: { initialWindowSize: 0 } });
      session.on('error', () => {});
      for (let at = 0; at < 50; at++) {
        const stream = session.request({ ':path': `${CONFIG_MAPS}/${name}` });
        stream
          .on('error', () => {})
          .once('response', (head) => {
            begun[head[':status'] as keyof typeof begun]++;
            if (head[':status'] === 429) retryAfter.add(head['retry-after']);
          });
      }
      return session;
    });
    try {
      await eventually('the user has all of their seats', () => begun[200] === SEATS_OF_USER);
      for (let at = 0; at < 10; at++) await isServed(globex.facts);
      expect(begun[200]).toBe(SEATS_OF_USER);
      expect(begun[429]).toBeGreaterThanOrEqual(500 - SEATS_OF_USER - WAITING);
      // By which client-go waits and asks again.
      expect([...retryAfter]).toEqual(['1']);
      expect(rssBytes(child.pid) - rss).toBeLessThan(400 * MIB);
      expect((await as(globex.facts, { path: CONFIG_MAPS })).status).toBe(200);
    } finally {
      for (const session of sessions) session.destroy();
    }
    // Whoever goes gives back all that they had.
    await isServed(acme.facts);
    expect((await as(acme.facts, { path: `${CONFIG_MAPS}/${name}`, method: 'DELETE' })).status).toBe(200);
  });
});
