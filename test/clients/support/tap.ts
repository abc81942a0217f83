/**
 * A tap on the wire between a client program and the product: TLS ends here on both sides, the bytes between pass as
 * they are, and what the client receives is kept for the search for what must not be in it. So HTTP/2 stays the client's
 * own talk with the product, window by window; only the certificate in front is another one.
 *
 * A client certificate counts as it does without the tap: who shows the tenant's is connected with it, who shows none
 * without. Bodies are looked into whole; HTTP/2 headers (packed with HPACK) are not: other tests read those.
 */
import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { constants, gunzipSync } from 'node:zlib';
import { createAuthority, issueServer } from '../../../src/pki/certificates.ts';
import { FRAME, framesOf } from '../../support/http2-frames.ts';

export interface TapTarget {
  /** `https://127.0.0.1:8443` */
  readonly server: string;
  readonly caPem: string;
  /** Of the tenant's user. */
  readonly certPem: string;
  readonly keyPem: string;
}

export interface Tap extends AsyncDisposable {
  /** `https://127.0.0.1:40001` */
  readonly server: string;
  readonly caPem: string;
  /** All bodies that clients received so far, unpacked, with a line between them. */
  received(): Buffer;
}

interface Line {
  readonly isHttp2: boolean;
  readonly chunks: Buffer[];
}

const BETWEEN = Buffer.from('\n');

export async function openTap(target: TapTarget): Promise<Tap> {
  const authority = await createAuthority([{ CN: ['CA of the tap'] }]);
  const own = await issueServer(authority, { commonName: 'tap', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const lines: Line[] = [];
  const open = new Set<TLSSocket>();
  const server = createServer({
    cert: own.certPem,
    key: own.keyPem,
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  // A client that goes in the middle of a handshake.
  server.on('tlsClientError', () => {});
  server.on('connection', (socket) => socket.on('error', () => {}));
  server.on('secureConnection', (client) => {
    const isHttp2 = client.alpnProtocol === 'h2';
    const line: Line = { isHttp2, chunks: [] };
    lines.push(line);
    const upstream = dial(target, isHttp2, client.getPeerX509Certificate() !== undefined);
    upstream.on('data', (chunk: Buffer) => line.chunks.push(chunk));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caPem: authority.certPem,
    received: () => Buffer.concat(lines.flatMap(bodiesOf).flatMap((body) => [body, BETWEEN])),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function dial({ server, caPem, certPem, keyPem }: TapTarget, isHttp2: boolean, withCertificate: boolean): TLSSocket {
  const { hostname, port } = new URL(server);
  const socket = connectTcp({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  return connect({
    socket,
    host: hostname,
    ca: caPem,
    ALPNProtocols: [isHttp2 ? 'h2' : 'http/1.1'],
    ...(withCertificate ? { cert: certPem, key: keyPem } : {}),
  });
}

function bodiesOf({ isHttp2, chunks }: Line): Buffer[] {
  const bytes = Buffer.concat(chunks);
  return isHttp2 ? streamsOf(bytes) : [unchunked(bytes)];
}

/** The body of each stream, put together from its DATA frames. */
function streamsOf(bytes: Buffer): Buffer[] {
  const streams = new Map<number, Buffer[]>();
  for (const { type, streamId, payload } of framesOf(bytes)) {
    if (type !== FRAME.data) continue;
    const parts = streams.get(streamId) ?? [];
    parts.push(payload);
    streams.set(streamId, parts);
  }
  return [...streams.values()].map((parts) => unpacked(Buffer.concat(parts)));
}

/**
 * Heads and bodies, with the chunks joined, so that no word is cut by a chunk's head.
 * @throws {Error} at a packed body, which would have to be unpacked first
 */
function unchunked(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  if (/^content-encoding:/im.test(text)) throw new Error('the tap cannot look into packed bodies of HTTP/1.1');
  return Buffer.from(text.replaceAll(/\r\n[0-9a-f]+\r\n/gi, ''), 'latin1');
}

/** A body that was cut off is unpacked as far as it came. */
function unpacked(body: Buffer): Buffer {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  return gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH });
}
