/**
 * A client that sends exactly the bytes it is told to, over TLS, and hands back all that comes until the server hangs
 * up. Tests of the wire must be able to say what no honest client library lets them say.
 */
import { connect, type TLSSocket } from 'node:tls';

export interface WireOptions {
  readonly port: number;
  readonly alpn: 'h2' | 'http/1.1';
  readonly serverName?: string;
  /** From which it connects; any of 127.0.0.0/8. */
  readonly localAddress?: string;
}

export class WireClient {
  readonly socket: TLSSocket;
  readonly #chunks: Buffer[] = [];
  readonly #closed: Promise<void>;
  #waiting: (() => void) | undefined;

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#waiting?.();
    });
    socket.on('error', () => {});
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  static async open({ port, alpn, serverName, localAddress }: WireOptions): Promise<WireClient> {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ALPNProtocols: [alpn],
      rejectUnauthorized: false,
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    const client = new WireClient(socket);
    await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    return client;
  }

  get received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  send(bytes: string | Uint8Array): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** All that the server has sent when it hangs up. */
  async untilClosed(): Promise<Buffer> {
    await this.#closed;
    return this.received;
  }

  /** Waits until what came satisfies `enough`; what came so far when the server hangs up before. */
  async until(enough: (received: Buffer) => boolean): Promise<Buffer> {
    while (!enough(this.received) && !this.socket.closed) {
      await Promise.race([this.#closed, new Promise<void>((resolve) => (this.#waiting = resolve))]);
    }
    return this.received;
  }

  end(): void {
    this.socket.destroy();
  }
}

/** Status codes of the HTTP/1.1 answers in what was received, in their order. */
export function statusesOf(received: Buffer): number[] {
  return [...received.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}

/** The JSON body of the last answer. */
export function lastBody(received: Buffer): unknown {
  const text = received.toString();
  return JSON.parse(text.slice(text.lastIndexOf('\r\n\r\n') + 4));
}
