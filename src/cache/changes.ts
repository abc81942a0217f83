/**
 * What happened to an object, and what it means to a watch that looks at some objects only: one that begins to match
 * comes (ADDED), one that no longer does is gone (DELETED, as it last matched, at the revision of the change).
 *
 * An event is made once and shared by every watch that sees it, and so is each form in which it goes out.
 *
 * @see k8s.io/apiserver pkg/storage/cacher/cache_watcher.go at v0.36, convertToWatchEvent
 */
import type { SharedEvent } from '../exchange.ts';
import type { FieldSelector, LabelSelector } from '../k8s/selector.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Item, ItemType } from './item.ts';
import { type PartialApiVersion, PartialEvent } from './partial.ts';

export interface Selection {
  readonly label: LabelSelector;
  readonly field: FieldSelector;
}

export function selects({ label, field }: Selection, item: Item): boolean {
  return label.matches(item.labels) && field.matches(item.fields);
}

export class ItemEvent implements SharedEvent {
  readonly type: SharedEvent['type'];
  readonly forms = new Map<string, Uint8Array>();
  readonly of: Item;
  #partials: Map<PartialApiVersion, PartialEvent> | undefined;

  constructor(type: SharedEvent['type'], item: Item) {
    this.type = type;
    this.of = item;
  }

  get object(): JsonObject {
    return this.of.object;
  }

  /** The same of its metadata alone. */
  partial(apiVersion: PartialApiVersion): PartialEvent {
    this.#partials ??= new Map();
    let partial = this.#partials.get(apiVersion);
    if (partial === undefined) {
      partial = new PartialEvent(this.type, this.of.partial(apiVersion));
      this.#partials.set(apiVersion, partial);
    }
    return partial;
  }
}

export class Change {
  readonly version: string;
  readonly #item: Item;
  readonly #previous: Item | undefined;
  readonly #isDeletion: boolean;
  /**
   * True for a deletion that was found by reading everything again: when it was is not known. It is told as of the revision
   * from before, so that whoever goes on from there is not taken to know of it.
   */
  readonly isFound: boolean;
  readonly #type: ItemType;
  readonly #events = new Map<string, ItemEvent>();

  /** @param item as it is now, or as it last was, at the revision of its deletion */
  constructor(item: Item, previous: Item | undefined, isDeletion: boolean, type: ItemType, isFound = false) {
    this.version = item.version;
    this.#item = item;
    this.#previous = previous;
    this.#isDeletion = isDeletion;
    this.isFound = isFound;
    this.#type = type;
  }

  /** What it may hold in memory: the object, and the event in one form. */
  get bytes(): number {
    return 2 * this.#item.bytes + (this.#previous?.bytes ?? 0);
  }

  /** Undefined when it is nothing to this selection. */
  for(selection: Selection): ItemEvent | undefined {
    const before = this.#previous !== undefined && selects(selection, this.#previous);
    const now = !this.#isDeletion && selects(selection, this.#item);
    if (now) return this.#event(before ? 'MODIFIED' : 'ADDED', () => this.#item);
    if (!before) return undefined;
    // A deletion tells the object's last state; what only left the selection, the state that was in it.
    if (this.#isDeletion && selects(selection, this.#item)) return this.#event('DELETED', () => this.#item);
    return this.#event('LEFT', () => (this.#previous as Item).at(this.version, this.#type));
  }

  #event(type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'LEFT', item: () => Item): ItemEvent {
    let event = this.#events.get(type);
    if (event === undefined) {
      event = new ItemEvent(type === 'LEFT' ? 'DELETED' : type, item());
      this.#events.set(type, event);
    }
    return event;
  }
}
