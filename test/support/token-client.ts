/** Requests to the API server with any credential and any headers, for tests that try what the proxy never sends. */
import { Agent, request } from 'node:https';
import { accountToken } from './administrator.ts';
import type { Host } from './host.ts';

export interface Answer {
  readonly status: number;
  readonly body: { readonly message?: string; readonly reason?: string; readonly [key: string]: unknown };
}

export interface TokenRequestOptions {
  readonly body?: unknown;
  readonly contentType?: string;
  /** A list is sent as one header a value. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export interface TokenClient extends Disposable {
  send(method: string, path: string, options?: TokenRequestOptions): Promise<Answer>;
}

/** The headers by which somebody asks in another's name. */
export function impersonate(user: string, ...groups: string[]): Record<string, string | string[]> {
  return { 'impersonate-user': user, ...(groups.length > 0 && { 'impersonate-group': groups }) };
}

/** A client with the token of a service account of `kubeveil-system`. */
export async function accountClient(host: Host, account: string): Promise<TokenClient> {
  return tokenClient(host, await accountToken(host.admin, account));
}

export function tokenClient(host: Host, token: string): TokenClient {
  const agent = new Agent({ keepAlive: true, ca: host.facts.caPem });
  return {
    send: (method, path, { body, contentType = 'application/json', headers = {} } = {}) =>
      new Promise((resolve, reject) => {
        const sent = body === undefined ? undefined : JSON.stringify(body);
        const outgoing = request(
          new URL(path, host.facts.server),
          {
            agent,
            method,
            headers: {
              authorization: `Bearer ${token}`,
              accept: 'application/json',
              'content-type': contentType,
              // Said, for Node leaves it out of a DELETE: the body would then be read as the next request.
              ...(sent !== undefined && { 'content-length': String(Buffer.byteLength(sent)) }),
              ...headers,
            },
          },
          (incoming) => {
            const chunks: Buffer[] = [];
            incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
            incoming.once('error', reject);
            incoming.once('end', () => {
              const text = Buffer.concat(chunks).toString('utf8');
              const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : { message: text };
              resolve({ status: incoming.statusCode ?? 0, body: parsed as Answer['body'] });
            });
          },
        );
        outgoing.once('error', reject);
        outgoing.end(sent);
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}
