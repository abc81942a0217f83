/**
 * Reads one regular file out of a gzipped tar archive in memory. The path is compared whole and nothing is written to
 * disk by the archive's own names, so an archive cannot choose where its content goes.
 * @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html (ustar interchange format)
 */

import { gunzipSync } from 'node:zlib';

const BLOCK_BYTES = 512;
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024;

/** @returns the file's content, or undefined when the archive has no regular file of that path */
export function readTarGz(archive: Uint8Array, path: string): Buffer | undefined {
  const tar = gunzipSync(archive, { maxOutputLength: MAX_UNPACKED_BYTES });
  let offset = 0;
  while (offset + BLOCK_BYTES <= tar.length) {
    const header = tar.subarray(offset, offset + BLOCK_BYTES);
    const name = text(header, 0, 100);
    if (name === '') return undefined;
    const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : '';
    const sizeBytes = Number.parseInt(text(header, 124, 12), 8);
    if (!Number.isSafeInteger(sizeBytes)) throw new Error(`tar entry ${name} has no readable size`);
    const start = offset + BLOCK_BYTES;
    const type = text(header, 156, 1);
    if ((type === '0' || type === '') && (prefix === '' ? name : `${prefix}/${name}`) === path) {
      if (start + sizeBytes > tar.length) throw new Error(`tar entry ${name} is cut short`);
      return tar.subarray(start, start + sizeBytes);
    }
    offset = start + Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return undefined;
}

/** A header field up to its first NUL. */
function text(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field
    .subarray(0, end === -1 ? length : end)
    .toString('latin1')
    .trim();
}
