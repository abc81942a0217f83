import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { RequestHead } from '../exchange.ts';
import { type RawRequest, requestHead } from './head.ts';

function head(
  rawHeaders: string[],
  part: Partial<Pick<RawRequest, 'method' | 'target' | 'httpVersion' | 'tlsName' | 'upgrades'>> = {},
): RequestHead {
  return requestHead({
    id: 'id',
    httpVersion: '2.0',
    maxHeaders: 10,
    method: 'GET',
    target: '/api',
    rawHeaders,
    peerCertificate: undefined,
    signal: new AbortController().signal,
    ...part,
  });
}

function status(...args: Parameters<typeof head>): number {
  try {
    head(...args);
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

describe('requestHead', () => {
  it('has the names of the server that connection and request ask for, as they are compared', () => {
    const names = (rawHeaders: string[], tlsName?: string) => head(rawHeaders, { tlsName }).serverNames;
    expect(names([':authority', 'Acme.Example.com:8443'], 'acme.example.com')).toEqual(['acme.example.com']);
    expect(names(['Host', 'b.example.com.'], 'a.example.com')).toEqual(['a.example.com', 'b.example.com']);
    expect(names(['Host', 'a.example.com', ':authority', 'b.example.com'])).toEqual(['a.example.com', 'b.example.com']);
    expect(names([])).toEqual([]);
  });

  it('keeps what is on the list, under lower-case names', () => {
    const { headers } = head([
      'Accept',
      'a',
      'ACCEPT',
      'b',
      'Content-Type',
      'c',
      'X-Remote-User',
      'd',
      '__proto__',
      'e',
    ]);
    expect([...headers]).toEqual([
      ['accept', 'a, b'],
      ['content-type', 'c'],
    ]);
  });

  it('takes impersonation out', () => {
    const { headers, impersonate } = head([
      'Impersonate-User',
      'a',
      'impersonate-group',
      'b',
      'Impersonate-Group',
      'c',
    ]);
    expect(headers.size).toBe(0);
    expect([...impersonate]).toEqual([
      ['impersonate-user', ['a']],
      ['impersonate-group', ['b', 'c']],
    ]);
  });

  it.each([
    [['Authorization', 'a'], 200],
    [['Authorization', 'a', 'authorization', 'a'], 400],
    [['Content-Type', 'a', 'Content-Type', 'b'], 400],
    [['Host', 'a', 'Host', 'a'], 400],
    [['Content-Length', '1', 'Transfer-Encoding', 'chunked'], 400],
    [['Transfer-Encoding', 'chunked'], 200],
    [['Transfer-Encoding', 'gzip, chunked'], 400],
    [new Array(20).fill('x'), 200],
    [new Array(22).fill('x'), 431],
  ])('%j: %i', (rawHeaders, expected) => {
    expect(status(rawHeaders)).toBe(expected);
  });

  it.each([
    [{ method: 'PATCH' }, 200],
    [{ method: 'TRACE' }, 405],
    [{ method: 'get' }, 405],
    [{ method: '' }, 405],
    [{ target: '*' }, 400],
    [{ target: 'https://a/api' }, 400],
    [{ httpVersion: '1.1' }, 400],
    [{ httpVersion: '0.9' }, 400],
  ])('%j: %i', (part, expected) => {
    expect(status([], part)).toBe(expected);
  });

  it('upgrades no connection of HTTP/1.0', () => {
    const headers = ['Host', 'a', 'Upgrade', 'websocket'];
    expect(status(headers, { httpVersion: '1.1', upgrades: true })).toBe(200);
    expect(status(headers, { httpVersion: '1.0', upgrades: true })).toBe(400);
    expect(status(headers, { httpVersion: '1.0' })).toBe(200);
  });

  it('needs a host in HTTP/1.1', () => {
    expect(status(['Host', 'a'], { httpVersion: '1.1' })).toBe(200);
  });
});
