/**
 * Writes protobuf from the end of a buffer to its front, as Go does: a length prefix is written after the bytes it
 * counts, so no size has to be computed first.
 *
 * Text with half a surrogate pair becomes U+FFFD, as in Go's JSON reader.
 */
const INITIAL_BYTES = 64 * 1024;
/** A buffer that one big list made grow is given back. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** Below this, a loop over characters is faster than a call into the buffer. */
const SHORT_TEXT = 48;

export class Writer {
  #buffer: Buffer;
  #position: number;

  constructor(initialBytes: number = INITIAL_BYTES) {
    this.#buffer = Buffer.allocUnsafeSlow(initialBytes);
    this.#position = initialBytes;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#buffer.length - this.#position;
  }

  /** A copy of all that was written; the writer is empty afterwards. */
  take(): Buffer {
    const bytes = Buffer.from(this.#buffer.subarray(this.#position));
    this.reset();
    return bytes;
  }

  reset(): void {
    if (this.#buffer.length > KEPT_BYTES) {
      this.#buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
    }
    this.#position = this.#buffer.length;
  }

  /** Length and tag of what was written since the writer had `before` bytes. */
  close(tag: number, before: number): void {
    this.varint(this.length - before);
    this.varint(tag);
  }

  /** A non-negative safe integer. */
  varint(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#buffer[--this.#position] = value;
      return;
    }
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      size++;
    }
    this.#reserve(size);
    this.#position -= size;
    let at = this.#position;
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[at] = rest;
  }

  /** Any 64-bit integer; negative ones take ten bytes. */
  integer(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.varint(value);
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    const groups: number[] = [];
    while (rest >= 0x80n) {
      groups.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    groups.push(Number(rest));
    this.raw(groups);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#position -= 8;
    this.#buffer.writeDoubleLE(value, this.#position);
  }

  /** UTF-8 text with its length before it. */
  string(text: string): void {
    const start = this.length;
    if (text.length > SHORT_TEXT || !this.#ascii(text)) {
      const size = Buffer.byteLength(text, 'utf8');
      this.#reserve(size);
      this.#position -= size;
      this.#buffer.write(text, this.#position, size, 'utf8');
    }
    this.varint(this.length - start);
  }

  /** The bytes of a base64 text of known size, with their length before them. */
  base64(text: string, size: number): void {
    this.#reserve(size);
    this.#position -= size;
    this.#buffer.write(text, this.#position, size, 'base64');
    this.varint(size);
  }

  raw(bytes: Uint8Array | readonly number[]): void {
    this.#reserve(bytes.length);
    this.#position -= bytes.length;
    this.#buffer.set(bytes, this.#position);
  }

  /** Writes a short ASCII text; false, with nothing written, when it is not ASCII. */
  #ascii(text: string): boolean {
    this.#reserve(text.length);
    const start = this.#position - text.length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) {
        return false;
      }
      this.#buffer[start + i] = code;
    }
    this.#position = start;
    return true;
  }

  #reserve(size: number): void {
    if (size <= this.#position) {
      return;
    }
    const used = this.length;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, used + size));
    this.#buffer.copy(grown, grown.length - used, this.#position);
    this.#position = grown.length - used;
    this.#buffer = grown;
  }
}
