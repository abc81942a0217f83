/**
 * One gzip stream of texts that were compressed apart, as pigz makes it: each part ends with a full flush, so that it
 * stands alone, and the checksums are put together without the texts. A part that many answers share is compressed once.
 *
 * One member, not several: not every client reads more than the first.
 *
 * @see RFC 1951 and 1952; crc32_combine of zlib 1.3
 */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { SharedText } from '../exchange.ts';
import { fewAtOnce } from '../lib/few-at-once.ts';

/** What of a text is shared is kept in its `forms`. */
export type Part = Pick<SharedText, 'text' | 'forms'> | Uint8Array;

interface Deflated {
  readonly bytes: Uint8Array;
  readonly crc: number;
  readonly length: number;
}

/** @returns what follows each other is the stream */
export async function gzipParts(parts: readonly Part[], level: number): Promise<Uint8Array[]> {
  const deflated = await fewAtOnce(parts, AT_ONCE, (part) => deflatedOf(part, level));
  let crc = 0;
  let length = 0;
  for (const part of deflated) {
    crc = combined(crc, part.crc, part.length);
    length += part.length;
  }
  const end = Buffer.alloc(2 + 8);
  // An empty last block.
  end.set([3, 0]);
  end.writeUInt32LE(crc, 2);
  end.writeUInt32LE(length % 2 ** 32, 6);
  return [HEADER, ...deflated.map(({ bytes }) => bytes), end];
}

/** Neither time nor name; by an unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const deflateAsync = promisify(deflateRaw);

/** A deflation takes a quarter of a megabyte of memory, and its beginning time. */
const AT_ONCE = 4;

function deflatedOf(part: Part, level: number): Promise<Deflated> {
  const [forms, text] = 'forms' in part ? [part.forms, part.text] : [formsOf(part), part];
  const form = `deflate ${level}`;
  let made = forms.get(form) as Promise<Deflated> | undefined;
  if (made === undefined) {
    made = deflate(text, level);
    forms.set(form, made);
  }
  return made;
}

/** The comma between parts is the same one in every list, and hundreds of times in a large one. */
function formsOf(bytes: Uint8Array): Map<string, unknown> {
  let forms = between.get(bytes);
  if (forms === undefined) {
    forms = new Map();
    between.set(bytes, forms);
  }
  return forms;
}

const between = new WeakMap<Uint8Array, Map<string, unknown>>();

async function deflate(text: Uint8Array, level: number): Promise<Deflated> {
  const bytes = await deflateAsync(text, { level, finishFlush: constants.Z_FULL_FLUSH });
  return { bytes, crc: crc32(text), length: text.length };
}

const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/** The checksum of two texts that follow each other, from that of each and the length of the second. */
function combined(first: number, second: number, secondLength: number): number {
  let shift = ONE;
  let bytes = secondLength;
  for (let power = 3; bytes > 0; power += 1) {
    if (bytes % 2 === 1) shift = product(POWERS[power % 32] as number, shift);
    bytes = Math.floor(bytes / 2);
  }
  return (product(shift, first) ^ second) >>> 0;
}

/** Of polynomials over GF(2), modulo that of CRC-32; the highest bit is the constant term. */
function product(a: number, b: number): number {
  let sum = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) sum ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return sum >>> 0;
}

/** x to the power of 2 to the power of n. */
const POWERS: readonly number[] = powers();

function powers(): number[] {
  const all = [0x40000000];
  while (all.length < 32) {
    const last = all.at(-1) as number;
    all.push(product(last, last));
  }
  return all;
}
