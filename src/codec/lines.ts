/**
 * Splits a stream of bytes into lines: a JSON watch is one document a line.
 *
 * A line is copied out of the chunks it came in only when it spans several; a limit bounds what one line may hold. No
 * line is kept once it has been handed out: whoever reads a watch may take its time, and an event can be a megabyte.
 */
const NEWLINE = 0x0a;
const LINE_BYTES = 64 * 1024 * 1024;

/** @throws {RangeError} when a line is longer than `lineBytes`. */
export function lines(chunks: AsyncIterable<Uint8Array>, lineBytes = LINE_BYTES): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => new Lines(chunks[Symbol.asyncIterator](), lineBytes) };
}

/** Not a generator: that would keep the line it stands at until it is asked for the next. */
class Lines implements AsyncIterator<Buffer> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #lineBytes: number;
  #chunk: Uint8Array | undefined;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #isDone = false;

  constructor(chunks: AsyncIterator<Uint8Array>, lineBytes: number) {
    this.#chunks = chunks;
    this.#lineBytes = lineBytes;
  }

  async next(): Promise<IteratorResult<Buffer>> {
    while (!this.#isDone) {
      const line = this.#cut();
      if (line !== undefined) return { done: false, value: line };
      const { done, value } = await this.#chunks.next();
      if (done !== true) this.#chunk = value;
      else {
        this.#isDone = true;
        if (this.#pendingBytes > 0) return { done: false, value: this.#take(NOTHING) };
      }
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Buffer>> {
    this.#isDone = true;
    this.#chunk = undefined;
    this.#pending = [];
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  /** The next whole line of the chunk; undefined when it has no more, and its rest is kept for the next. */
  #cut(): Buffer | undefined {
    while (this.#chunk !== undefined) {
      const chunk = this.#chunk;
      const end = chunk.indexOf(NEWLINE);
      if (end < 0) {
        this.#chunk = undefined;
        if (chunk.length > 0) this.#pending.push(chunk);
        this.#pendingBytes += chunk.length;
        if (this.#pendingBytes > this.#lineBytes) {
          throw new RangeError(`a line of a watch is longer than ${this.#lineBytes} bytes`);
        }
        return undefined;
      }
      this.#chunk = end + 1 < chunk.length ? chunk.subarray(end + 1) : undefined;
      const line = this.#take(chunk.subarray(0, end));
      if (line.length > 0) return line;
    }
    return undefined;
  }

  #take(piece: Uint8Array): Buffer {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (pending.length > 0) return Buffer.concat(piece.length > 0 ? [...pending, piece] : pending);
    return Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  }
}

const NOTHING = new Uint8Array();
