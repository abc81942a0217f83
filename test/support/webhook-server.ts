/**
 * A webhook server on loopback: what it answers is in the path, and what it was asked is kept. The API server reaches it
 * by URL, a tenant as a Service of its own, with a pod of the tenant's that has its port.
 */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/k8s/types.ts';
import { createAuthority, issueServer } from '../../src/pki/certificates.ts';

export interface WebhookServer extends AsyncDisposable {
  readonly port: number;
  /** PEM of the CA that signed its certificate. */
  readonly caPem: string;
  /** What it was asked, in order, with the path that was asked. */
  readonly asked: Array<{ readonly path: string; readonly body: JsonObject }>;
}

/** The text of an answer; a number is an HTTP status alone; undefined hangs. */
export interface WebhookReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export type Behaviour = (body: JsonObject) => WebhookReply | undefined;

export async function startWebhookServer(
  dnsNames: readonly string[],
  behaviours: Readonly<Record<string, Behaviour>>,
): Promise<WebhookServer> {
  const authority = await createAuthority([{ CN: ['webhook-ca'] }]);
  const pair = await issueServer(authority, { commonName: 'webhook', dnsNames, ipAddresses: ['127.0.0.1'] });
  const asked: WebhookServer['asked'] = [];
  const server = createServer({ cert: pair.certPem, key: pair.keyPem }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = new URL(request.url ?? '/', 'https://webhook').pathname;
      const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      asked.push({ path, body });
      const reply = behaviours[path]?.(body);
      if (reply === undefined) return;
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers }).end(reply.body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    caPem: authority.certPem,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
