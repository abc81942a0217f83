/**
 * What the TLS connection says of the client: its certificate and its address. Read once for a connection, for the
 * certificate costs more than the rest of accepting a request.
 */
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { TLSSocket } from 'node:tls';

export interface Peer {
  /** DER; nobody has verified it yet. */
  readonly certificate: Uint8Array | undefined;
  /** The server's name that the client opened the connection for; undefined when it named none. */
  readonly tlsName: string | undefined;
  readonly remoteAddress: string;
  readonly remotePort: number | undefined;
}

const peers = new WeakMap<object, Peer>();

/** Undefined when the connection is gone already. */
export function peerOf(request: IncomingMessage | Http2ServerRequest): Peer | undefined {
  const session = 'stream' in request ? request.stream.session : undefined;
  if ('stream' in request && (session === undefined || session.destroyed)) return undefined;
  const key: object = session ?? request.socket;
  const known = peers.get(key);
  if (known !== undefined) return known;
  const socket = (session?.socket ?? request.socket) as TLSSocket & { servername?: string | false };
  const peer: Peer = {
    certificate: socket.getPeerX509Certificate()?.raw,
    tlsName: typeof socket.servername === 'string' && socket.servername !== '' ? socket.servername : undefined,
    remoteAddress: socket.remoteAddress ?? '',
    remotePort: socket.remotePort,
  };
  peers.set(key, peer);
  return peer;
}
