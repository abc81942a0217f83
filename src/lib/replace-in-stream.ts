/** Replaces every occurrence of a text in a stream of bytes, also where it is cut in two. */
export async function* replaceInStream(
  chunks: AsyncIterable<Uint8Array>,
  from: string,
  to: string,
): AsyncIterable<Uint8Array> {
  const sought = Buffer.from(from);
  const instead = Buffer.from(to);
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const text = Buffer.concat([held, chunk]);
    const out: Buffer[] = [];
    let at = 0;
    for (let next = text.indexOf(sought); next >= 0; next = text.indexOf(sought, at)) {
      out.push(text.subarray(at, next), instead);
      at = next + sought.length;
    }
    // What may be the beginning of an occurrence waits for the next chunk.
    const safe = Math.max(at, text.length - sought.length + 1);
    out.push(text.subarray(at, safe));
    held = text.subarray(safe);
    const bytes = Buffer.concat(out);
    if (bytes.length > 0) yield bytes;
  }
  if (held.length > 0) yield held;
}
