/**
 * Reads protobuf primitives out of one buffer. Refuses truncated and over-long values, and text that is not UTF-8
 * (a Go server would take such text and show it changed in JSON).
 *
 * `position` may run past the end of a nested message inside a varint; the message loop checks it after every field.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 */
import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../../k8s/types.ts';
import { ProtobufError } from './errors.ts';
import { rawNumber } from './raw-json.ts';

export const Wire = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** Names and keys repeat a thousand times in a list; sharing them saves a quarter of the decoding time. */
const POOLED_BYTES = 32;
const POOL_SLOTS = 2048;
const pool: string[] = new Array<string>(POOL_SLOTS).fill('');

const TWO_28 = 2 ** 28;

export class Reader {
  readonly buffer: Buffer;
  position: number;
  // The last varint in three parts (28 + 28 + 8 bits), so that no BigInt is made for ordinary numbers.
  #low = 0;
  #middle = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = 0;
  }

  /** Field number and wire type: `number << 3 | wire`, as an unsigned number. */
  tag(): number {
    const tag = this.#unsigned32();
    if (tag < 8) {
      throw this.malformed('field number 0');
    }
    return tag;
  }

  /** End position of the length-delimited value that starts here; `limit` is the end of the enclosing message. */
  endOfBytes(limit: number): number {
    const end = this.#unsigned32() + this.position;
    if (end > limit) {
      throw this.malformed('a length reaches beyond the end of its message');
    }
    return end;
  }

  int32(): number {
    this.#varint();
    return this.#low | (this.#middle << 28);
  }

  bool(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#middle !== 0 || this.#high !== 0;
  }

  /** A number when it is exact, else a raw JSON number with all digits. */
  int64(): JsonValue {
    const value = this.bigOrNumber();
    return typeof value === 'number' ? value : rawNumber(value.toString());
  }

  /** A number when it is exact, else a bigint. */
  bigOrNumber(): number | bigint {
    this.#varint();
    if (this.#high === 0 && this.#middle < 2 ** 25) {
      return this.#middle * TWO_28 + this.#low;
    }
    const bits = (BigInt(this.#high) << 56n) | (BigInt(this.#middle) << 28n) | BigInt(this.#low);
    const signed = BigInt.asIntN(64, bits);
    const number = Number(signed);
    return Number.isSafeInteger(number) ? number : signed;
  }

  /** An IEEE double; infinities and NaN have no JSON form. */
  double(): JsonValue {
    if (this.position + 8 > this.buffer.length) {
      throw this.malformed('truncated number');
    }
    const value = this.buffer.readDoubleLE(this.position);
    this.position += 8;
    if (!Number.isFinite(value)) {
      throw this.malformed('a number that is not finite has no JSON form');
    }
    return Object.is(value, -0) ? rawNumber('-0') : value;
  }

  /** The UTF-8 text up to `end`. */
  string(end: number): string {
    const start = this.position;
    this.position = end;
    const length = end - start;
    if (length === 0) {
      return '';
    }
    if (length <= POOLED_BYTES) {
      const pooled = pooledAscii(this.buffer, start, end);
      if (pooled !== undefined) {
        return pooled;
      }
    }
    const text = this.buffer.toString('utf8', start, end);
    // The replacement character may be real text; only then are the bytes looked at again.
    if (text.includes('\ufffd') && !isUtf8(this.buffer.subarray(start, end))) {
      throw this.malformed('text is not valid UTF-8');
    }
    return text;
  }

  base64(end: number): string {
    const start = this.position;
    this.position = end;
    return this.buffer.toString('base64', start, end);
  }

  /** A view, not a copy. */
  bytes(end: number): Buffer {
    const start = this.position;
    this.position = end;
    return this.buffer.subarray(start, end);
  }

  /** Jumps over the value of an unknown field; `limit` is the end of the enclosing message. */
  skip(wire: number, limit: number): void {
    // Groups are not in use since proto2; they are counted, not recursed into.
    let groups = 0;
    let next = wire;
    while (true) {
      if (next === Wire.varint) {
        this.#varint();
      } else if (next === Wire.fixed64) {
        this.position += 8;
      } else if (next === Wire.bytes) {
        this.position = this.endOfBytes(limit);
      } else if (next === Wire.fixed32) {
        this.position += 4;
      } else if (next === Wire.startGroup) {
        groups++;
      } else if (next === Wire.endGroup && groups > 0) {
        groups--;
      } else {
        throw this.malformed(`wire type ${next} where a value should start`);
      }
      if (this.position > limit) {
        throw this.malformed('truncated value');
      }
      if (groups === 0) {
        return;
      }
      next = this.tag() & 7;
    }
  }

  malformed(what: string): ProtobufError {
    return new ProtobufError('malformed', `malformed protobuf near byte ${this.position}: ${what}`);
  }

  #unsigned32(): number {
    const first = this.buffer[this.position];
    if (first !== undefined && first < 0x80) {
      this.position++;
      return first;
    }
    this.#varint();
    if (this.#high !== 0 || this.#middle >= 16) {
      throw this.malformed('a tag or length of more than 32 bits');
    }
    return this.#middle * TWO_28 + this.#low;
  }

  #varint(): void {
    this.#low = 0;
    this.#middle = 0;
    this.#high = 0;
    for (let i = 0; i < 10; i++) {
      const byte = this.buffer[this.position];
      if (byte === undefined) {
        throw this.malformed('truncated number');
      }
      this.position++;
      const bits = byte & 0x7f;
      if (i < 4) {
        this.#low |= bits << (7 * i);
      } else if (i < 8) {
        this.#middle |= bits << (7 * (i - 4));
      } else {
        // Of the tenth byte Go keeps one bit.
        this.#high |= i === 8 ? bits : (bits & 1) << 7;
      }
      if (byte < 0x80) {
        return;
      }
    }
    throw this.malformed('a number of more than ten bytes');
  }
}

/** The shared string of these bytes, or undefined when they are not ASCII. */
function pooledAscii(buffer: Buffer, start: number, end: number): string | undefined {
  let hash = end - start;
  for (let i = start; i < end; i++) {
    const byte = buffer[i] as number;
    if (byte > 0x7f) {
      return undefined;
    }
    hash = (Math.imul(hash, 31) + byte) | 0;
  }
  const slot = (hash ^ (hash >>> 15)) & (POOL_SLOTS - 1);
  const known = pool[slot] as string;
  if (equalsAscii(known, buffer, start, end)) {
    return known;
  }
  const text = buffer.toString('latin1', start, end);
  pool[slot] = text;
  return text;
}

function equalsAscii(text: string, buffer: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) {
    return false;
  }
  for (let i = start; i < end; i++) {
    if (text.charCodeAt(i - start) !== buffer[i]) {
      return false;
    }
  }
  return true;
}
