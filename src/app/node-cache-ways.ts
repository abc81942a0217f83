/** As whom, and by which way, the node cache asks for what it keeps and passes on what it does not. */
import { createForwarder, type Forwarder } from '../nodecache/forward.ts';
import { HUB_PROBE, hubFirst } from '../nodecache/hub.ts';
import type { Way } from '../nodecache/keep.ts';
import { currentUpstream, type Renewed, renewed } from '../nodecache/renewed.ts';
import type { Upstream } from '../ports.ts';
import type { HostConnection } from '../upstream/host-connection.ts';
import { type ClosableUpstream, createUpstream } from '../upstream/upstream.ts';

/** Where a hub is. */
export interface HubAddress {
  /** `https://hub.example.com:6446` */
  readonly server: string;
  readonly caPem: string;
}

/** One credential. */
export interface CredentialWays {
  readonly apiServer: Upstream;
  /** What is kept of shared collections: of the hub where there is one. */
  readonly kept: Way;
  forwarder(): Forwarder;
}

interface WaysOptions {
  /** Read again now and then. */
  readonly read: () => HostConnection;
  readonly hub: HubAddress | undefined;
  /** What is passed on with it has a credential of its own. */
  readonly isOwn: boolean;
  readonly onError: (error: unknown) => void;
}

export function waysOf({ read, hub, isOwn, onError }: WaysOptions, held: AsyncDisposableStack): CredentialWays {
  const to = held.use(renewed(read, (connection) => connect(connection, isOwn), end, onError));
  const apiServer = currentUpstream(() => to.current.upstream);
  return { apiServer, kept: keptWay(), forwarder: () => to.current.forwarder };

  function keptWay(): Way {
    if (hub === undefined) return { upstream: apiServer };
    const toHub: Renewed<ClosableUpstream> = held.use(
      renewed(
        () => ({ ...read(), ...hub }),
        (connection) => createUpstream({ ...connection, http2: true }),
        (one) => void one.close(),
        onError,
      ),
    );
    const upstream = hubFirst({
      hub: currentUpstream(() => toHub.current),
      apiServer,
      nowMs: Date.now,
      random: Math.random,
      onError,
    });
    return { upstream, probe: HUB_PROBE, pulse: (withinMs, ask) => upstream.pulse(withinMs) ?? ask() };
  }
}

/** The two ways in which a credential is used: to ask for what is kept, and to pass on what is not. */
interface Connected {
  readonly upstream: ClosableUpstream;
  readonly forwarder: Forwarder;
}

function connect({ server, caPem, credentials }: HostConnection, isOwn: boolean): Connected {
  const { tls } = credentials;
  const identity = { as: 'reader' } as const;
  const forwarder = isOwn
    ? createForwarder({ server, caPem, authorization: async () => undefined })
    : createForwarder({ server, caPem, tls, authorization: () => credentials.authorization(identity) });
  return { upstream: createUpstream({ server, caPem, credentials, http2: true }), forwarder };
}

function end({ upstream, forwarder }: Connected): void {
  void upstream.close();
  forwarder[Symbol.dispose]();
}
