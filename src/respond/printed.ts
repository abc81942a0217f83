/**
 * What is printed already, in the form that was negotiated: its JSON as it is, or protobuf, for which each object is
 * encoded once, whoever reads it then. Every other form is made of the whole object.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { encodeBare } from '../codec/protobuf/codec.ts';
import { enclose, listAround, listItems } from '../codec/protobuf/parts.ts';
import type { Accept, Reply, SharedList, SharedObject, SharedText } from '../exchange.ts';
import { type Gvk, splitApiVersion } from '../k8s/types.ts';
import { gvkOf } from './encode.ts';
import type { Part } from './gzip-parts.ts';

export interface Printed {
  readonly contentType: string;
  readonly parts: readonly Part[];
}

const PROTOBUF = 'protobuf';
const NEWLINE = Buffer.from('\n');
/** Of what has no protobuf form: no message is empty, for each has its metadata. */
const NONE = new Uint8Array();
/** How long objects may be encoded before others have their turn. */
const SLICE_MS = 5;

/** Undefined where it has to be made of the whole object, or has no such form. */
export async function printedAs(
  { json, shared }: Extract<Reply, { kind: 'printed' }>,
  accept: Accept,
): Promise<Printed | undefined> {
  if (accept.media === 'json' && accept.pretty !== true) {
    return { contentType: 'application/json', parts: [...json, NEWLINE] };
  }
  if (accept.media !== 'protobuf') return undefined;
  const parts = 'parts' in shared ? await listParts(shared) : objectParts(shared);
  return parts && { contentType: 'application/vnd.kubernetes.protobuf', parts };
}

/** An object in its envelope, made of what its other answers have in them too; undefined when it has no such form. */
export function enclosed(shared: SharedObject): Uint8Array | undefined {
  const bare = bareOf(shared);
  return bare === undefined ? undefined : enclose(bare, ownGvk(shared));
}

function objectParts(shared: SharedObject): Part[] | undefined {
  const bytes = enclosed(shared);
  return bytes && [bytes];
}

async function listParts({ head, parts }: SharedList): Promise<Part[] | undefined> {
  const items: Part[] = [];
  let bytes = 0;
  let sliceMs = performance.now();
  for (const part of parts) {
    const form = 'text' in part ? sharedItems(part) : itemsOf(part);
    if (form === undefined) return undefined;
    items.push(form);
    bytes += 'text' in form ? form.text.length : form.length;
    if (performance.now() - sliceMs < SLICE_MS) continue;
    await turn();
    sliceMs = performance.now();
  }
  const around = listAround(head, gvkOf(head), bytes);
  return around && [around.before, ...items, around.after];
}

/** Of a chunk: kept with it. */
function sharedItems(chunk: SharedText): Exclude<Part, Uint8Array> | undefined {
  const known = chunk.forms.get(PROTOBUF) as Exclude<Part, Uint8Array> | typeof NONE | undefined;
  if (known !== undefined) return known === NONE ? undefined : (known as Exclude<Part, Uint8Array>);
  const bare = allBare(chunk.items);
  if (bare === undefined) {
    chunk.forms.set(PROTOBUF, NONE);
    return undefined;
  }
  const { bytes, items } = listItems(bare);
  // Each is in memory once: where it stands in the chunk.
  for (const [at, item] of chunk.items.entries()) item.forms.set(PROTOBUF, items[at] as Uint8Array);
  const form = { text: bytes, forms: new Map<string, unknown>() };
  chunk.forms.set(PROTOBUF, form);
  return form;
}

function itemsOf(selected: readonly SharedObject[]): Uint8Array | undefined {
  const bare = allBare(selected);
  return bare && listItems(bare).bytes;
}

function allBare(objects: readonly SharedObject[]): Uint8Array[] | undefined {
  const all: Uint8Array[] = [];
  for (const one of objects) {
    const bare = bareOf(one);
    if (bare === undefined) return undefined;
    all.push(bare);
  }
  return all;
}

function bareOf(shared: SharedObject): Uint8Array | undefined {
  let bare = shared.forms.get(PROTOBUF);
  if (bare === undefined) {
    bare = encodeBare(shared.object, ownGvk(shared)) ?? NONE;
    shared.forms.set(PROTOBUF, bare);
  }
  return bare.length === 0 ? undefined : bare;
}

function ownGvk({ apiVersion, kind }: SharedObject): Gvk {
  const [group, version] = splitApiVersion(apiVersion);
  return { group, version, kind };
}
