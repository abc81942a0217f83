/**
 * What a call costs, in the units of cel-go, so that an expression that the API server stops is stopped here as well.
 * @see github.com/google/cel-go interpreter/runtimecost.go; k8s.io/apiserver pkg/cel/library/cost.go at v0.36
 */
import { ListValue, MapValue, Optional, type Value } from './values.ts';

/** Of a name, a field, an index. */
export const ACCESS_COST = 1;
export const LIST_COST = 10;
export const MAP_COST = 30;
export const STRUCT_COST = 40;
const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;

/** The size that a value counts with. */
export function sizeOf(value: Value | undefined): number {
  // Bytes of UTF-8 would be code points in Go's count; units are near enough and never far above.
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue) return value.items.length;
  if (value instanceof MapValue) return value.size;
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

/** Reading one text through. */
export function textCost(value: Value | undefined, times = 1): number {
  return Math.ceil(sizeOf(value) * times * PER_CHARACTER);
}

/** Matching a text with a regular expression. */
export function matchCost(text: Value | undefined, pattern: number): number {
  return Math.ceil((1 + sizeOf(text)) * PER_CHARACTER) * Math.ceil(pattern * PER_PATTERN_CHARACTER);
}

/** Walking through a list or text, with every text in it. */
export function traversalCost(value: Value | undefined): number {
  if (value instanceof ListValue) return value.items.reduce<number>((sum, item) => sum + elementCost(item), 0);
  return textCost(value);
}

function elementCost(item: Value): number {
  return typeof item === 'string' || item instanceof Uint8Array ? textCost(item) : 1;
}
