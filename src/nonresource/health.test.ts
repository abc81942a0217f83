import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import { health } from './health.ts';

function ask(method: string, target: string, problem?: string): unknown {
  const reply = health(parseRequestInfo(method, target), () => problem);
  if (reply?.kind !== 'bytes') return reply;
  return [reply.status, Buffer.from(reply.bytes).toString()];
}

describe('health', () => {
  it('is told to anybody', () => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      expect(ask('GET', path)).toEqual([200, 'ok']);
      expect(ask('HEAD', path)).toEqual([200, 'ok']);
    }
  });

  it('tells that the proxy is not ready, and not why', () => {
    expect(ask('GET', '/readyz', 'the wall fell')).toEqual([503, 'not ready']);
    expect(ask('GET', '/healthz', 'the wall fell')).toEqual([200, 'ok']);
    expect(ask('GET', '/livez', 'the wall fell')).toEqual([200, 'ok']);
  });

  it.each(['/', '/readyz/etcd', '/version', '/apis', '/tenants/acme/readyz', '/api/v1/pods'])(
    'leaves %s to those who may ask',
    (target) => {
      expect(ask('GET', target)).toBeUndefined();
    },
  );

  it('is not to be written', () => {
    expect(() => ask('POST', '/readyz')).toThrow(expect.objectContaining({ status: 405 }));
  });
});
