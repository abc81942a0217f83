/** Reading JSON documents from a live API server for the generators in this folder. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { parse } from 'yaml';
import { isObject, type JsonObject } from '../../src/k8s/types.ts';

/** @param accept what to ask for; JSON when left out */
export type Fetch = (path: string, accept?: string) => Promise<JsonObject>;

/** @param file a kubeconfig with a client certificate, in files or inside it. @throws when it has no such thing. */
export function fetchFrom(file: string): Fetch {
  const config = parse(readFileSync(file, 'utf8'));
  const cluster = config.clusters[0].cluster;
  const user = config.users[0].user;
  const pem = (entry: Record<string, string>, field: string) => {
    const inside = entry[`${field}-data`];
    return inside === undefined ? readFileSync(entry[field] ?? '', 'utf8') : Buffer.from(inside, 'base64').toString();
  };
  const tls = {
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
  };
  return (path, accept = 'application/json') =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, cluster.server),
        { ...tls, timeout: 10_000, headers: { accept } },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.once('error', reject);
          incoming.once('end', () => {
            try {
              const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
              if (incoming.statusCode === 200 && isObject(body)) return resolve(body);
              throw new Error('no object');
            } catch (cause) {
              reject(new Error(`GET ${path} was answered with ${incoming.statusCode}`, { cause }));
            }
          });
        },
      );
      outgoing.once('error', reject);
      outgoing.end();
    });
}
