/**
 * Opens TLS connections and does nothing more with them, in four ways: no word at all, a head that stops in its middle, an
 * HTTP/2 session without a request, and one whose header block goes no further. Says when all have been opened, and how
 * many are left whenever it is asked.
 */
import { connect, type TLSSocket } from 'node:tls';
import { FRAME, frame, PREFACE } from './http2-frames.ts';

const AT_ONCE = 50;
const [port = 0, connections = 0, addresses = 1] = process.argv.slice(2).map(Number);
const BEGINNINGS: readonly (readonly [alpn: string, bytes: Buffer])[] = [
  ['http/1.1', Buffer.alloc(0)],
  ['http/1.1', Buffer.from('GET /api/v1/pods HTTP/1.1\r\nHost: loc')],
  ['h2', Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0)])],
  ['h2', Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0), frame(FRAME.headers, 0, 1)])],
];

const sockets: TLSSocket[] = [];

async function open(at: number): Promise<void> {
  const [alpn, bytes] = BEGINNINGS[at % BEGINNINGS.length] ?? ['', Buffer.alloc(0)];
  const localAddress = `127.0.${1 + Math.floor((at % addresses) / 250)}.${1 + ((at % addresses) % 250)}`;
  // Taken, though its type does not say so.
  const from = { localAddress };
  const socket = connect({ host: '127.0.0.1', port, ALPNProtocols: [alpn], rejectUnauthorized: false, ...from });
  sockets.push(socket);
  socket.on('error', () => {});
  socket.resume();
  await new Promise<void>((resolve) => socket.once('secureConnect', resolve).once('close', () => resolve()));
  if (socket.writable) socket.write(bytes);
}

let begun = 0;
async function openSome(): Promise<void> {
  while (begun < connections) await open(begun++);
}

process.on('message', () => process.send?.(sockets.filter(({ closed }) => !closed).length));
process.on('disconnect', () => process.exit(0));
await Promise.all(Array.from({ length: AT_ONCE }, openSome));
process.send?.(begun);
