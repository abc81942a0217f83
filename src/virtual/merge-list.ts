/**
 * Lists in strategic merge patch: merged by key or as sets, and put in order.
 *
 * Order: the patch's own items stand in the order that the patch says, the server's own in the live order, and where
 * both are known to the live list they interleave as there.
 *
 * @see https://git.k8s.io/design-proposals-archive/cli/preserve-order-in-strategic-merge-patch.md
 * @see k8s.io/apimachinery pkg/util/strategicpatch/patch.go at v0.36
 */
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { isDeletion, isDirective, PATCH, PatchError, REPLACE, withoutDirectives } from './patch-directives.ts';
import type { PatchSchema } from './patch-schema.ts';

export type MergeMap = (original: JsonObject, patch: JsonObject, schema: PatchSchema) => JsonObject;

export interface Ordered {
  readonly live: JsonValue[] | undefined;
  readonly wanted: JsonValue[] | undefined;
  /** The value of `$setElementOrder/...`. */
  readonly order: JsonValue[];
  readonly field: PatchSchema;
  readonly mergeMap: MergeMap;
}

/** The list that a `$setElementOrder` speaks of, merged and ordered; undefined when there is none. */
export function orderElements({ live, wanted, order, field, mergeMap }: Ordered): JsonValue[] | undefined {
  const key = field.mergeKey ?? '';
  agreesWithOrder(wanted ?? [], order, key);
  let merged: JsonValue[];
  if (live === undefined && wanted === undefined) return undefined;
  if (wanted === undefined) merged = live ?? [];
  else if (live === undefined) merged = withoutDirectives(wanted) as JsonValue[];
  else if (field.strategy?.split(',').includes('merge')) merged = mergeSlice(live, wanted, field, mergeMap, false);
  else merged = wanted;
  const maps = elementsAreMaps([...(live ?? []), ...(wanted ?? [])]);
  // kube-apiserver panics on this one.
  if (maps && key === '') throw new PatchError('internal', 'cannot order a list of maps that has no merge key');
  const [mine, servers] = partition(merged, order, key);
  return normalized(mine, servers, order, live ?? [], maps ? key : undefined);
}

/**
 * Two lists of one type, merged.
 * @param deleting `patch` lists scalars to take out
 */
export function mergeSlice(
  original: JsonValue[],
  patch: JsonValue[],
  field: PatchSchema,
  mergeMap: MergeMap,
  deleting: boolean,
): JsonValue[] {
  if (original.length === 0 && patch.length === 0) return original;
  const maps = elementsAreMaps([...original, ...patch]);
  const key = field.mergeKey ?? '';
  let live = original;
  let own = patch;
  let merged: JsonValue[];
  if (!maps) {
    if (deleting) return original.filter((item) => !patch.includes(item));
    merged = unique([...original, ...patch]);
  } else {
    if (key === '') throw new PatchError('internal', 'cannot merge lists without merge key for struct');
    [live, own] = withoutSpecial(original as JsonObject[], patch as JsonObject[], key);
    merged = mergedByKey(live as JsonObject[], own as JsonObject[], key, field.items ?? {}, mergeMap);
  }
  const [mine, servers] = partition(merged, own, key);
  return normalized(mine, servers, own, live, maps ? key : undefined);
}

/** Takes entries with `$patch` out of the patch, and does what they say. */
function withoutSpecial(original: JsonObject[], patch: JsonObject[], key: string): [JsonObject[], JsonObject[]] {
  let live = original;
  let replace = false;
  const rest: JsonObject[] = [];
  for (const item of patch) {
    if (!isDirective(item)) rest.push(item);
    else if (item[PATCH] === 'delete') {
      const value = keyOf(item, key);
      live = live.filter((one) => one[key] !== value);
    } else if (item[PATCH] === REPLACE) replace = true;
    else if (item[PATCH] === 'merge') {
      throw new PatchError('internal', 'merging lists cannot yet be specified in the patch');
    } else throw new PatchError('internal', `unknown patch type: ${item[PATCH]} in map: ${JSON.stringify(item)}`);
  }
  return replace ? [rest, []] : [live, rest];
}

function mergedByKey(
  live: readonly JsonObject[],
  own: readonly JsonObject[],
  key: string,
  items: PatchSchema,
  mergeMap: MergeMap,
): JsonObject[] {
  const merged = [...live];
  for (const item of own) {
    const value = keyOf(item, key);
    const at = merged.findIndex((one) => one[key] === value);
    const found = merged[at];
    if (found === undefined) merged.push(item);
    else merged[at] = mergeMap(found, item, items);
  }
  return merged;
}

