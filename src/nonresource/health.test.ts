import { describe, expect, it } from 'vitest';
import type { NonResourceInfo, Reply } from '../exchange.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import { type HealthCheck, health, healthOf } from './health.ts';

function checks(problem?: string): readonly HealthCheck[] {
  return [
    { name: 'informer-sync', passes: () => true },
    { name: 'walls', passes: () => problem === undefined },
  ];
}

function said(reply: Reply | undefined): unknown {
  return reply?.kind === 'bytes' ? [reply.status, Buffer.from(reply.bytes).toString()] : reply;
}

function ask(method: string, target: string, problem?: string): unknown {
  return said(health(parseRequestInfo(method, target), checks(problem)));
}

function askAsTenant(target: string, problem?: string): unknown {
  return said(healthOf(parseRequestInfo('GET', target) as NonResourceInfo, checks(problem)));
}

const READY = '[+]ping ok\n[+]informer-sync ok\n[+]walls ok\nreadyz check passed\n';
const NOT_READY = '[+]ping ok\n[+]informer-sync ok\n[-]walls failed: reason withheld\nreadyz check failed\n';

describe('health', () => {
  it('is told to anybody', () => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      expect(ask('GET', path)).toEqual([200, 'ok']);
      expect(ask('HEAD', path)).toEqual([200, 'ok']);
    }
  });

  it('tells that the proxy is not ready, and not why', () => {
    for (const query of ['', '?verbose']) expect(ask('GET', `/readyz${query}`, 'it fell')).toEqual([500, NOT_READY]);
    expect(ask('GET', '/healthz', 'it fell')).toEqual([200, 'ok']);
    expect(ask('GET', '/livez', 'it fell')).toEqual([200, 'ok']);
  });

  it.each([
    ['/readyz?verbose', READY],
    ['/readyz?verbose=false', READY],
    ['/livez?verbose', '[+]ping ok\nlivez check passed\n'],
    ['/healthz?verbose=1', '[+]ping ok\nhealthz check passed\n'],
    ['/readyz?exclude=walls', 'ok'],
    [
      '/readyz?verbose&exclude=walls&exclude=ping',
      '[+]ping excluded: ok\n[+]informer-sync ok\n[+]walls excluded: ok\nreadyz check passed\n',
    ],
    [
      '/livez?verbose&exclude=walls&exclude=a%22b',
      '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "a\\"b", "walls"\nlivez check passed\n',
    ],
  ])('%s is told check by check', (target, text) => {
    expect(ask('GET', target)).toEqual([200, text]);
    expect(askAsTenant(target)).toEqual([200, text]);
  });

  it('is as those checks are that are not excluded', () => {
    expect(ask('GET', '/readyz?exclude=walls', 'it fell')).toEqual([200, 'ok']);
    expect(ask('GET', '/readyz?exclude=ping', 'it fell')).toEqual([
      500,
      NOT_READY.replace('[+]ping ok', '[+]ping excluded: ok'),
    ]);
  });

  it.each(['/', '/readyz/ping', '/readyz/etcd', '/version', '/apis', '/tenants/acme/readyz', '/api/v1/pods'])(
    'leaves %s to those who may ask',
    (target) => {
      expect(ask('GET', target)).toBeUndefined();
    },
  );

  it('is not to be written', () => {
    expect(() => ask('POST', '/readyz')).toThrow(expect.objectContaining({ status: 405 }));
  });
});

describe('a single check', () => {
  it.each(['/readyz/ping', '/readyz/walls', '/livez/ping', '/healthz/ping', '/tenants/acme/readyz/informer-sync'])(
    '%s is answered',
    (target) => {
      expect(askAsTenant(target)).toEqual([200, 'ok']);
    },
  );

  it('that fails does not say why', () => {
    expect(askAsTenant('/readyz/walls', 'it fell')).toEqual([500, 'internal server error: reason withheld\n']);
  });

  it.each(['/readyz/etcd', '/livez/walls', '/readyz/ping/x', '/readyz2', '/version'])('%s is none', (target) => {
    expect(askAsTenant(target)).toBeUndefined();
  });
});
