/**
 * Sealed texts: a small JSON document that only the proxy can read, and that cannot be altered (A256GCM). Replicas share
 * the key, which is a Secret on the host; with several keys the first seals and all of them open, so that it can rotate.
 *
 * @see RFC 7516, JWE compact serialisation with direct encryption
 */

import { CompactEncrypt, compactDecrypt } from 'jose';
import type { JsonObject } from '../k8s/types.ts';
import { readObject } from './json.ts';

export interface Sealer {
  seal(document: JsonObject): Promise<string>;
  /** Undefined when the text was not sealed here or was altered. */
  open(text: string): Promise<JsonObject | undefined>;
}

const HEADER = { alg: 'dir', enc: 'A256GCM' } as const;
const TEXT_BYTES = 8_192;

/** @param keys 32 bytes each; the first one seals. */
export function createSealer(keys: readonly Uint8Array[]): Sealer {
  const [first] = keys;
  if (first === undefined || keys.some((key) => key.byteLength !== 32))
    throw new TypeError('a seal needs keys of 32 bytes');
  return {
    seal: (document) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(document))).setProtectedHeader(HEADER).encrypt(first),
    async open(text) {
      if (text.length > TEXT_BYTES) return undefined;
      for (const key of keys) {
        try {
          const { plaintext } = await compactDecrypt(text, key, {
            keyManagementAlgorithms: [HEADER.alg],
            contentEncryptionAlgorithms: [HEADER.enc],
          });
          return readObject(plaintext);
        } catch {
          // Sealed with another key, or not by us.
        }
      }
      return undefined;
    },
  };
}
