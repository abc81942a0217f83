/**
 * Splits a stream of bytes into lines: a JSON watch is one document a line.
 *
 * A line is copied out of the chunks it came in only when it spans several; a limit bounds what one line may hold.
 */
const NEWLINE = 0x0a;

/** @throws {RangeError} when a line is longer than `lineBytes`. */
export async function* lines(chunks: AsyncIterable<Uint8Array>, lineBytes = 64 * 1024 * 1024): AsyncIterable<Buffer> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      const line =
        pending.length === 0
          ? Buffer.from(piece.buffer, piece.byteOffset, piece.length)
          : Buffer.concat([...pending, piece]);
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < chunk.length) {
      pending.push(chunk.subarray(start));
      pendingBytes += chunk.length - start;
      if (pendingBytes > lineBytes) throw new RangeError(`a line of a watch is longer than ${lineBytes} bytes`);
    }
  }
  if (pendingBytes > 0) yield Buffer.concat(pending);
}
