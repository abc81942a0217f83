import { describe, expect, it } from 'vitest';
import { PathPatterns } from './path-patterns.ts';

describe('paths of a rule', () => {
  it.each<[string[], string, boolean]>([
    [['/a'], '/a', true],
    [['/a'], '/a/b', false],
    [['/a'], '/a*', false],
    [['/a*'], '/a', true],
    [['/a*'], '/a/b', true],
    [['/a*'], '/a*', true],
    [['/a/*'], '/a', false],
    [['/a***'], '/ab', true],
    [['*'], '', true],
    [['/a*b'], '/axb', false],
    [['/a*b'], '/a*b', true],
    [['/x', '/a/long/one*', '/a*'], '/ab', true],
    [['/x', '/a/long/one*', '/b*'], '/ab', false],
    [[], '', false],
  ])('%j: does it stand for %j? %s', (urls, path, has) => {
    expect(new PathPatterns(urls).has(path)).toBe(has);
  });

  it('are read in one go however many stars there are in them', () => {
    // Of an expression each star would be a beginning: ten minutes.
    const stars = '*'.repeat(1_400_000);
    const patterns = new PathPatterns([`${stars}x*`]);
    expect(patterns.has(`${stars}xy`)).toBe(true);
    expect(patterns.has(stars)).toBe(false);
  });

  it('take a look-up for each length, not for each of them', () => {
    const urls = Array.from({ length: 90_000 }, (_, at) => `/${10_000 + at}*`);
    const patterns = new PathPatterns(urls);
    expect(patterns.lengths).toBe(1);
    expect(patterns.has('/54321/x')).toBe(true);
    expect(patterns.has('/x')).toBe(false);
  });
});
