/**
 * A port of a pod as a stream of bytes, by `pods/portforward`: the kubelet connects inside the pod's own network, so
 * whatever address anybody writes anywhere leads to no other place, and the proxy needs no route to pods.
 *
 * Of the protocols for it this is the one in which a port is two channels of a WebSocket. The first message of each
 * channel names the port; what comes on the second is why the port could not be reached, in the node's words.
 *
 * @see k8s.io/cri-streaming pkg/streaming/portforward/websocket.go at v0.36
 */
import { Duplex } from 'node:stream';
import { type Agent, type Dispatcher, WebSocket } from 'undici';
import type { UpstreamForward } from '../ports.ts';

const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
const ERROR = 1;

/** @param headers who asks: name, value, name, value @throws {Error} when there is no such pod or no way to it */
export async function forward(
  agent: Agent,
  origin: string,
  { path, port, signal }: UpstreamForward,
  headers: readonly string[],
): Promise<Duplex> {
  signal?.throwIfAborted();
  const url = new URL(`${path}?ports=${port}`, origin.replace(/^http/, 'ws'));
  const socket = new WebSocket(url, { protocols: [PROTOCOL], dispatcher: asking(agent, headers) });
  socket.binaryType = 'arraybuffer';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => {
    reject(signal?.reason);
    socket.close();
  };
  signal?.addEventListener('abort', stop, { once: true });
  socket.addEventListener('open', () => resolve(), { once: true });
  socket.addEventListener('error', ({ error }) => reject(new Error('the port was not forwarded', { cause: error })));
  const stream = streamOf(socket);
  try {
    await promise;
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** The headers that say who asks go last. Groups are several headers of one name, which a WebSocket cannot be given. */
function asking(agent: Agent, headers: readonly string[]): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => {
    const own = Object.entries((options.headers ?? {}) as Record<string, string>).flat();
    return dispatch({ ...options, headers: [...own, ...headers] }, handler);
  });
}

function streamOf(socket: WebSocket): Duplex {
  const begun = new Set<number>();
  const stream = new Duplex({
    read() {},
    write(chunk: Uint8Array, _encoding, done) {
      if (socket.readyState !== WebSocket.OPEN) return done(new Error('the forwarded port was closed'));
      const message = new Uint8Array(chunk.length + 1);
      message[0] = DATA;
      message.set(chunk, 1);
      socket.send(message);
      done();
    },
    final(done) {
      socket.close();
      done();
    },
    destroy(error, done) {
      socket.close();
      done(error);
    },
  });
  socket.addEventListener('message', ({ data }) => {
    const message = Buffer.from(data as ArrayBuffer);
    const channel = message[0] ?? DATA;
    const content = begun.has(channel) ? message.subarray(1) : message.subarray(3);
    begun.add(channel);
    if (content.length === 0) return;
    if (channel === ERROR) stream.destroy(new Error('connection refused', { cause: new Error(content.toString()) }));
    else if (!stream.destroyed) stream.push(content);
  });
  socket.addEventListener('close', () => {
    if (!stream.destroyed) stream.push(null);
  });
  // Told to whoever reads or writes; by then the opening has failed with it, or has not.
  stream.on('error', () => {});
  return stream;
}
