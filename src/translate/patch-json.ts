/**
 * JSON Patch in upstream terms: paths (map keys can hold a reference) and values. A `move` or `copy` stays one where
 * nothing at its two ends is mapped. What cannot be said without the object throws NeedsLiveObject.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
import { formatPointer, parsePointer } from '../k8s/json-pointer.ts';
import { apiVersionOf, isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { refuseVastAmountAt } from './amounts.ts';
import { refuseListLike } from './list-likes.ts';
import { metadataPlace } from './patch-metadata.ts';
import { type Place, placeIn, touches } from './patch-place.ts';
import { isPodClientPlace } from './pod-client.ts';
import type { Scope } from './scope.ts';
import { mapTarget } from './targets/map.ts';
import { type Tree, treeOf } from './tree.ts';
import { unappliable } from './unappliable.ts';
import { NeedsLiveObject, Walk } from './walk.ts';

const WITH_VALUE = new Set(['add', 'replace', 'test']);
const WITH_FROM = new Set(['move', 'copy']);

/** @throws {ApiError} ERR_INVALID for what is no operation of a JSON patch, and for what may not be written */
export function jsonPatchToUpstream(
  operations: readonly JsonValue[],
  at: KindAtVersion,
  scope: Scope,
  subresource: string,
  name: string,
): JsonValue[] {
  const tree = treeOf(at.kind, subresource);
  return operations.map((operation) => {
    if (!isObject(operation)) throw unappliable('an operation is not an object');
    const walk = new Walk(true, {}, at, scope, 'whole', mapTarget);
    walk.named = name;
    if (subresource === '' || at.kind.subresources[subresource]?.kind === undefined) refuseAmounts(operation, walk);
    return operationUp(operation, tree, walk);
  });
}

function refuseAmounts(operation: JsonObject, walk: Walk): void {
  const { op, value } = operation;
  const isMove = WITH_FROM.has(op as string);
  if (isMove || WITH_VALUE.has(op as string)) {
    refuseVastAmountAt(pointer(operation, 'path'), isMove ? undefined : (value ?? null), walk.at, walk);
  }
}

function operationUp(operation: JsonObject, tree: Tree, walk: Walk): JsonObject {
  const { op, value } = operation;
  const tokens = pointer(operation, 'path');
  if (typeof op !== 'string') throw unappliable('an operation has no op');
  const place = placeOf(tokens, op, tree, walk);
  if (WITH_FROM.has(op)) {
    const source = placeOf(pointer(operation, 'from'), 'copy', tree, walk);
    if (place.map !== undefined || source.map !== undefined)
      throw new NeedsLiveObject(`${op} of a field that is mapped`);
    return { op, from: formatPointer(source.tokens), path: formatPointer(place.tokens) };
  }
  if (op === 'remove') return { op, path: formatPointer(place.tokens) };
  if (!WITH_VALUE.has(op)) throw unappliable(`${JSON.stringify(op)} is no operation`);
  if (op === 'test' && touches(tokens, tree.messages)) throw new NeedsLiveObject('test of a text that is mapped');
  const mapped = place.map === undefined ? (value ?? null) : place.map(value ?? null);
  return { op, path: formatPointer(place.tokens), value: mapped };
}

/** Where a path leads upstream, and how a value for it is mapped. */
function placeOf(tokens: string[], op: string, tree: Tree, walk: Walk): Place {
  const [first, ...rest] = tokens;
  if (first === undefined) throw new NeedsLiveObject(`${op} of the whole object`);
  if (first === 'items' && rest.length === 0 && walk.at.kind.custom) {
    return {
      tokens,
      map: (value) => {
        refuseListLike(value, walk);
        return value;
      },
    };
  }
  if (walk.at.kind.naming?.is === 'crdName' && first === 'spec' && ['conversion', undefined].includes(rest[0])) {
    // Upstream has another conversion than the tenant.
    throw new NeedsLiveObject('a conversion');
  }
  if (first === 'metadata') return metadataPlace(rest, op, tree.references, walk);
  if (first === 'apiVersion' && rest.length === 0) {
    const { kind, version, upstreamApiVersion } = walk.at;
    const own = apiVersionOf(kind.group, version);
    return { tokens, map: (value) => (value === own ? upstreamApiVersion : value) };
  }
  if (walk.at.kind.isPodClient === true && isPodClientPlace(tokens))
    throw new NeedsLiveObject('a part of a pod that is another upstream');
  return placeIn(tokens, tree.references, walk);
}

function pointer(operation: JsonObject, field: 'path' | 'from'): string[] {
  const text = operation[field];
  const tokens = typeof text === 'string' ? parsePointer(text) : undefined;
  if (tokens === undefined) throw unappliable(`${field} is no JSON pointer`);
  return tokens;
}
