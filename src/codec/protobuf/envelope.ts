/**
 * The envelope around every protobuf object of Kubernetes: `k8s\0` and a `runtime.Unknown` with kind and bytes.
 *
 * Refuses bytes without the prefix, encodings it cannot undo, and fields it does not know.
 *
 * @see k8s.io/apimachinery pkg/runtime/serializer/protobuf/protobuf.go at v0.36
 */
import { ProtobufError } from './errors.ts';
import { Reader, Wire } from './reader.ts';
import type { Writer } from './writer.ts';

const PREFIX = Buffer.from('k8s\0', 'latin1');
const CONTENT_TYPE = 'application/vnd.kubernetes.protobuf';

const TYPE_META = (1 << 3) | Wire.bytes;
const RAW = (2 << 3) | Wire.bytes;
const CONTENT_ENCODING = (3 << 3) | Wire.bytes;
const CONTENT_TYPE_TAG = (4 << 3) | Wire.bytes;

export interface Envelope {
  /** Empty when the sender relies on the route. */
  apiVersion: string;
  kind: string;
  /** The bare message: a view of the input. */
  raw: Uint8Array;
}

/** Whether bytes start like an enveloped object. */
function hasEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= PREFIX.length && PREFIX.every((byte, i) => bytes[i] === byte);
}

/**
 * Takes the envelope off.
 *
 * @throws ProtobufError `malformed`
 */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) {
    throw new ProtobufError('malformed', 'empty data');
  }
  if (!hasEnvelope(bytes)) {
    throw new ProtobufError(
      'malformed',
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  }
  if (bytes.length === PREFIX.length) {
    throw new ProtobufError('malformed', 'empty body');
  }
  const reader = new Reader(bytes.subarray(PREFIX.length));
  const end = reader.buffer.length;
  const envelope: Envelope = { apiVersion: '', kind: '', raw: new Uint8Array() };
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === TYPE_META) {
      readTypeMeta(reader, envelope, reader.endOfBytes(end));
    } else if (tag === RAW) {
      envelope.raw = reader.bytes(reader.endOfBytes(end));
    } else if (tag === CONTENT_ENCODING || tag === CONTENT_TYPE_TAG) {
      const value = reader.string(reader.endOfBytes(end));
      if (value !== '' && (tag === CONTENT_ENCODING || value !== CONTENT_TYPE)) {
        throw reader.malformed('the envelope holds bytes in another encoding than protobuf');
      }
    } else {
      throw reader.malformed(`the envelope has an unknown field ${tag >>> 3}`);
    }
  }
  return envelope;
}

/** Writes an envelope around the bare message that `writeRaw` writes. */
export function writeEnvelope(writer: Writer, apiVersion: string, kind: string, writeRaw: () => void): void {
  // Backwards: what comes last on the wire is written first.
  writeEnvelopeEnd(writer);
  const raw = writer.length;
  writeRaw();
  writeEnvelopeStart(writer, apiVersion, kind, writer.length - raw);
}

/** What stands behind the bare message: Go always writes the two empty fields. */
export function writeEnvelopeEnd(writer: Writer): void {
  writer.string('');
  writer.varint(CONTENT_TYPE_TAG);
  writer.string('');
  writer.varint(CONTENT_ENCODING);
}

/** What stands before it. @param rawBytes how long it is */
export function writeEnvelopeStart(writer: Writer, apiVersion: string, kind: string, rawBytes: number): void {
  writer.varint(rawBytes);
  writer.varint(RAW);
  const typeMeta = writer.length;
  writer.string(kind);
  writer.varint((2 << 3) | Wire.bytes);
  writer.string(apiVersion);
  writer.varint((1 << 3) | Wire.bytes);
  writer.close(TYPE_META, typeMeta);
  writer.raw(PREFIX);
}

function readTypeMeta(reader: Reader, envelope: Envelope, end: number): void {
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | Wire.bytes)) {
      envelope.apiVersion = reader.string(reader.endOfBytes(end));
    } else if (tag === ((2 << 3) | Wire.bytes)) {
      envelope.kind = reader.string(reader.endOfBytes(end));
    } else {
      throw reader.malformed(`the kind of the envelope has an unknown field ${tag >>> 3}`);
    }
  }
  if (reader.position > end) {
    throw reader.malformed('the kind of the envelope is truncated');
  }
}
