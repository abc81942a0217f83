/**
 * 101 and then bytes, both ways: exec, attach, port-forward, a WebSocket of a pod. Nothing of them is read here. Either
 * end may be slow, which the other then is too; when one is gone, so is the other.
 */
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Connection, Reply, Written } from '../exchange.ts';

type TunnelReply = Extract<Reply, { kind: 'tunnel' }>;

/** Header values without line breaks: they come from upstream, and are written by hand. */
const SAFE_VALUE = /^[\t\x20-\x7e]*$/;
/** For what is under way when a tunnel is ended. */
const LAST_MS = 500;

/** @param until ends it: the right to it is gone, or the time of the process is up */
export async function writeTunnel(
  { socket, first, release }: Connection,
  { headers, upstream, said }: TunnelReply,
  { id, until }: { id: string; until: AbortSignal },
): Promise<Written> {
  release();
  const lines = Object.entries({ ...headers, 'audit-id': id }).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => (SAFE_VALUE.test(value) ? [`${name}: ${value}`] : [])),
  );
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  if (first.length > 0) upstream.write(first);
  let bodyBytes = 0;
  upstream.on('data', (chunk: Uint8Array) => (bodyBytes += chunk.length));
  const cut = (): void => {
    socket.destroy();
    said?.destroy();
    upstream.destroy();
  };
  until.addEventListener('abort', cut);
  if (until.aborted) cut();
  try {
    socket.pipe(upstream);
    (said === undefined ? upstream : upstream.pipe(said)).pipe(socket);
    await Promise.race([gone(socket), gone(upstream), ...(said === undefined ? [] : [failed(said)])]);
    // One end has said its last; the other may still be taking it.
    await Promise.race([Promise.all([gone(socket), gone(upstream)]), after(LAST_MS)]);
  } finally {
    until.removeEventListener('abort', cut);
    cut();
  }
  return { status: 101, bodyBytes };
}

/** Resolves when nothing more can be sent or received, in good order or not. */
function gone(end: Duplex): Promise<void> {
  return finished(end).catch(() => {});
}

/** Resolves when what is said cannot be taken; that is not how it ends in good order. */
function failed(said: Duplex): Promise<void> {
  return new Promise((resolve) => said.once('error', () => resolve()));
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
