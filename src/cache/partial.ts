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

/** Of the objects of a chunk, with commas between them: each says what it is. */
export class PartialText implements SharedText {
  readonly forms = new Map<string, unknown>();
  readonly #make: () => readonly SharedObject[];
  #items: readonly SharedObject[] | undefined;
  #text: Buffer | undefined;

  /** @param make at least one, when they are first wanted */
  constructor(make: () => readonly SharedObject[]) {
    this.#make = make;
  }

  get items(): readonly SharedObject[] {
    this.#items ??= this.#make();
    return this.#items;
  }

  get text(): Buffer {
    this.#text ??= Buffer.concat(this.items.flatMap(({ json }, at) => (at === 0 ? [json] : [COMMA, json])));
    return this.#text;
  }

  /** What has been made, roughly: each object by itself, and in the text. */
  get madeBytes(): number {
    return 2 * (this.#text?.length ?? 0);
  }
}

const COMMA = Buffer.from(',');
