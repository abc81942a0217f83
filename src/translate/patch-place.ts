/**
 * Where a JSON pointer leads in the tree of references: to nothing that is mapped, to a node whose value is mapped, or
 * inside a value that is only mapped as a whole.
 */
import { forbiddenField } from '../k8s/field-problems.ts';
import type { JsonValue } from '../k8s/types.ts';
import type { Target } from '../kinds/kind.ts';
import { isOwn } from './own-keys.ts';
import { mapTarget } from './targets/map.ts';
import { isBlank, type Node } from './tree.ts';
import { NeedsLiveObject, type Walk } from './walk.ts';

export interface Place {
  /** The path as upstream names it. */
  readonly tokens: readonly string[];
  /** Maps a value that is written here; absent where nothing is mapped, at or below. */
  readonly map?: (value: JsonValue) => JsonValue;
}

const INDEX = /^(?:-|-?\d+)$/;

/** @throws {NeedsLiveObject} inside a value that is mapped as a whole */
export function placeIn(tokens: readonly string[], root: Node, walk: Walk): Place {
  const mapped: string[] = [];
  let node: Node | undefined = root;
  for (const [at, token] of tokens.entries()) {
    if (node === undefined) break;
    if (node.target !== undefined) return insidePlace(tokens, at, node.target, mapped, walk);
    if (node.keys !== undefined) {
      mapped.push(String(mapTarget(token, node.keys, walk)));
      node = node.fields.get(token) ?? node.values;
    } else {
      mapped.push(token);
      node = node.fields.get(token) ?? node.values ?? (INDEX.test(token) ? node.items : undefined);
    }
  }
  const rest = tokens.slice(mapped.length);
  if (node === undefined || isBlank(node)) return { tokens: [...mapped, ...rest] };
  const target = node;
  return { tokens: mapped, map: (value) => walk.step(`.${tokens.join('.')}`, value, target) };
}

/** True when the path leads to, into or around a place of the tree. */
export function touches(tokens: readonly string[], root: Node): boolean {
  let node: Node | undefined = root;
  for (const token of tokens) {
    if (node === undefined || isBlank(node)) return false;
    if (node.target !== undefined) return true;
    node = node.fields.get(token) ?? node.values ?? (INDEX.test(token) ? node.items : undefined);
  }
  return !isBlank(node);
}

/** Fields of references that can be mapped without the others, and those that mean nothing to the proxy. */
const LONE_FIELDS: Readonly<Record<string, Target['is']>> = {
  namespace: 'namespace',
  apiVersion: 'apiVersion',
  apiGroup: 'group',
};
const LOCAL_FIELDS = new Set(['uid', 'resourceVersion', 'fieldPath']);

function insidePlace(
  tokens: readonly string[],
  at: number,
  target: Target,
  mapped: readonly string[],
  walk: Walk,
): Place {
  const [field = '', key, ...deeper] = tokens.slice(at);
  const here = [...mapped, ...tokens.slice(at)];
  if (target.is === 'objectReference' && key === undefined) {
    if (LOCAL_FIELDS.has(field)) return { tokens: here };
    const is = Object.hasOwn(LONE_FIELDS, field) ? LONE_FIELDS[field] : undefined;
    if (is !== undefined) return { tokens: here, map: (value) => mapTarget(value, { is } as Target, walk) };
  }
  if (
    target.is === 'special' &&
    target.name === 'templateMetadata' &&
    (field === 'labels' || field === 'annotations')
  ) {
    if (key !== undefined && deeper.length === 0) {
      refuseOwnKey(key, tokens, walk);
      return { tokens: here };
    }
  }
  throw new NeedsLiveObject(`/${tokens.join('/')} is a part of what is mapped as a whole`);
}

/** @throws {ApiError} ERR_INVALID for a label or annotation of ours */
export function refuseOwnKey(key: string, tokens: readonly string[], walk: Walk): void {
  if (isOwn(key)) walk.refuse((field) => forbiddenField(field, 'reserved'), tokens.join('.'));
}
