/**
 * Watch streams in protobuf (`application/vnd.kubernetes.protobuf;stream=watch`): each event is a length of four bytes,
 * big-endian, and a bare WatchEvent `{1: type, 2: {1: enveloped object}}`.
 *
 * Refuses frames over a limit before they are collected, and a stream that ends inside a frame.
 *
 * @see k8s.io/apimachinery pkg/util/framer/framer.go and pkg/apis/meta/v1/watch.go at v0.36
 */
import { type JsonObject, splitApiVersion, type WatchEvent } from '../../k8s/types.ts';
import { type DecodedObject, decodeObject, encodeObject } from './codec.ts';
import { ProtobufError } from './errors.ts';
import { Reader, Wire } from './reader.ts';
import { Writer } from './writer.ts';

const LENGTH_BYTES = 4;
/** The API server's own limit for a frame it reads. */
const DEFAULT_MAX_FRAME_BYTES = 16 * 1024 * 1024;

const TYPE = (1 << 3) | Wire.bytes;
const OBJECT = (2 << 3) | Wire.bytes;
const RAW = (1 << 3) | Wire.bytes;

const EVENT_TYPES: readonly string[] = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'];

export interface DecodedWatchEvent {
  type: WatchEvent['type'];
  decoded: DecodedObject;
}

/** Cuts a watch stream, as it arrives, into the payloads of its frames. */
export class FrameReader {
  readonly #maxFrameBytes: number;
  #chunks: Uint8Array[] = [];
  #held = 0;
  /** Bytes of the payload that is being collected; undefined before its length is known. */
  #wanted: number | undefined;

  constructor(maxFrameBytes: number = DEFAULT_MAX_FRAME_BYTES) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /**
   * Takes the next bytes of the stream and returns the payloads they complete. A payload is a copy, so that keeping it
   * does not keep the chunk of the socket.
   *
   * @throws ProtobufError `too-large`
   */
  push(chunk: Uint8Array): Buffer[] {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    const payloads: Buffer[] = [];
    while (true) {
      if (this.#wanted === undefined) {
        if (this.#held < LENGTH_BYTES) {
          return payloads;
        }
        this.#wanted = this.#take(LENGTH_BYTES).readUInt32BE();
        if (this.#wanted > this.#maxFrameBytes) {
          throw new ProtobufError(
            'too-large',
            `watch frame of ${this.#wanted} bytes; the limit is ${this.#maxFrameBytes}`,
          );
        }
      }
      if (this.#held < this.#wanted) {
        return payloads;
      }
      payloads.push(this.#take(this.#wanted));
      this.#wanted = undefined;
    }
  }

  /**
   * To be called when the stream has ended.
   *
   * @throws ProtobufError `malformed` when it ended inside a frame
   */
  end(): void {
    if (this.#held > 0 || this.#wanted !== undefined) {
      throw new ProtobufError('malformed', 'the watch stream ended inside a frame');
    }
  }

  #take(size: number): Buffer {
    const out = Buffer.allocUnsafeSlow(size);
    let filled = 0;
    let used = 0;
    while (filled < size) {
      const chunk = this.#chunks[used] as Uint8Array;
      const part = chunk.subarray(0, size - filled);
      out.set(part, filled);
      filled += part.length;
      if (part.length === chunk.length) {
        used++;
      } else {
        this.#chunks[used] = chunk.subarray(part.length);
      }
    }
    this.#chunks.splice(0, used);
    this.#held -= size;
    return out;
  }
}

/**
 * Decodes the payload of one frame.
 *
 * @throws ProtobufError
 */
export function decodeWatchEvent(payload: Uint8Array): DecodedWatchEvent {
  const reader = new Reader(payload);
  const end = payload.length;
  let type = '';
  let bytes: Uint8Array | undefined;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === TYPE) {
      type = reader.string(reader.endOfBytes(end));
    } else if (tag === OBJECT) {
      bytes = openRawExtension(reader, reader.endOfBytes(end));
    } else {
      throw reader.malformed(`a watch event has an unknown field ${tag >>> 3}`);
    }
  }
  if (bytes === undefined) {
    throw reader.malformed('a watch event without an object');
  }
  if (!isEventType(type)) {
    throw reader.malformed(`a watch event of unknown type ${JSON.stringify(type)}`);
  }
  return { type, decoded: decodeObject(bytes) };
}

/**
 * Encodes one event as a frame with its length. Undefined when the object has no faithful protobuf form (encodeObject).
 *
 * @throws ProtobufError `invalid-value`, also when the object does not name its kind
 */
export function encodeWatchEvent(type: WatchEvent['type'], object: JsonObject): Buffer | undefined {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw new ProtobufError('invalid-value', 'the object of a watch event must name its kind and apiVersion');
  }
  const [group, version] = splitApiVersion(apiVersion);
  const bytes = encodeObject(object, { group, version, kind });
  return bytes === undefined ? undefined : frameWatchEvent(type, bytes);
}

/** Puts the event and its frame around an object that is encoded already (with its envelope). */
export function frameWatchEvent(type: WatchEvent['type'], envelopedObject: Uint8Array): Buffer {
  const writer = new Writer(envelopedObject.length + type.length * 3 + 64);
  writer.raw(envelopedObject);
  writer.close(RAW, 0);
  writer.close(OBJECT, 0);
  writer.string(type);
  writer.varint(TYPE);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(writer.length);
  writer.raw(length);
  return writer.take();
}

function isEventType(type: string): type is WatchEvent['type'] {
  return EVENT_TYPES.includes(type);
}

function openRawExtension(reader: Reader, end: number): Uint8Array {
  let bytes: Uint8Array | undefined;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag !== RAW) {
      throw reader.malformed(`the object of a watch event has an unknown field ${tag >>> 3}`);
    }
    bytes = reader.bytes(reader.endOfBytes(end));
  }
  if (bytes === undefined || reader.position !== end) {
    throw reader.malformed('a watch event without an object');
  }
  return bytes;
}
