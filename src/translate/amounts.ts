/**
 * Amounts (Quantities) of built-in kinds, before the host reads them. It reads `1e9999999` digit by digit: one such
 * amount holds up the API server for a quarter of a minute each time that anything reads the object, and a few more
 * digits hold it up for good. So an amount must be short, wherever the types of Kubernetes have one.
 *
 * @see k8s.io/apimachinery pkg/api/resource/quantity.go (ParseQuantity) at v0.36
 */
import { rawNumberText } from '../codec/json.ts';
import { type Field, findMessage, Kind, type Message } from '../codec/protobuf/schema.ts';
import { invalidValue } from '../k8s/field-problems.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { NeedsLiveObject, type Walk } from './walk.ts';

const MAX_LENGTH = 100;
/** An exponent of four digits or more, leading zeros included. */
const VAST = /[eE][+-]?\d{4,}$/;
const DETAIL = `must be an amount of at most ${MAX_LENGTH} characters, with an exponent of at most three digits`;

/** What a place holds: a message, a map or list of them, or an amount. */
interface Place {
  readonly field: Field;
  /** Inside the map or list. */
  readonly isItem: boolean;
}

/** @throws {ApiError} ERR_INVALID for an amount that the host should not read */
export function refuseVastAmounts(body: JsonObject, at: KindAtVersion, walk: Walk): void {
  const message = messageOf(at);
  if (message !== undefined) inMessage(body, message, '', walk);
}

/**
 * The same for one operation of a JSON patch.
 * @throws {NeedsLiveObject} for one that takes a value from elsewhere in the object to where an amount may be
 */
export function refuseVastAmountAt(
  tokens: readonly string[],
  value: JsonValue | undefined,
  at: KindAtVersion,
  walk: Walk,
): void {
  const message = messageOf(at);
  const found = message === undefined ? undefined : placeAt(tokens, message);
  if (found === undefined) return;
  if (value === undefined) {
    if (holdsAmounts(found.field, new Set())) throw new NeedsLiveObject('an amount that is taken from elsewhere');
    return;
  }
  const path = tokens.join('.');
  if (found.isItem) inItem(value, found.field, path, walk);
  else inField(value, found.field, path, walk);
}

function messageOf({ kind, version }: KindAtVersion): Message | undefined {
  return kind.custom ? undefined : findMessage({ group: kind.group, version, kind: kind.kind });
}

function inMessage(value: JsonValue, message: Message, path: string, walk: Walk): void {
  if (!isObject(value)) return;
  for (const field of message.fields) {
    if (field.inline && field.message !== undefined) inMessage(value, field.message, path, walk);
    else if (Object.hasOwn(value, field.name)) {
      inField(value[field.name] ?? null, field, path === '' ? field.name : `${path}.${field.name}`, walk);
    }
  }
}

function inField(value: JsonValue, field: Field, path: string, walk: Walk): void {
  if (field.kind !== Kind.quantity && field.message === undefined) return;
  if (field.repeated && Array.isArray(value)) {
    for (const [index, item] of value.entries()) inItem(item, field, `${path}[${index}]`, walk);
  } else if (field.map && isObject(value)) {
    for (const [key, item] of Object.entries(value)) inItem(item, field, `${path}[${key}]`, walk);
  } else inItem(value, field, path, walk);
}

function inItem(value: JsonValue, { kind, message }: Field, path: string, walk: Walk): void {
  if (message !== undefined) inMessage(value, message, path, walk);
  else if (kind === Kind.quantity) refuseVast(value, path, walk);
}

function refuseVast(value: JsonValue, path: string, walk: Walk): void {
  const text = typeof value === 'string' ? value.trim() : (rawNumberText(value) ?? JSON.stringify(value));
  if (text.length <= MAX_LENGTH && !VAST.test(text)) return;
  walk.refuse(() => invalidValue(path, text.slice(0, MAX_LENGTH), DETAIL));
}

function placeAt(tokens: readonly string[], root: Message): Place | undefined {
  let message: Message | undefined = root;
  let place: Place | undefined;
  for (const token of tokens) {
    if (place !== undefined && !place.isItem && (place.field.repeated || place.field.map)) {
      place = { field: place.field, isItem: true };
    } else {
      const field: Field | undefined = message === undefined ? undefined : fieldOf(message, token);
      if (field === undefined) return undefined;
      place = { field, isItem: false };
    }
    message = place.field.message;
  }
  return place;
}

function fieldOf({ fields }: Message, name: string): Field | undefined {
  for (const field of fields) {
    const found = field.inline && field.message !== undefined ? fieldOf(field.message, name) : undefined;
    if (found !== undefined) return found;
    if (!field.inline && field.name === name) return field;
  }
  return undefined;
}

/** Whether there may be an amount here or below. */
function holdsAmounts({ kind, message }: Field, seen: Set<Message>): boolean {
  if (kind === Kind.quantity) return true;
  if (message === undefined || seen.has(message)) return false;
  seen.add(message);
  return message.fields.some((field) => holdsAmounts(field, seen));
}