/** Items of the patch's list must stand in the order that its `$setElementOrder` gives. */
function agreesWithOrder(wanted: readonly JsonValue[], order: readonly JsonValue[], key: string): void {
  if (order.length === 0 || wanted.length === 0) return;
  const items = key === '' ? wanted : wanted.filter((item) => !isDeletion(item));
  let at = 0;
  let orderAt = 0;
  while (at < items.length && orderAt < order.length) {
    const item = items[at];
    if (item !== undefined && isDirective(item)) {
      at++;
      continue;
    }
    if (sameKey(item, order[orderAt], key)) at++;
    orderAt++;
  }
  if (at < items.length && orderAt >= order.length) {
    throw new PatchError(
      'internal',
      `The order in patch list:\n${JSON.stringify(wanted)}\n doesn't match $setElementOrder list:\n${JSON.stringify(order)}\n`,
    );
  }
}

function sameKey(a: JsonValue | undefined, b: JsonValue | undefined, key: string): boolean {
  if (key === '') return a === b;
  return keyOf(a, key) === keyOf(b, key);
}

/** Items that `by` names, and the others. */
function partition(items: JsonValue[], by: readonly JsonValue[], key: string): [JsonValue[], JsonValue[]] {
  const named = (item: JsonValue): boolean => {
    if (key === '') return by.includes(item);
    const value = keyOf(item, key);
    return by.some((one) => {
      if (!isObject(one)) throw new PatchError('internal', 'value for key is not a map');
      return Object.hasOwn(one, key) && one[key] === value;
    });
  };
  return [items.filter(named), items.filter((item) => !named(item))];
}

/** @param key the merge key, or undefined for a list of scalars */
function normalized(
  mine: JsonValue[],
  servers: JsonValue[],
  order: readonly JsonValue[],
  liveOrder: readonly JsonValue[],
  key: string | undefined,
): JsonValue[] {
  return interleaved(sorted(servers, liveOrder, key), sorted(mine, order, key), liveOrder, key);
}

function sorted(items: JsonValue[], order: readonly JsonValue[], key: string | undefined): JsonValue[] {
  if (key === undefined) return byPosition(items, order, key);
  for (const item of [...items, ...order]) keyOf(item, key);
  return [
    ...byPosition(
      items.filter((item) => !isDeletion(item)),
      order,
      key,
    ),
    ...items.filter(isDeletion),
  ];
}

/** By insertion, as an unknown item counts as smaller than any: the order that kube-apiserver gives then. */
function byPosition(items: JsonValue[], order: readonly JsonValue[], key: string | undefined): JsonValue[] {
  const known = items.map((item) => ({ item, at: position(order, item, key) }));
  for (let end = 1; end < known.length; end++) {
    for (let at = end; at > 0; at--) {
      const [left, right] = [known[at - 1], known[at]];
      if (left === undefined || right === undefined) break;
      if (left.at >= 0 && right.at >= 0 && right.at >= left.at) break;
      known[at - 1] = right;
      known[at] = left;
    }
  }
  return known.map(({ item }) => item);
}

/** Puts each server's item before the first of the patch's that stands behind it in the live list. */
function interleaved(
  servers: readonly JsonValue[],
  mine: readonly JsonValue[],
  liveOrder: readonly JsonValue[],
  key: string | undefined,
): JsonValue[] {
  const out: JsonValue[] = [];
  let server = 0;
  for (const item of mine) {
    const at = position(liveOrder, item, key);
    while (server < servers.length) {
      const serverAt = position(liveOrder, servers[server] ?? null, key);
      if (at < 0 || serverAt < 0 || serverAt >= at) break;
      out.push(servers[server++] ?? null);
    }
    out.push(item);
  }
  return [...out, ...servers.slice(server)];
}

function position(list: readonly JsonValue[], item: JsonValue, key: string | undefined): number {
  if (key === undefined) return list.indexOf(item);
  const value = isObject(item) ? item[key] : undefined;
  return list.findIndex((one) => (isObject(one) ? one[key] : undefined) === value);
}

/** The value of an item's merge key. @throws {PatchError} when there is none. */
function keyOf(item: JsonValue | undefined, key: string): JsonValue {
  if (!isObject(item)) throw new PatchError('internal', 'expected a map, but received another type');
  const value = Object.hasOwn(item, key) ? item[key] : undefined;
  if (value === undefined) {
    throw new PatchError('internal', `map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
  }
  return value;
}

/** All elements must be of one type, and that not a list. */
function elementsAreMaps(elements: readonly JsonValue[]): boolean {
  const [first, ...others] = elements.map((element) => (Array.isArray(element) ? 'list' : typeof element));
  if (first === undefined) throw new PatchError('internal', 'no elements in any of the given slices');
  if (first === 'list') throw new PatchError('invalid', 'lists of lists are not supported');
  if (others.some((type) => type !== first)) throw new PatchError('internal', 'list element types are not identical');
  return first === 'object';
}

/** Without duplicates, leaving the items where kube-apiserver's own algorithm leaves them. */
function unique(items: JsonValue[]): JsonValue[] {
  for (let at = 0; at < items.length; at++) {
    for (let other = at + 1; other < items.length; other++) {
      if (items[at] !== items[other]) continue;
      const last = items.pop() as JsonValue;
      if (other < items.length) items[other] = last;
      other--;
    }
  }
  return items;
}
