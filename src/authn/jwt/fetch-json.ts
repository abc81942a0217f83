/**
 * GET of a JSON document from an issuer: https only, no redirect is followed, and time and size are bounded. The URLs are
 * the operator's, or in a document that the operator's issuer gives; a tenant has none of them to choose.
 */
import { request } from 'node:https';
import { readObject } from '../../codec/json.ts';
import type { JsonObject } from '../../k8s/types.ts';

const TIMEOUT_MS = 10_000;
/** A key set of a hundred certificates has less. */
const BYTES_MAX = 1024 * 1024;

/** @throws {Error} saying what was asked and what came */
export function fetchJson(url: string, caPem: string | undefined): Promise<JsonObject> {
  const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:') return Promise.reject(new Error(`${url} is not https`));
  const outgoing = request(
    url,
    {
      agent: false,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(caPem === undefined ? {} : { ca: caPem }),
    },
    (incoming) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const fail = (why: string): void => {
        reject(new Error(`${url} ${why}`));
        outgoing.destroy();
      };
      if (incoming.statusCode !== 200) return fail(`was answered with ${incoming.statusCode}`);
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > BYTES_MAX) fail(`is larger than ${BYTES_MAX} bytes`);
        else chunks.push(chunk);
      });
      incoming.once('error', reject);
      incoming.once('end', () => {
        try {
          resolve(readObject(Buffer.concat(chunks)));
        } catch (cause) {
          reject(new Error(`${url} is not readable`, { cause }));
        }
      });
    },
  );
  outgoing.once('error', (cause) => reject(new Error(`${url} cannot be fetched`, { cause })));
  outgoing.end();
  return promise;
}
