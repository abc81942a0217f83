/**
 * The objects of a view by their keys, and in the order of keys: that of the API server's lists. Each change is told as
 * what it was before and is now.
 *
 * The order is kept in chunks that are never changed, only replaced: whoever reads a state keeps it for as long as it
 * reads, and what was made of a chunk (its text) serves until one of its objects changes.
 */
import { compareVersions, keyOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { Change } from './changes.ts';
import { Chunk } from './chunk.ts';
import { Item, type ItemType } from './item.ts';

/** A chunk is made this large, and split at twice of it. */
const CHUNK_ITEMS = 64;

export class Objects {
  readonly #type: ItemType;
  #items = new Map<string, Item>();
  #chunks: readonly Chunk[] = [];
  #bytes = 0;

  constructor(type: ItemType) {
    this.#type = type;
  }

  get bytes(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.madeBytes, this.#bytes);
  }

  get(key: string): Item | undefined {
    return this.#items.get(key);
  }

  /** In the order of keys. */
  get chunks(): readonly Chunk[] {
    return this.#chunks;
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
    if (!isDeletion || previous !== undefined) this.#place(key, isDeletion ? [] : [item], previous !== undefined);
    return new Change(item, previous, isDeletion, this.#type);
  }

  /**
   * Puts what was read in the place of what is known.
   * @param known revision of what is known
   * @returns what must have happened in between: first what is gone, as of what is known, for when it went is not known;
   *   then the others, in the order of revisions
   */
  replace(objects: ReadonlyArray<JsonObject | Item>, known: string): Change[] {
    const before = this.#items;
    this.#items = new Map();
    this.#bytes = 0;
    const changes: Change[] = [];
    for (const object of objects) {
      const item = object instanceof Item ? object : new Item(object, this.#type);
      this.#items.set(item.key, item);
      this.#bytes += item.bytes;
      changes.push(...this.#between(before.get(item.key), item, known));
    }
    for (const [key, item] of before) {
      if (!this.#items.has(key)) changes.push(this.#deletion(item, known));
    }
    const ordered = [...this.#items.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    this.#chunks = Array.from(
      { length: Math.ceil(ordered.length / CHUNK_ITEMS) },
      (_, at) => new Chunk(ordered.slice(at * CHUNK_ITEMS, (at + 1) * CHUNK_ITEMS), this.#type),
    );
    return changes.sort((a, b) => Number(b.isFound) - Number(a.isFound) || compareVersions(a.version, b.version));
  }

  #between(previous: Item | undefined, item: Item, known: string): Change[] {
    if (previous?.version === item.version) return [];
    if (previous === undefined || previous.uid === item.uid) return [new Change(item, previous, false, this.#type)];
    // Another object of the same name: the one before has been deleted.
    return [this.#deletion(previous, known), new Change(item, undefined, false, this.#type)];
  }

  #deletion(item: Item, version: string): Change {
    return new Change(item.at(version, this.#type), item, true, this.#type, true);
  }

  /** Puts these at the key's place, instead of the one that is there. */
  #place(key: string, items: readonly Item[], isThere: boolean): void {
    const at = Math.max(0, firstWhere(this.#chunks, (chunk) => chunk.firstKey > key) - 1);
    const old = this.#chunks[at]?.items ?? [];
    const place = firstWhere(old, (item) => item.key >= key);
    const all = old.toSpliced(place, isThere ? 1 : 0, ...items);
    const half = all.length > 2 * CHUNK_ITEMS ? CHUNK_ITEMS : all.length;
    const chunks = [all.slice(0, half), all.slice(half)].filter((part) => part.length > 0);
    this.#chunks = this.#chunks.toSpliced(at, 1, ...chunks.map((part) => new Chunk(part, this.#type)));
  }
}

/** Where the first is for which it holds, of an array where it holds for all that follow; else the end. */
function firstWhere<T>(all: readonly T[], holds: (one: T) => boolean): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(all[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
