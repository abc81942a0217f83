import { describe, expect, it } from 'vitest';
import { requestUri } from './request-uri.ts';

describe('the target of a request', () => {
  it.each([
    ['/version', '/version'],
    ['/api/v1/pods?', '/api/v1/pods?'],
    ['/api/v1/pods?watch=true&labelSelector=a%3Db', '/api/v1/pods?watch=true&labelSelector=a%3Db'],
    ['/api/v1/pods?limit=5&continue=abc', '/api/v1/pods?limit=5&continue=(hidden)'],
    ['/exec?container=a&command=mysql&command=-psecret', '/exec?container=a&command=(hidden)&command=(hidden)'],
    ['/api?access_token=a=b&%77atch=1', '/api?access_token=(hidden)&%77atch=(hidden)'],
    ['/api?alone', '/api?alone'],
    ['/api?__proto__=1&constructor=2', '/api?__proto__=(hidden)&constructor=(hidden)'],
  ])('%s is kept as %s', (target, kept) => {
    expect(requestUri(target, true)).toBe(kept);
  });

  it('of a pod’s own keeps none of what is asked of it', () => {
    expect(requestUri('/proxy/x?watch=secret&a', false)).toBe('/proxy/x?watch=(hidden)&a');
  });

  it('is cut', () => {
    expect(requestUri(`/${'a'.repeat(5_000)}`, true)).toHaveLength(2_051);
  });
});
