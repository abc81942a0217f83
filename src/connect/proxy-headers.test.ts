import { describe, expect, it } from 'vitest';
import { headersFromPod, headersToPod } from './proxy-headers.ts';

const ADDRESSES = {
  upstream: '/api/v1/namespaces/acme--web/pods/a/proxy',
  tenant: '/api/v1/namespaces/web/pods/a/proxy',
};

describe('headers to a pod', () => {
  it.each([
    'Authorization',
    'Cookie',
    'Impersonate-User',
    'Impersonate-Extra-scopes',
    'X-Remote-User',
    'X-Forwarded-For',
    'Forwarded',
    'Proxy-Authorization',
    'Host',
    'Transfer-Encoding',
    'Sec-WebSocket-Protocol',
    ':authority',
    'Accept-Encoding',
  ])('never hold %s', (name) => {
    expect(headersToPod([name, 'x', 'X-Own', 'y'])).toEqual([['x-own', 'y']]);
  });
  it('keep the application’s own, a name that occurs twice too', () => {
    const sent = ['Accept', 'text/html', 'X-Csrf', '1', 'X-Tag', 'a', 'X-Tag', 'b', 'Content-Type', 'text/plain'];
    expect(headersToPod(sent)).toEqual([
      ['accept', 'text/html'],
      ['x-csrf', '1'],
      ['x-tag', 'a'],
      ['x-tag', 'b'],
      ['content-type', 'text/plain'],
    ]);
  });
  it('leave out what Connection names', () => {
    expect(headersToPod(['Connection', 'close, X-Hop', 'X-Hop', '1', 'X-Own', '2'])).toEqual([['x-own', '2']]);
  });
});

describe('headers from a pod', () => {
  it.each([
    'set-cookie',
    'service-worker-allowed',
    'clear-site-data',
    'strict-transport-security',
    'connection',
    'audit-id',
    'x-kubernetes-pf-flowschema-uid',
  ])('never hold %s', (name) => {
    expect(headersFromPod({ [name]: 'x', 'x-own': 'y' }, ADDRESSES, false)).toEqual({ 'x-own': 'y' });
  });
  it('lead to where the client sees the application', () => {
    const location = (value: string) => headersFromPod({ location: value }, ADDRESSES, false)['location'];
    expect(location(`${ADDRESSES.upstream}/login`)).toBe(`${ADDRESSES.tenant}/login`);
    expect(location('https://elsewhere.example/')).toBe('https://elsewhere.example/');
  });
  it('say what a connection became, and only then', () => {
    const headers = { connection: 'upgrade', upgrade: 'websocket' };
    expect(headersFromPod(headers, ADDRESSES, true)).toEqual(headers);
    expect(headersFromPod(headers, ADDRESSES, false)).toEqual({});
  });
});
