/**
 * A listener with a trivial handler, for tests of the wire: it notes each request that it is given, reads the body, and
 * answers 200 with what it saw. What is refused at the door never gets into `seen`.
 */
import type { RequestHead } from '../../src/exchange.ts';
import type { Handler, Listener, ListenerOptions, ListenLimits, TlsMaterial } from '../../src/listen/options.ts';
import { readBody } from '../../src/listen/read-body.ts';
import { startListener } from '../../src/listen/server.ts';
import { logger, setLogLevel } from '../../src/observe/log.ts';
import { createAuthority, issueClient, issueServer } from '../../src/pki/certificates.ts';
import { renderError } from '../../src/respond/status.ts';

export interface Door extends AsyncDisposable {
  readonly port: number;
  readonly tls: TlsMaterial;
  /** Who signed both. */
  readonly authorityPem: string;
  readonly client: { readonly certPem: string; readonly keyPem: string };
  readonly listener: Listener;
  readonly seen: SeenRequest[];
}

export interface SeenRequest {
  readonly head: RequestHead;
  readonly body: string;
}

// What these tests provoke is logged as it should be, and of no interest.
setLogLevel('silent');

export const BODY_LIMIT_BYTES = 64 * 1024;

/** @param handler in place of the one that reads and answers */
export async function openDoor(limits: Partial<ListenLimits> = {}, handler?: Handler): Promise<Door> {
  const authority = await createAuthority([{ CN: ['test'] }]);
  const server = await issueServer(authority, { commonName: 'x', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const client = await issueClient(authority, { user: 'alice', groups: ['devs'] });
  const seen: SeenRequest[] = [];
  const options: ListenerOptions = {
    host: '127.0.0.1',
    port: 0,
    tls: { cert: server.certPem, key: server.keyPem },
    handler: handler ?? ((incoming) => answer(incoming, seen)),
    renderError,
    limits,
    log: logger('test'),
    graceMs: 200,
  };
  const listener = await startListener(options);
  return {
    port: listener.port,
    tls: options.tls,
    authorityPem: authority.certPem,
    client,
    listener,
    seen,
    [Symbol.asyncDispose]: () => listener.close(0),
  };
}

async function answer({ head, body, response }: Parameters<Handler>[0], seen: SeenRequest[]): Promise<void> {
  const bytes = await readBody(body, BODY_LIMIT_BYTES, head.headers, head.signal);
  seen.push({ head, body: Buffer.from(bytes).toString() });
  const text = `saw ${head.method} ${head.target}\n`;
  const sink = response as import('node:http').ServerResponse;
  sink.writeHead(200, { 'content-type': 'text/plain', 'content-length': text.length });
  sink.end(head.method === 'HEAD' ? undefined : text);
}
