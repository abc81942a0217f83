import { describe, expect, it } from 'vitest';
import { isNestedDeeper } from './yaml-shape.ts';

function steps(count: number): string {
  return Array.from({ length: count }, (_, at) => `${' '.repeat(at)}a:\n`).join('');
}

describe('isNestedDeeper', () => {
  it.each([
    ['- ', 101],
    ['? ', 101],
    [': ', 101],
    ['-\t', 101],
    ['- ? ', 51],
    ['[', 101],
    ['{a: ', 101],
    ['{a: [', 51],
    ['[\n', 101],
    ['[ ', 101],
    ['- [', 101],
    ['["x", ', 101],
  ])('sees %j, %i times', (step, count) => {
    expect(isNestedDeeper(step.repeat(count), 100)).toBe(true);
    expect(isNestedDeeper(`a: b\n${step.repeat(count)}`, 100)).toBe(true);
    // As many of them one after the other are no nesting.
    expect(isNestedDeeper(`${step.trim()} x\n`.repeat(count).replaceAll(/[[{]/g, '(('), 100)).toBe(false);
  });

  it('sees lines that are each inside of the one before', () => {
    expect(isNestedDeeper(steps(101), 100)).toBe(true);
    expect(isNestedDeeper(steps(100), 100)).toBe(false);
    expect(isNestedDeeper(`${steps(60)}b:\n${steps(60)}`, 100)).toBe(false);
    expect(isNestedDeeper('a:\n  b: 1\n'.repeat(1_000), 100)).toBe(false);
  });

  it.each([
    ['brackets that close', 'a: [[1], {b: [2]}]\n'.repeat(1_000)],
    ['brackets in text', 'a: it (says [this {and that\n'.repeat(1_000)],
    ['rules in text', `a: |\n  ${'- '.repeat(90)}\n`],
    ['dashes', `${'-'.repeat(5_000)}\n`],
    ['dotted keys', `a: ${'x:'.repeat(5_000)}\n`],
    ['empty lines', 'a:\n\n\n  b: 1\n\n'.repeat(500)],
    ['nothing', ''],
  ])('takes %s for what they are', (_what, text) => {
    expect(isNestedDeeper(text, 100)).toBe(false);
  });
});
