import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { focusOf, readList } from './list.ts';

describe('the list of tests', () => {
  it('is what its lines name, without comments', () => {
    expect(readList('# a word\n\n[sig-a] one [Conformance]\n  [sig-b] two\n')).toEqual([
      '[sig-a] one [Conformance]',
      '[sig-b] two',
    ]);
  });

  it.each([
    ['that is empty', '# nothing\n\n', 'the list names no test'],
    ['that names one twice', '[sig-a] one\n[sig-a] one\n', 'the list names a test twice: [sig-a] one'],
  ])('%s is refused', (_, text, message) => {
    expect(() => readList(text)).toThrow(message);
  });

  it('of the project can be read', () => {
    const names = readList(readFileSync(new URL('./list.txt', import.meta.url), 'utf8'));
    expect(names.length).toBeGreaterThanOrEqual(79);
    for (const name of names) expect(name).toMatch(/^\[sig-[a-z-]+\] .+\[Conformance\]$/);
  });
});

describe('the focus', () => {
  const names = ['[sig-a] (one) --unix-socket=/path `x`. [Conformance]', '[sig-b] a|b* $c [Conformance]'];
  const focus = new RegExp(focusOf(names));

  it('fits each name, with words before it', () => {
    for (const name of names) expect(focus.test(`Kubernetes e2e suite ${name}`)).toBe(true);
  });

  it('fits no other', () => {
    for (const name of names) expect(focus.test(`${name} and more`)).toBe(false);
    expect(focus.test('[sig-b] a [Conformance]')).toBe(false);
    expect(focus.test('[sig-a] one --unix-socket=/path `x`. [Conformance]')).toBe(false);
  });
});
