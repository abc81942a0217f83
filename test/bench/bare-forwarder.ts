/**
 * What forwarding costs in Node before anything is done with a request: TLS and HTTP on both sides by the same libraries
 * as the proxy, the answer read whole, parsed and printed again. It knows no tenants, asks nobody who they are, and
 * translates nothing. A process of its own; its settings are a file.
 */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { Agent } from 'undici';
import type { Access } from './client.ts';

/** The file that the first argument names. */
export interface ForwarderSettings {
  readonly port: number;
  readonly certPem: string;
  readonly keyPem: string;
  readonly host: Access;
}

if (import.meta.main) {
  const { port, certPem, keyPem, host } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ForwarderSettings;
  const agent = new Agent({
    pipelining: 1,
    allowH2: false,
    connect: { ca: host.caPem, cert: host.certPem, key: host.keyPem },
  });

  async function forward(path: string, response: ServerResponse): Promise<void> {
    const headers = { accept: 'application/json' };
    const answer = await agent.request({ origin: host.server, path, method: 'GET', headers });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk as Uint8Array);
    const object: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const body = Buffer.from(JSON.stringify(object));
    response.writeHead(answer.statusCode, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  }

  const server = createSecureServer({ cert: certPem, key: keyPem, allowHTTP1: true }, (request, response) => {
    const sink = response as unknown as ServerResponse;
    forward(request.url, sink).catch((error: unknown) => sink.writeHead(502).end(String(error)));
  });
  server.listen(port, '127.0.0.1');
}
