/**
 * Downloads one released program and checks it against its published SHA-256. Refuses a download without a checksum,
 * with another one, too big, or over plain HTTP where the address was HTTPS. A closed network fails within seconds.
 */

import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { DevError } from './errors.ts';
import type { Release } from './releases.ts';
import { readTarGz } from './tar.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_CHECKSUM_BYTES = 4 * 1024 * 1024;

export interface DownloadOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long until the first byte of an answer; default 5 s. */
  readonly connectTimeoutMs?: number;
  /** How long nothing may arrive; default 30 s. */
  readonly idleTimeoutMs?: number;
  /** Hears the bytes received so far. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Writes the program to `file` (mode 0755), which must not exist.
 * @throws {DevError} DOWNLOAD_FAILED or CHECKSUM_MISMATCH; `file` is then not there
 */
export async function downloadRelease(release: Release, file: string, options: DownloadOptions = {}): Promise<void> {
  const checksums = await receive(release.checksumUrl, MAX_CHECKSUM_BYTES, options);
  const expected = parse(release, checksums.toString('utf8'));
  if (expected === undefined) {
    throw new DevError('DOWNLOAD_FAILED', `${release.checksumUrl} holds no SHA-256 for ${release.url}`);
  }
  const content = await receive(release.url, MAX_BYTES, options);
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual !== expected) {
    throw new DevError(
      'CHECKSUM_MISMATCH',
      `${release.url} has SHA-256 ${actual}, but ${release.checksumUrl} says ${expected}; the download was not used`,
    );
  }
  const program = release.tarPath === undefined ? content : readTarGz(content, release.tarPath);
  if (program === undefined) throw new DevError('DOWNLOAD_FAILED', `${release.url} has no ${release.tarPath} in it`);
  try {
    const handle = await open(file, 'wx', 0o755);
    try {
      await handle.writeFile(program);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

function parse(release: Release, text: string): string | undefined {
  try {
    return release.parseChecksum(text);
  } catch {
    return undefined;
  }
}

async function receive(url: string, maxBytes: number, options: DownloadOptions): Promise<Buffer> {
  const { signal, connectTimeoutMs = CONNECT_TIMEOUT_MS, idleTimeoutMs = IDLE_TIMEOUT_MS } = options;
  const silence = new AbortController();
  const abortAfter = (ms: number, what: string) => setTimeout(() => silence.abort(new Error(what)), ms);
  let timer = abortAfter(connectTimeoutMs, `no answer within ${connectTimeoutMs} ms`);
  try {
    const response = await fetch(url, {
      redirect: 'follow',
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
      headers: { 'user-agent': 'kubeveil-dev' },
    });
    if (url.startsWith('https:') && !response.url.startsWith('https:')) {
      throw new Error(`redirected to an address without TLS: ${response.url}`);
    }
    if (response.status !== 200 || response.body === null) throw new Error(`HTTP status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      clearTimeout(timer);
      timer = abortAfter(idleTimeoutMs, `nothing arrived for ${idleTimeoutMs} ms`);
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
      chunks.push(chunk);
      options.onBytes?.(bytes);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw downloadFailed(url, error);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** fetch says only "fetch failed"; the cause tells why. */
function downloadFailed(url: string, cause: unknown): DevError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const why = inner instanceof Error ? inner.message : String(inner);
  return new DevError('DOWNLOAD_FAILED', `${url}: ${why}`, { cause });
}
