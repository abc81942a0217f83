import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readBody } from './read-body.ts';

const NO_HEADERS = new Map<string, string>();
const NEVER = new AbortController().signal;

describe('readBody', () => {
  it('joins what comes', async () => {
    const body = Readable.from([Buffer.from('ab'), Buffer.from('c')]);
    expect(Buffer.from(await readBody(body, 3, NO_HEADERS, NEVER)).toString()).toBe('abc');
    expect(await readBody(Readable.from([]), 3, NO_HEADERS, NEVER)).toHaveLength(0);
  });

  it('refuses more than the limit, as kube-apiserver words it', async () => {
    const body = new Readable({ read() {} });
    body.push('ab');
    body.push('cd');
    await expect(readBody(body, 3, NO_HEADERS, NEVER)).rejects.toMatchObject({
      status: 413,
      message: 'Request entity too large: limit is 3',
    });
    expect(body.isPaused()).toBe(true);
  });

  it('refuses packed bodies, and takes identity', async () => {
    const encoded = (encoding: string): Promise<Uint8Array> =>
      readBody(Readable.from([Buffer.from('a')]), 3, new Map([['content-encoding', encoding]]), NEVER);
    await expect(encoded('gzip')).rejects.toMatchObject({ status: 415 });
    await expect(encoded('identity, gzip')).rejects.toMatchObject({ status: 415 });
    expect(await encoded('identity')).toHaveLength(1);
  });

  it('ends with the signal, also when that has fired already', async () => {
    const stop = new AbortController();
    const waiting = readBody(new Readable({ read() {} }), 3, NO_HEADERS, stop.signal);
    stop.abort(new TypeError('over'));
    await expect(waiting).rejects.toThrow('over');
    await expect(readBody(Readable.from([]), 3, NO_HEADERS, stop.signal)).rejects.toThrow('over');
  });

  it('refuses a body that breaks off', async () => {
    const body = new Readable({ read() {} });
    body.push('a');
    const waiting = readBody(body, 3, NO_HEADERS, NEVER);
    body.destroy();
    await expect(waiting).rejects.toMatchObject({ status: 400, why: 'broken-body' });
  });
});
