/**
 * What forwarding costs in Node before anything is done with a request: TLS and HTTP on both sides by the same libraries
 * as the proxy, the answer read whole, parsed and printed again. What is asked for with `resourceVersion=0` alone it
 * answers from memory after the first time. It knows no tenants, asks nobody who they are, and translates nothing.
 *
 * A process of its own; its settings are a file.
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

  /** What was answered first to those who take what is known, by path. */
  const kept = new Map<string, Buffer>();

  async function serve(path: string, response: ServerResponse): Promise<void> {
    const known = kept.get(path);
    if (known !== undefined) return answer(response, 200, known);
    const { status, body } = await forward(path);
    if (status === 200 && path.endsWith('?resourceVersion=0')) kept.set(path, body);
    answer(response, status, body);
  }

  function answer(response: ServerResponse, status: number, body: Buffer): void {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  }

  async function forward(path: string): Promise<{ status: number; body: Buffer }> {
    const headers = { accept: 'application/json' };
    const { statusCode: status, body } = await agent.request({ origin: host.server, path, method: 'GET', headers });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk as Uint8Array);
    const object: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return { status, body: Buffer.from(JSON.stringify(object)) };
  }

  const server = createSecureServer({ cert: certPem, key: keyPem, allowHTTP1: true }, (request, response) => {
    const sink = response as unknown as ServerResponse;
    serve(request.url, sink).catch((error: unknown) => sink.writeHead(502).end(String(error)));
  });
  server.listen(port, '127.0.0.1');
}
