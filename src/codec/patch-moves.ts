/**
 * What a JSON patch costs the API server where it inserts into a list or removes from one: the list is copied each time,
 * which for a million items takes it ten milliseconds, and it goes on when its client is gone. A patch of ten thousand
 * insertions at the front of a list that it brings itself holds up one of its cores for minutes.
 */
import { ApiError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

/** Of one patch, whatever lists the object has. */
const MAX_MOVES = 500;
/** Items that are copied for lists that the patch brings: about a quarter of a second. */
const MAX_COPIED_ITEMS = 20_000_000;
const MOVING: ReadonlySet<unknown> = new Set(['add', 'remove', 'move', 'copy']);
/** A place in a list; the end of it costs nothing. */
const IN_LIST = /\/-?\d+$/;

/** @throws {ApiError} ERR_TOO_LARGE */
export function refuseManyMoves(operations: readonly JsonObject[]): void {
  let moves = 0;
  let longest = operations.length;
  for (const { op, path, from, value = null } of operations) {
    if (MOVING.has(op) && IN_LIST.test(String(path))) moves += 1;
    if (op === 'move' && IN_LIST.test(String(from))) moves += 1;
    longest = Math.max(longest, longestIn(value));
  }
  if (moves <= MAX_MOVES && moves * longest <= MAX_COPIED_ITEMS) return;
  throw new ApiError(
    'ERR_TOO_LARGE',
    `Request entity too large: a JSON patch may insert and remove ${Math.min(MAX_MOVES, Math.floor(MAX_COPIED_ITEMS / longest))} items by their places in lists, got ${moves}; replace the list as a whole`,
  );
}

function longestIn(value: JsonValue): number {
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return parts.reduce((most: number, part) => Math.max(most, longestIn(part)), Array.isArray(value) ? value.length : 0);
}
