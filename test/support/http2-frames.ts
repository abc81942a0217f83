/**
 * HTTP/2 frames, byte by byte, and header blocks of literals only: for what no client library agrees to send.
 * @see RFC 9113 section 6 (frames), RFC 7541 section 6.2.2 (literal without indexing)
 */

export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
export const FRAME = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
};
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4 };

export function frame(type: number, flags: number, streamId: number, payload: Uint8Array | string = ''): Buffer {
  const body = Buffer.from(payload as string);
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, body]);
}

/** Names and values of at most 126 bytes, exactly as given. */
export function headerBlock(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(
    headers.map(([name, value]) =>
      Buffer.concat([
        Buffer.from([0, name.length]),
        Buffer.from(name, 'latin1'),
        Buffer.from([value.length]),
        Buffer.from(value, 'latin1'),
      ]),
    ),
  );
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** The whole frames in what was received. */
export function framesOf(received: Buffer): Frame[] {
  const frames: Frame[] = [];
  let at = 0;
  while (at + 9 <= received.length) {
    const length = received.readUIntBE(at, 3);
    if (at + 9 + length > received.length) break;
    frames.push({
      type: received.readUInt8(at + 3),
      flags: received.readUInt8(at + 4),
      streamId: received.readUInt32BE(at + 5) & 0x7fffffff,
      payload: received.subarray(at + 9, at + 9 + length),
    });
    at += 9 + length;
  }
  return frames;
}
