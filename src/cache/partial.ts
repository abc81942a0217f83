/**
 * An object's metadata alone, as `PartialObjectMetadata`: made once of each version of it, whoever reads it then. What
 * watches only names, labels or owners of a kind (garbage collectors, backup, policy engines) asks for no more.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
 */
import { readObject, stringifyJson } from '../codec/json.ts';
import type { SharedEvent, SharedObject, SharedText } from '../exchange.ts';
import { metadataOf } from '../k8s/meta.ts';
import { PARTIAL } from '../k8s/shapes.ts';
import type { JsonObject } from '../k8s/types.ts';

/** `meta.k8s.io/v1`, or `v1beta1` of it: what the metadata is asked for as. */
export type PartialApiVersion = `meta.k8s.io/${string}`;

export class PartialObject implements SharedObject {
  readonly apiVersion: PartialApiVersion;
  readonly kind = PARTIAL;
  readonly json: Buffer;
  readonly forms = new Map<string, Uint8Array>();

  constructor(of: SharedObject, apiVersion: PartialApiVersion) {
    this.apiVersion = apiVersion;
    this.json = Buffer.from(stringifyJson({ kind: PARTIAL, apiVersion, metadata: metadataOf(of.object) }));
  }

  /** Freshly parsed. */
  get object(): JsonObject {
    return readObject(this.json);
  }
}

export class PartialEvent implements SharedEvent {
  readonly type: SharedEvent['type'];
  readonly of: SharedObject;
  readonly forms = new Map<string, Uint8Array>();

  constructor(type: SharedEvent['type'], of: SharedObject) {
    this.type = type;
    this.of = of;
  }

  get object(): JsonObject {
    return this.of.object;
  }
}

/** Of the objects of a chunk, with commas between them. */
export class PartialText implements SharedText {
  readonly items: readonly SharedObject[];
  readonly text: Buffer;
  readonly forms = new Map<string, unknown>();

  /** @param items at least one */
  constructor(items: readonly SharedObject[]) {
    this.items = items;
    this.text = commaJoined(items);
  }
}

/** As they stand in a list: each says what it is. */
export function commaJoined(items: readonly SharedObject[]): Buffer {
  return Buffer.concat(items.flatMap(({ json }, at) => (at === 0 ? [json] : [COMMA, json])));
}

const COMMA = Buffer.from(',');
