import { describe, expect, it } from 'vitest';
import { askedUpgrade } from './upgrade.ts';

const WEBSOCKET = [
  'Connection',
  'Upgrade',
  'Upgrade',
  'websocket',
  'Sec-WebSocket-Key',
  'k',
  'Sec-WebSocket-Version',
  '13',
];
const token = (text: string): string =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(text).toString('base64url')}`;

describe('what a connection is asked to become', () => {
  it.each([
    ['websocket', 'websocket'],
    ['WebSocket', 'websocket'],
    ['SPDY/3.1', 'SPDY/3.1'],
  ] as const)('%s is %s', (sent, protocol) => {
    expect(askedUpgrade(['Upgrade', sent]).upgrade.protocol).toBe(protocol);
  });

  it.each(['h2c', 'TLS/1.0', 'websocket, h2c', ''])('%s is refused', (sent) => {
    expect(() => askedUpgrade(['Upgrade', sent])).toThrow(/other than websocket or SPDY\/3\.1/);
  });

  it.each([
    ['Content-Length', '4'],
    ['Transfer-Encoding', 'chunked'],
  ])('a body is refused: %s', (name, value) => {
    expect(() => askedUpgrade([...WEBSOCKET, name, value])).toThrow(/must not have a body/);
    expect(askedUpgrade([...WEBSOCKET, 'Content-Length', '0']).upgrade.protocol).toBe('websocket');
  });

  it('passes on the handshake, and nothing else', () => {
    const others = ['Authorization', 'Bearer t', 'Cookie', 'a=b', 'Origin', 'https://x', 'Impersonate-User', 'root'];
    const compressed = ['Sec-WebSocket-Extensions', 'permessage-deflate'];
    const spdy = ['X-Stream-Protocol-Version', 'v4.channel.k8s.io', 'X-Stream-Protocol-Version', 'v3.channel.k8s.io'];
    expect(askedUpgrade([...WEBSOCKET, ...others, ...compressed, ...spdy]).upgrade.headers).toEqual([
      ['sec-websocket-key', 'k'],
      ['sec-websocket-version', '13'],
      ['x-stream-protocol-version', 'v4.channel.k8s.io'],
      ['x-stream-protocol-version', 'v3.channel.k8s.io'],
    ]);
  });
});

describe('a token among the sub-protocols', () => {
  it('is taken out', () => {
    const { upgrade, bearer } = askedUpgrade([
      ...WEBSOCKET,
      'Sec-WebSocket-Protocol',
      `v5.channel.k8s.io, ${token('abc')}`,
    ]);
    expect(bearer).toBe('abc');
    expect(upgrade.headers).toContainEqual(['sec-websocket-protocol', 'v5.channel.k8s.io']);
    expect(JSON.stringify(upgrade)).not.toContain('bearer');
  });

  it('is not there when nobody sent one', () => {
    expect(askedUpgrade([...WEBSOCKET, 'Sec-WebSocket-Protocol', 'v5.channel.k8s.io']).bearer).toBeUndefined();
  });

  it.each([
    ['two tokens', `v5.channel.k8s.io, ${token('a')}, ${token('b')}`, /one bearer token/],
    ['an empty token', `v5.channel.k8s.io, ${token('')}`, /one bearer token/],
    ['a token alone', token('a'), /needs another sub-protocol/],
  ])('is refused: %s', (_what, value, message) => {
    expect(() => askedUpgrade([...WEBSOCKET, 'Sec-WebSocket-Protocol', value])).toThrow(message);
  });
});
