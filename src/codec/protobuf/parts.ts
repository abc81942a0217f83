/**
 * Objects and lists put together from messages that were encoded before, each without its envelope: what is the same for
 * many answers is encoded once. The bytes are those that `encodeObject` gives.
 */
import { apiVersionOf, type Gvk, type JsonObject } from '../../k8s/types.ts';
import { encodeBare } from './codec.ts';
import { writeEnvelopeEnd, writeEnvelopeStart } from './envelope.ts';
import { Wire } from './reader.ts';
import { findMessage } from './schema.ts';
import { Writer } from './writer.ts';

const ITEMS = (2 << 3) | Wire.bytes;
/** Of an envelope without what is in it. */
const ENVELOPE_BYTES = 256;

/** An encoded object in its envelope. */
export function enclose(bare: Uint8Array, gvk: Gvk): Uint8Array {
  const writer = new Writer(bare.length + ENVELOPE_BYTES);
  writeEnvelopeEnd(writer);
  writer.raw(bare);
  writeEnvelopeStart(writer, apiVersionOf(gvk.group, gvk.version), gvk.kind, bare.length);
  return writer.take();
}

/**
 * Encoded objects as they follow each other in a list.
 * @returns with `items`, where each of them stands in it
 */
export function listItems(bare: readonly Uint8Array[]): { readonly bytes: Buffer; readonly items: Uint8Array[] } {
  const size = bare.reduce((sum, { length }) => sum + length + prefixBytes(length), 0);
  const writer = new Writer(size);
  for (const one of bare.toReversed()) {
    writer.raw(one);
    writer.close(ITEMS, writer.length - one.length);
  }
  const bytes = writer.take();
  let at = 0;
  const items = bare.map(({ length }) => {
    at += prefixBytes(length) + length;
    return bytes.subarray(at - length, at);
  });
  return { bytes, items };
}

/** Tag and length. */
function prefixBytes(length: number): number {
  let bytes = 2;
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
}

/**
 * What stands before and behind the items of a list. Undefined when such a list has no protobuf form.
 * @param head the list without its items; @param itemsBytes how long they are
 */
export function listAround(
  head: JsonObject,
  gvk: Gvk,
  itemsBytes: number,
): { readonly before: Uint8Array; readonly after: Uint8Array } | undefined {
  const items = findMessage(gvk)?.fields.at(-1);
  if (items?.name !== 'items' || items.number !== ITEMS >>> 3) return undefined;
  const bare = encodeBare({ ...head, items: [] }, gvk);
  if (bare === undefined) return undefined;
  const writer = new Writer(bare.length + ENVELOPE_BYTES);
  writeEnvelopeEnd(writer);
  const after = writer.take();
  writer.raw(bare);
  writeEnvelopeStart(writer, apiVersionOf(gvk.group, gvk.version), gvk.kind, bare.length + itemsBytes);
  return { before: writer.take(), after };
}
