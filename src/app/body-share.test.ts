import { describe, expect, it } from 'vitest';
import { decodeBody } from '../codec/body.ts';
import { createBodyShare } from './body-share.ts';

const never = new AbortController().signal;
/** Odd numbers keep their digits, each as an object. */
const BOMB = Buffer.from(`{"apiVersion":"v1","kind":"ConfigMap","a":[${'1e5,'.repeat(50_000)}1]}`);
const CALM = Buffer.from(`{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"${'x'.repeat(50_000)}"}}`);

function decode(bytes: Uint8Array): Promise<unknown> {
  const gvk = { group: '', version: 'v1', kind: 'ConfigMap' };
  const readYaml = async (): Promise<never> => {
    throw new Error('this is JSON');
  };
  return decodeBody(bytes, 'application/json', { verb: 'create', gvk, custom: false, readYaml });
}

describe('bodies that take long to read', () => {
  it('make their own tenant wait, and nobody else', async () => {
    // The clock stands, so that nothing comes back.
    const share = createBodyShare({ burstMs: 1, nowMs: () => 0 });
    const read = (bytes: Uint8Array, tenant: string, signal = never) =>
      share.read(bytes, tenant, signal, () => decode(bytes));
    await read(BOMB, 'acme');
    const leaving = new AbortController();
    const waiting = read(CALM, 'acme', leaving.signal);
    expect(await read(CALM, 'globex')).toMatchObject({ document: { kind: 'ConfigMap' } });
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ERR_TOO_MANY_REQUESTS', why: 'body-share' });
    await expect(waiting).rejects.toMatchObject({ details: { retryAfterSeconds: expect.any(Number) } });
  });

  it('hold up no small ones, also of their own tenant', async () => {
    const share = createBodyShare({ burstMs: 1, nowMs: () => 0 });
    await share.read(BOMB, 'acme', never, () => decode(BOMB));
    const small = Buffer.from('{"apiVersion":"v1","kind":"ConfigMap"}');
    expect(await share.read(small, 'acme', never, () => decode(small))).toBeDefined();
  });

  it('are read at once while there is time left', async () => {
    const share = createBodyShare({ nowMs: () => 0 });
    for (let at = 0; at < 50; at++) {
      expect(await share.read(CALM, 'acme', never, () => decode(CALM))).toBeDefined();
    }
  });
});
