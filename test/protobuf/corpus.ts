/**
 * Reads a corpus of golden samples (test/protobuf/generator writes it) and compares the codec with it.
 *
 * A sample holds the protobuf bytes of a random object, the JSON that Go shows for them, and the bytes Go writes for that
 * JSON.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeObject, encodeObject } from '../../src/codec/protobuf/codec.ts';
import { type Gvk, type JsonObject, splitApiVersion } from '../../src/k8s/types.ts';

export interface Sample {
  gvk: Gvk;
  /** What Go wrote for the random object. */
  bytes: Buffer;
  /** The JSON Go shows for these bytes. */
  json: string;
  /** What Go writes for the JSON; in some samples not the first bytes, since JSON cannot say everything. */
  bytesOfJson: Buffer;
}

/** All samples of a corpus file. */
export function readCorpus(file: string | URL): Sample[] {
  const data = gunzipSync(readFileSync(file));
  const samples: Sample[] = [];
  let at = 0;
  const block = (): Buffer => {
    const start = at + 4;
    at = start + data.readUInt32BE(at);
    return data.subarray(start, at);
  };
  while (at < data.length) {
    const [apiVersion = '', kind = ''] = block().toString().split(' ');
    const [group, version] = splitApiVersion(apiVersion);
    const bytes = block();
    const json = block().toString();
    const second = block();
    samples.push({ gvk: { group, version, kind }, bytes, json, bytesOfJson: second.length > 0 ? second : bytes });
  }
  return samples;
}

/** What is wrong with the decoding of a sample, in one line; undefined when it equals Go's JSON. */
export function decodeFault(sample: Sample): string | undefined {
  const { object, unknownFields, unknownNames } = decodeObject(sample.bytes);
  if (unknownFields > 0) {
    return `${label(sample)}: unknown ${unknownNames.join(', ')}`;
  }
  const ours = canonical(object);
  const theirs = canonical(parseExact(sample.json));
  return ours === theirs ? undefined : `${label(sample)}: JSON differs: ${difference(ours, theirs)}`;
}

/** What is wrong with the encoding of a sample's JSON; undefined when the bytes equal Go's. */
export function encodeFault(sample: Sample): string | undefined {
  const bytes = encodeObject(parseExact(sample.json) as JsonObject, sample.gvk);
  if (bytes === undefined) {
    return `${label(sample)}: not encodable`;
  }
  return sample.bytesOfJson.equals(bytes) ? undefined : `${label(sample)}: bytes differ`;
}

function label(sample: Sample): string {
  return `${sample.gvk.group}/${sample.gvk.version} ${sample.gvk.kind}`;
}

/** Parses JSON without losing digits; written apart from the codec's own parser, so that it can judge it. */
export function parseExact(text: string): unknown {
  const native = JSON as unknown as {
    rawJSON(text: string): unknown;
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  };
  return native.parse(text, (_key, value, context) =>
    typeof value === 'number' && JSON.stringify(value) !== context.source
      ? native.rawJSON(context.source ?? '')
      : value,
  );
}

/** JSON text with sorted keys: the order of keys has no meaning, all digits have. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join()}]`;
  }
  const text = JSON.stringify(value);
  if (!text.startsWith('{')) {
    return text;
  }
  const entries = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join()}}`;
}

function difference(ours: string, theirs: string): string {
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) {
    at++;
  }
  const from = Math.max(0, at - 60);
  return `ours ...${ours.slice(from, at + 60)} Go ...${theirs.slice(from, at + 60)}`;
}
