/**
 * Documents that were made for a tenant, printed, for as long as what they were made of has not changed. To make one takes
 * up to a second of the process; kubectl asks for it with every command that checks what it sends.
 */
import { LRUCache } from 'lru-cache';
import { stringifyJson } from '../codec/json.ts';
import type { JsonObject } from '../k8s/types.ts';
import { hashOf } from './source.ts';

export interface Printed {
  /** Of its contents: nothing can be told from it of another tenant's. */
  readonly tag: string;
  readonly bytes: Uint8Array;
}

export interface PrintedDocuments {
  /**
   * @param key of all that the document is made of, and its form
   * @param encode the form; JSON when left out
   */
  get(key: string, make: () => JsonObject, encode?: (document: JsonObject) => Uint8Array): Printed;
}

const KEPT_BYTES = 64 * 1024 * 1024;

export function createPrintedDocuments(): PrintedDocuments {
  const kept = new LRUCache<string, Printed>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes.byteLength + 1,
  });
  return {
    get(key, make, encode) {
      const known = kept.get(key);
      if (known !== undefined) return known;
      const document = make();
      const json = Buffer.from(stringifyJson(document));
      // One tag for both forms, as kube-apiserver has it: the header Vary tells them apart.
      const printed = { tag: hashOf(json), bytes: encode === undefined ? json : encode(document) };
      kept.set(key, printed);
      return printed;
    },
  };
}
