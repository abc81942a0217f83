/** The tap lets clients do what they do without it, and what it keeps is what they received: a leak would be seen. */
import { connect } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { useProduct } from '../support/as-tenant.ts';
import { leaksIn } from '../support/canary.ts';
import { requestOnce } from '../support/http.ts';
import { openTap, type Tap } from './support/tap.ts';

const { acme, globex, facts } = useProduct();

async function overTap<T>(act: (tap: Tap) => Promise<T>): Promise<{ done: T; found: string[] }> {
  const { certPem, keyPem } = globex.facts;
  await using tap = await openTap({ server: facts.server, caPem: facts.caPem, certPem, keyPem });
  const done = await act(tap);
  return { done, found: leaksIn(tap.received(), acme.forbidden) };
}

describe('the tap', () => {
  const { certPem, keyPem } = globex.facts;
  const path = '/api/v1/namespaces';

  it('keeps what came over HTTP/1.1', async () => {
    const { done, found } = await overTap(({ server, caPem }) => requestOnce({ server, caPem, certPem, keyPem, path }));
    expect(done.status).toBe(200);
    expect(found).not.toEqual([]);
  });

  it.each(['identity', 'gzip'])('keeps what came over HTTP/2 as %s', async (encoding) => {
    const { done, found } = await overTap(async ({ server, caPem }) => {
      const session = connect(server, { ca: caPem, cert: certPem, key: keyPem });
      // The tap cuts off what is still open when it ends.
      session.on('error', () => {});
      const stream = session.request({ ':path': '/api/v1/configmaps', 'accept-encoding': encoding });
      const chunks = await stream.toArray();
      session.close();
      return Buffer.concat(chunks as Buffer[]).length;
    });
    expect(done).toBeGreaterThan(0);
    expect(found).not.toEqual([]);
  });

  it('shows the client’s certificate only if the client did', async () => {
    const { done, found } = await overTap(({ server, caPem }) => requestOnce({ server, caPem, path }));
    expect(done.status).toBe(401);
    expect(found).toEqual([]);
  });
});
