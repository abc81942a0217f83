import { expect, it } from 'vitest';
import { targetOf } from './target.ts';

it.each([
  [{ service: { namespace: 'web', name: 'hook' } }, 'https://hook.web.svc:443', '/', 'hook.web.svc', 443],
  [
    { service: { namespace: 'web', name: 'hook', path: '/a/b/', port: 8443 } },
    'https://hook.web.svc:8443',
    '/a/b',
    'hook.web.svc',
    8443,
  ],
  [{ url: 'https://hooks.example.com/x' }, 'https://hooks.example.com', '/x', 'hooks.example.com', 443],
  [{ url: 'https://[::1]:8443' }, 'https://[::1]:8443', '/', '::1', 8443],
])('%j leads to %s%s', (config, origin, path, host, port) => {
  expect(targetOf(config)).toMatchObject({ origin, path, host, port, ca: undefined });
});

it('takes a bundle of blanks for none', () => {
  const caBundle = Buffer.from(' \n').toString('base64');
  expect(targetOf({ url: 'https://a.example.com', caBundle }).ca).toBeUndefined();
  const pem = '-----BEGIN CERTIFICATE-----';
  expect(targetOf({ url: 'https://a.example.com', caBundle: Buffer.from(pem).toString('base64') }).ca).toBe(pem);
});

it.each([{}, { url: 'no url' }, { url: 'http://a.example.com' }])('%j leads nowhere', (config) => {
  expect(() => targetOf(config)).toThrow(/webhook/);
});
