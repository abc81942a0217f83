import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downloadRelease } from './download.ts';
import type { Release } from './releases.ts';

const CONTENT = 'the program';
const SUM = createHash('sha256').update(CONTENT).digest('hex');

let server: Server;
let answer: RequestListener;
let base: string;
let dir: string;
let file: string;

beforeEach(async () => {
  answer = (request, response) => response.end(request.url === '/sum' ? SUM : CONTENT);
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  dir = mkdtempSync(join(tmpdir(), 'kubeveil-download-'));
  file = join(dir, 'program');
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(dir, { recursive: true, force: true });
});

function release(extra: Partial<Release> = {}): Release {
  return { url: `${base}/program`, checksumUrl: `${base}/sum`, parseChecksum: (text) => text || undefined, ...extra };
}

describe('downloadRelease', () => {
  it('writes an executable file when the checksum is right', async () => {
    const seen: number[] = [];
    await downloadRelease(release(), file, { onBytes: (bytes) => seen.push(bytes) });
    expect(readFileSync(file, 'utf8')).toBe(CONTENT);
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(seen.at(-1)).toBe(CONTENT.length);
  });

  it('follows redirects, as the download sites use them', async () => {
    answer = (request, response) => {
      if (request.url === '/program') response.writeHead(302, { location: '/elsewhere' }).end();
      else response.end(request.url === '/sum' ? SUM : CONTENT);
    };
    await downloadRelease(release(), file);
    expect(readFileSync(file, 'utf8')).toBe(CONTENT);
  });

  it('takes one file out of an archive', async () => {
    const header = Buffer.alloc(512);
    header.write('folder/program', 0);
    header.write('13', 124);
    const body = Buffer.alloc(512);
    body.write(CONTENT);
    const archive = gzipSync(Buffer.concat([header, body]));
    const sum = createHash('sha256').update(archive).digest('hex');
    answer = (request, response) => response.end(request.url === '/sum' ? sum : archive);
    await downloadRelease(release({ tarPath: 'folder/program' }), file);
    expect(readFileSync(file, 'utf8')).toBe(CONTENT);
    await expect(downloadRelease(release({ tarPath: 'program' }), join(dir, 'other'))).rejects.toThrow(
      /has no program/,
    );
  });

  it('refuses another checksum and leaves no file', async () => {
    answer = (request, response) => response.end(request.url === '/sum' ? SUM : `${CONTENT}!`);
    await expect(downloadRelease(release(), file)).rejects.toMatchObject({
      code: 'CHECKSUM_MISMATCH',
      message: expect.stringContaining(SUM),
    });
    expect(readdirSync(dir)).toEqual([]);
  });

  it.each([
    { why: 'no checksum', status: { '/sum': 404 }, says: /sum: HTTP status 404/ },
    { why: 'no program', status: { '/program': 503 }, says: /program: HTTP status 503/ },
  ] as { why: string; status: Record<string, number>; says: RegExp }[])('refuses $why', async ({ status, says }) => {
    answer = (request, response) => {
      response.statusCode = status[request.url ?? ''] ?? 200;
      response.end(request.url === '/sum' ? SUM : CONTENT);
    };
    await expect(downloadRelease(release(), file)).rejects.toThrow(says);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('refuses when the checksum is not in the answer', async () => {
    const parseChecksum = () => undefined;
    await expect(downloadRelease(release({ parseChecksum }), file)).rejects.toThrow(/holds no SHA-256/);
    const throwing = () => JSON.parse('<html>');
    await expect(downloadRelease(release({ parseChecksum: throwing }), file)).rejects.toThrow(/holds no SHA-256/);
  });

  it('gives up on a server that never answers', async () => {
    answer = () => {};
    await expect(downloadRelease(release(), file, { connectTimeoutMs: 50 })).rejects.toThrow(/no answer within 50 ms/);
  });

  it('gives up on a server that stops in the middle', async () => {
    answer = (request, response) => {
      if (request.url === '/sum') response.end(SUM);
      else response.writeHead(200, { 'content-length': 100 }).write('half');
    };
    await expect(downloadRelease(release(), file, { idleTimeoutMs: 50 })).rejects.toThrow(/nothing arrived for 50 ms/);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('says why a closed network does not answer', async () => {
    server.close();
    await once(server, 'close');
    await expect(downloadRelease(release(), file)).rejects.toMatchObject({
      code: 'DOWNLOAD_FAILED',
      message: expect.stringMatching(/ECONNREFUSED/),
    });
  });

  it('stops when the signal aborts', async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new Error('enough'));
    await expect(downloadRelease(release(), file, { signal: controller.signal })).rejects.toThrow('enough');
  });
});
