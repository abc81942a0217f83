/** Some objects that follow each other in a list, and their text as it stands in one: made once, and shared. */
import type { SharedText } from '../exchange.ts';
import type { Item, ItemType } from './item.ts';
import { type PartialApiVersion, PartialText } from './partial.ts';

export class Chunk implements SharedText {
  readonly items: readonly Item[];
  readonly forms = new Map<string, unknown>();
  readonly #type: ItemType;
  #text: Buffer | undefined;
  readonly #partials = new Map<PartialApiVersion, PartialText>();

  /** @param items at least one */
  constructor(items: readonly Item[], type: ItemType) {
    this.items = items;
    this.#type = type;
  }

  get firstKey(): string {
    return (this.items[0] as Item).key;
  }

  /** What was made of it, roughly: its text, the same in other encodings, and those compressed. */
  get madeBytes(): number {
    let bytes = this.#text?.length ?? 0;
    for (const form of this.forms.values()) bytes += hasText(form) ? form.text.length : bytes / 4;
    for (const partial of this.#partials.values()) bytes += partial.madeBytes;
    return Math.ceil(bytes);
  }

  /** The same of their metadata alone. */
  partial(apiVersion: PartialApiVersion): PartialText {
    let partial = this.#partials.get(apiVersion);
    if (partial === undefined) {
      partial = new PartialText(() => this.items.map((item) => item.partial(apiVersion)));
      this.#partials.set(apiVersion, partial);
    }
    return partial;
  }

  /** Those of its objects that are picked: itself where they all are; undefined when none is. */
  picked(isPicked: (item: Item) => boolean): Chunk | undefined {
    const items = this.items.filter(isPicked);
    if (items.length === this.items.length) return this;
    return items.length === 0 ? undefined : new Chunk(items, this.#type);
  }

  /** The objects, with commas between them. */
  get text(): Buffer {
    this.#text ??= joined(this.items, this.#type);
    return this.#text;
  }
}

/** Objects as they stand in a list, with commas between them. */
function joined(items: readonly Item[], type: ItemType): Buffer {
  const pieces: Uint8Array[] = [];
  for (const item of items) {
    if (pieces.length > 0) pieces.push(COMMA);
    // Items of a list of a built-in kind do not say what they are: the list does.
    if (type.isTypedInLists) pieces.push(item.json);
    else pieces.push(BRACE, item.json.subarray(item.typeBytes));
  }
  return Buffer.concat(pieces);
}

const COMMA = Buffer.from(',');
const BRACE = Buffer.from('{');

function hasText(form: unknown): form is { readonly text: Uint8Array } {
  return typeof form === 'object' && form !== null && 'text' in form && form.text instanceof Uint8Array;
}
