/**
 * The objects of a view by their keys, and in the order of keys: that of the API server's lists. Each change is told as
 * what it was before and is now.
 */
import { compareVersions, keyOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { Change } from './changes.ts';
import { Item, type ItemType } from './item.ts';

export class Objects {
  readonly #type: ItemType;
  #items = new Map<string, Item>();
  #keys: string[] = [];
  /** Made when it is asked for; whoever has it keeps it, so it is never changed. */
  #ordered: readonly Item[] | undefined;
  #bytes = 0;

  constructor(type: ItemType) {
    this.#type = type;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Item | undefined {
    return this.#items.get(key);
  }

  inOrder(): readonly Item[] {
    this.#ordered ??= this.#keys.map((key) => this.#items.get(key) as Item);
    return this.#ordered;
  }

  /** @param object in tenant terms: as it is now, or as it was last, at the revision of its deletion */
  put(object: JsonObject, isDeletion: boolean): Change {
    const key = keyOf(object);
    const previous = this.#items.get(key);
    const item = new Item(object, this.#type);
    this.#bytes -= previous?.bytes ?? 0;
    if (isDeletion) this.#items.delete(key);
    else {
      this.#items.set(key, item);
      this.#bytes += item.bytes;
    }
    if ((previous === undefined) !== isDeletion) {
      const place = placeOf(this.#keys, key);
      if (isDeletion) this.#keys.splice(place, 1);
      else this.#keys.splice(place, 0, key);
    }
    this.#ordered = undefined;
    return new Change(item, previous, isDeletion, this.#type);
  }

  /**
   * Puts what was read at a revision in the place of what is known.
   * @returns what must have happened in between, in the order of revisions
   */
  replace(objects: readonly JsonObject[], version: string): Change[] {
    const before = this.#items;
    this.#items = new Map();
    this.#bytes = 0;
    const changes: Change[] = [];
    for (const object of objects) {
      const item = new Item(object, this.#type);
      this.#items.set(item.key, item);
      this.#bytes += item.bytes;
      changes.push(...this.#between(before.get(item.key), item));
    }
    for (const [key, item] of before) {
      if (!this.#items.has(key)) changes.push(this.#deletion(item, version));
    }
    this.#keys = [...this.#items.keys()].sort();
    this.#ordered = undefined;
    return changes.sort((a, b) => compareVersions(a.version, b.version));
  }

  #between(previous: Item | undefined, item: Item): Change[] {
    if (previous?.version === item.version) return [];
    if (previous === undefined || previous.uid === item.uid) return [new Change(item, previous, false, this.#type)];
    // Another object of the same name: the one before has been deleted.
    return [this.#deletion(previous, item.version), new Change(item, undefined, false, this.#type)];
  }

  #deletion(item: Item, version: string): Change {
    return new Change(item.at(version, this.#type), item, true, this.#type);
  }
}

/** Where the key is in the sorted keys, or would be. */
function placeOf(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
