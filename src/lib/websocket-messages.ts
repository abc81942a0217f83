/**
 * Rewrites some messages of a WebSocket on their way from a server to its client. All others go on in the bytes that
 * they came in, as soon as they come. Refuses what no server sends: masks, extensions, frames out of order.
 *
 * @see RFC 6455 section 5.2 (frames), 5.4 (messages in parts)
 */
import { Transform } from 'node:stream';

export interface MessageRewriting {
  /** Whether a message is rewritten, by its first byte. */
  readonly takes: (first: number) => boolean;
  /** @param payload of a whole message. @returns what is sent instead */
  readonly rewrite: (payload: Buffer) => Uint8Array;
  /** Of a message that is taken; what is longer ends the stream. */
  readonly maxBytes: number;
}

interface Frame {
  readonly isLast: boolean;
  readonly opcode: number;
  readonly headBytes: number;
  readonly payloadBytes: number;
}

/** Of a message that came in parts: 0 goes on, 8 and above are control frames, which may come in between. */
const [CONTINUED, CONTROL] = [0, 8];
const NOTHING = Buffer.alloc(0);

export function rewriteMessages(rewriting: MessageRewriting): Transform {
  const messages = new Messages(rewriting);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        for (const bytes of messages.take(chunk)) this.push(bytes);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

class Messages {
  readonly #rewriting: MessageRewriting;
  /** The beginning of a frame of which the head is not there yet. */
  #held: Buffer = NOTHING;
  /** The frame that is being read, and what is missing of it. */
  #frame: Frame | undefined;
  #missing = 0;
  /** Of the message that is being read, while there is one: whether it is taken, as far as that is known. */
  #message: { opcode: number; isTaken: boolean | undefined } | undefined;
  #taken: Buffer[] = [];
  #takenBytes = 0;

  constructor(rewriting: MessageRewriting) {
    this.#rewriting = rewriting;
  }

  take(chunk: Buffer): Buffer[] {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    this.#held = NOTHING;
    const out: Buffer[] = [];
    /** What goes on as it is begins here. */
    let from = 0;
    let at = 0;
    while (at < bytes.length) {
      if (this.#frame === undefined) {
        const frame = headOf(bytes, at);
        if (frame === undefined || !this.#begin(frame, bytes[at + frame.headBytes])) {
          this.#held = Buffer.from(bytes.subarray(at));
          break;
        }
        if (this.#isTaking()) out.push(bytes.subarray(from, at));
        at += frame.headBytes;
      } else {
        const end = Math.min(bytes.length, at + this.#missing);
        if (this.#isTaking()) this.#keep(bytes.subarray(at, end));
        this.#missing -= end - at;
        at = end;
      }
      if (this.#isTaking()) from = at;
      if (this.#missing === 0) out.push(...this.#end());
    }
    if (from < at) out.push(bytes.subarray(from, at));
    return out.filter(({ length }) => length > 0);
  }

  #isTaking(): boolean {
    return this.#frame !== undefined && this.#frame.opcode < CONTROL && this.#message?.isTaken === true;
  }

  /** @returns false where the first byte of its payload has to be there, and is not */
  #begin(frame: Frame, first: number | undefined): boolean {
    if (frame.opcode < CONTROL) {
      if ((frame.opcode === CONTINUED) !== (this.#message !== undefined)) throw malformed('frames are out of order');
      const message = this.#message ?? { opcode: frame.opcode, isTaken: undefined };
      if (message.isTaken === undefined && frame.payloadBytes > 0) {
        if (first === undefined) return false;
        message.isTaken = this.#rewriting.takes(first);
        // Parts without a byte may have gone on already.
        message.opcode = frame.opcode;
      }
      this.#message = message;
    }
    this.#frame = frame;
    this.#missing = frame.payloadBytes;
    return true;
  }

  #keep(part: Buffer): void {
    this.#takenBytes += part.length;
    if (this.#takenBytes > this.#rewriting.maxBytes) throw malformed('a message is too long');
    // Parts of a chunk would keep all of it.
    this.#taken.push(Buffer.from(part));
  }

  /** @returns what is sent for a message that was taken, when this was its last frame */
  #end(): Buffer[] {
    const frame = this.#frame;
    this.#frame = undefined;
    if (frame === undefined || frame.opcode >= CONTROL || !frame.isLast) return [];
    const message = this.#message;
    this.#message = undefined;
    if (message?.isTaken !== true) return [];
    const payload = Buffer.concat(this.#taken);
    this.#taken = [];
    this.#takenBytes = 0;
    return frameOf(message.opcode, this.#rewriting.rewrite(payload));
  }
}

/** @returns undefined where it is not whole */
function headOf(bytes: Buffer, at: number): Frame | undefined {
  const [first, second] = [bytes[at], bytes[at + 1]];
  if (first === undefined || second === undefined) return undefined;
  if ((first & 0x70) !== 0) throw malformed('a frame is of an extension');
  if ((second & 0x80) !== 0) throw malformed('a server masks a frame');
  const frame = { isLast: (first & 0x80) !== 0, opcode: first & 0x0f };
  if (second < 126) return { ...frame, headBytes: 2, payloadBytes: second };
  const headBytes = second === 126 ? 4 : 10;
  if (bytes.length < at + headBytes) return undefined;
  if (second === 126) return { ...frame, headBytes, payloadBytes: bytes.readUInt16BE(at + 2) };
  const payloadBytes = Number(bytes.readBigUInt64BE(at + 2));
  if (!Number.isSafeInteger(payloadBytes)) throw malformed('a frame is too long');
  return { ...frame, headBytes, payloadBytes };
}

function frameOf(opcode: number, payload: Uint8Array): Buffer[] {
  const bytes = payload.length;
  const headBytes = bytes < 126 ? 2 : bytes <= 0xffff ? 4 : 10;
  const head = Buffer.alloc(headBytes);
  head[0] = 0x80 | opcode;
  head[1] = headBytes === 2 ? bytes : headBytes === 4 ? 126 : 127;
  if (headBytes === 4) head.writeUInt16BE(bytes, 2);
  if (headBytes === 10) head.writeBigUInt64BE(BigInt(bytes), 2);
  return [head, Buffer.from(payload)];
}

function malformed(what: string): Error {
  return new Error(`not a WebSocket as a server speaks it: ${what}`);
}
