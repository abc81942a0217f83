/**
 * One object at one version, as its tenant sees it: the bytes that go out, and the little that selectors look at. It is
 * translated and printed once, whoever reads it then, and never changes. Parsed objects take five times the memory.
 */
import { readObject, stringifyJson } from '../codec/json.ts';
import type { SharedObject } from '../exchange.ts';
import { keyOf, labelsOf, metadataOf, namespaceOf, uidOf, versionOf } from '../k8s/meta.ts';
import { fieldsOf } from '../k8s/selectable-fields.ts';
import type { JsonObject } from '../k8s/types.ts';
import { type PartialApiVersion, PartialObject } from './partial.ts';

/** What is the same for all objects of a collection. */
export interface ItemType {
  readonly group: string;
  readonly resource: string;
  /** Of an object that does not say it itself: items of a list of a built-in kind do not. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Of a custom resource, which says what it is in a list too. */
  readonly isTypedInLists: boolean;
}

export class Item implements SharedObject {
  /** `web/app`, or `reader` for a cluster-scoped object. */
  readonly key: string;
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly version: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, unknown>>;
  /** What field selectors may ask for. */
  readonly fields: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly kind: string;
  /** The whole object, as JSON; of a built-in kind it begins with what it is, in so many bytes. */
  readonly json: Buffer;
  readonly typeBytes: number;
  #forms: Map<string, Uint8Array> | undefined;
  #partials: Map<PartialApiVersion, PartialObject> | undefined;

  /** @param object in tenant terms */
  constructor(object: JsonObject, type: ItemType) {
    this.key = keyOf(object);
    this.namespace = namespaceOf(object);
    this.version = versionOf(object);
    this.uid = uidOf(object);
    this.labels = { ...labelsOf(object) };
    this.fields = fieldsOf(object, type.group, type.resource);
    const { kind = type.kind, apiVersion = type.apiVersion, ...rest } = object;
    // Of the collection's own kind: then all have the same text.
    this.kind = kind === type.kind ? type.kind : String(kind);
    this.apiVersion = apiVersion === type.apiVersion ? type.apiVersion : String(apiVersion);
    if (type.isTypedInLists) {
      this.json = Buffer.from(stringifyJson(object));
      this.typeBytes = 0;
      return;
    }
    const named = `{"kind":${stringifyJson(kind)},"apiVersion":${stringifyJson(apiVersion)},`;
    this.json = Buffer.from(named + stringifyJson(rest).slice(1));
    this.typeBytes = Buffer.byteLength(named);
  }

  get bytes(): number {
    return this.json.length + OVERHEAD_BYTES;
  }

  /** Most are never asked for in another form. */
  get forms(): Map<string, Uint8Array> {
    this.#forms ??= new Map();
    return this.#forms;
  }

  /** Its metadata alone. */
  partial(apiVersion: PartialApiVersion): PartialObject {
    this.#partials ??= new Map();
    let partial = this.#partials.get(apiVersion);
    if (partial === undefined) {
      partial = new PartialObject(this, apiVersion);
      this.#partials.set(apiVersion, partial);
    }
    return partial;
  }

  /** Freshly parsed: the caller's to change. */
  get object(): JsonObject {
    return readObject(this.json);
  }

  /** The same object, last seen at another revision: what left a selection, or was found to be gone. */
  at(version: string, type: ItemType): Item {
    const { object } = this;
    metadataOf(object)['resourceVersion'] = version;
    return new Item(object, type);
  }
}

/** Key, labels and fields, roughly. */
const OVERHEAD_BYTES = 1_024;
