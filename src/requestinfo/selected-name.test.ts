import { describe, expect, it } from 'vitest';
import { selectedName } from './selected-name.ts';

function named(fieldSelector: string, more: Record<string, string> = {}): string | undefined {
  return selectedName(new Map(Object.entries({ fieldSelector, ...more })));
}

describe('the name that a field selector pins', () => {
  it.each([
    ['metadata.name=one', 'one'],
    ['metadata.name==one', 'one'],
    ['spec.nodeName=n,metadata.name=one', 'one'],
    ['metadata.name=a\\,b', 'a,b'],
    ['metadata.name=a\\=b', 'a=b'],
    [',metadata.name=one,', 'one'],
    ['metadata.name=one,metadata.name=two', 'one'],
  ])('of %j is %j', (selector, name) => {
    expect(named(selector)).toBe(name);
  });

  it.each(['', 'metadata.name!=one', 'spec.x=one', 'metadata.name=', 'metadata.name=..', 'metadata.name=a/b'])(
    'of %j is none',
    (selector) => {
      expect(named(selector)).toBeUndefined();
    },
  );

  it.each(['spec.x=metadata.name=one', 'metadata.name=a\\b', 'metadata.name=one,oops', 'metadata.name'])(
    'of %j, which does not parse, is none',
    (selector) => {
      expect(named(selector)).toBeUndefined();
    },
  );

  it('is none where another option does not parse', () => {
    expect(named('metadata.name=one', { limit: '5', timeoutSeconds: '' })).toBe('one');
    expect(named('metadata.name=one', { limit: 'five' })).toBeUndefined();
    expect(selectedName(new Map())).toBeUndefined();
  });
});
