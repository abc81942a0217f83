import { describe, expect, it } from 'vitest';
import { rewriteMessages } from './websocket-messages.ts';

const [TEXT, BINARY, CONTINUED, CLOSE, PING] = [1, 2, 0, 8, 9];

interface Shape {
  readonly opcode?: number;
  readonly isLast?: boolean;
}

/** A frame as a server sends it. */
function frame(payload: string | Uint8Array, { opcode = BINARY, isLast = true }: Shape = {}): Buffer {
  const bytes = Buffer.from(payload);
  const first = (isLast ? 0x80 : 0) | opcode;
  if (bytes.length < 126) return Buffer.concat([Buffer.from([first, bytes.length]), bytes]);
  const isLong = bytes.length > 0xffff;
  const start = Buffer.alloc(isLong ? 10 : 4);
  start[0] = first;
  start[1] = isLong ? 127 : 126;
  if (isLong) start.writeBigUInt64BE(BigInt(bytes.length), 2);
  else start.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([start, bytes]);
}

/** Takes what begins with `!`, and puts it into capitals. */
const SHOUTING = {
  takes: (first: number) => first === '!'.charCodeAt(0),
  rewrite: (payload: Buffer) => Buffer.from(`${String(payload).toUpperCase()}.`),
  maxBytes: 100_000,
};

async function through(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const stream = rewriteMessages(SHOUTING);
  const said = stream.toArray();
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  return Buffer.concat((await said) as Buffer[]);
}

const LONG = `!${'a'.repeat(300)}`;
const HUGE = `!${'b'.repeat(70_000)}`;
const SENT = [
  frame('out'),
  frame(''),
  frame('!one'),
  frame('ping', { opcode: PING }),
  frame(Buffer.alloc(200, 'x')),
  frame(Buffer.alloc(70_000, 'y'), { opcode: TEXT }),
  frame(LONG, { opcode: TEXT }),
  frame('!in ', { isLast: false }),
  frame('ping', { opcode: PING }),
  frame('', { opcode: CONTINUED, isLast: false }),
  frame('parts', { opcode: CONTINUED }),
  frame('', { isLast: false }),
  frame('!late', { opcode: CONTINUED }),
  frame('of ', { isLast: false }),
  frame('!others', { opcode: CONTINUED }),
  frame(HUGE),
  frame('\x03\xe8', { opcode: CLOSE }),
];
const WANTED = Buffer.concat([
  frame('out'),
  frame(''),
  frame('!ONE.'),
  frame('ping', { opcode: PING }),
  frame(Buffer.alloc(200, 'x')),
  frame(Buffer.alloc(70_000, 'y'), { opcode: TEXT }),
  frame(`${LONG.toUpperCase()}.`, { opcode: TEXT }),
  frame('ping', { opcode: PING }),
  frame('!IN PARTS.'),
  frame('', { isLast: false }),
  frame('!LATE.', { opcode: CONTINUED }),
  frame('of ', { isLast: false }),
  frame('!others', { opcode: CONTINUED }),
  frame(`${HUGE.toUpperCase()}.`),
  frame('\x03\xe8', { opcode: CLOSE }),
]);

describe('messages of a WebSocket', () => {
  it('go on as they came, but for those that are taken', async () => {
    expect((await through([Buffer.concat(SENT)])).equals(WANTED)).toBe(true);
  });

  it.each([1, 2, 3, 7, 1_000, 65_537])('may be cut anywhere: after every %i bytes', async (bytes) => {
    const all = Buffer.concat(SENT);
    const chunks = Array.from({ length: Math.ceil(all.length / bytes) }, (_, at) =>
      all.subarray(at * bytes, (at + 1) * bytes),
    );
    expect((await through(chunks)).equals(WANTED)).toBe(true);
  });

  it('that are not taken are not held until they are whole', async () => {
    const stream = rewriteMessages(SHOUTING);
    const whole = frame(Buffer.alloc(1_000, 'x'));
    stream.write(whole.subarray(0, 10));
    expect(stream.read()).toEqual(whole.subarray(0, 10));
  });

  it.each([
    ['is masked, which no server does', Buffer.from([0x82, 0x81, 0, 0, 0, 0, 0x61])],
    ['is packed, which nobody agreed to', Buffer.from([0xc2, 0x01, 0x61])],
    ['goes on with nothing', frame('more', { opcode: CONTINUED })],
    ['begins before the last one ended', Buffer.concat([frame('a', { isLast: false }), frame('b')])],
    ['claims to be longer than a file can be', Buffer.from([0x82, 127, 0xff, 0, 0, 0, 0, 0, 0, 0, 0x61])],
    ['is taken, and too long to be held', frame(`!${'a'.repeat(100_001)}`)],
  ])('end the stream where one %s', async (_what, bytes) => {
    await expect(through([bytes])).rejects.toThrow('WebSocket');
  });

  it('of an allowed length are taken', async () => {
    expect((await through([frame(`!${'a'.repeat(90_000)}`)])).length).toBeGreaterThan(90_000);
  });
});
