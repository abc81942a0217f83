/** The way to the host, by the proxy's own accounts. */
import { accountTokens } from '../upstream/credentials.ts';
import type { HostConnection } from '../upstream/host-connection.ts';
import { type ClosableUpstream, createUpstream } from '../upstream/upstream.ts';

/** Every request goes by a token of one of the proxy's accounts, for which the host's own credential asks. */
export function connect(host: HostConnection, held: AsyncDisposableStack): ClosableUpstream {
  const base = held.adopt(createUpstream(host), (one) => one.close());
  const credentials = accountTokens({
    base: (request) => base.request({ ...request, identity: { as: 'provisioner' } }),
  });
  const { server, caPem } = host;
  return held.adopt(createUpstream({ server, caPem, credentials }), (one) => one.close());
}
