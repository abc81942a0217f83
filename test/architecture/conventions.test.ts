/**
 * Conventions that no linter knows: how a file begins, and that a test cannot excuse itself.
 */
import { describe, expect, it } from 'vitest';
import { read, sourceFiles } from './source-files.ts';

/** Ways to write a test that passes without holding; `.skip`, `.only` and `.todo` are refused by lint and runner too. */
const EXCUSES = /\b(?:it|test|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|fails|todo|only)\b|\bretry:|\bctx\.skip\(/;

const HEAD = /^(?:#!.*\n)?\/\*\*/;

describe('conventions', () => {
  it('every source file opens with what it is for', () => {
    const files = sourceFiles().filter((path) => !path.endsWith('.test.ts'));
    expect(files.filter((path) => !HEAD.test(read(path)))).toEqual([]);
  });

  it('no test is excused', () => {
    const tests = sourceFiles().filter((path) => path.endsWith('.test.ts'));
    expect(tests.filter((path) => EXCUSES.test(read(path)))).toEqual([]);
  });

  it.each(['skipIf(true)', 'fails', 'only', 'todo', 'concurrent.skip'])('sees that it.%s is an excuse', (excuse) => {
    expect(`  it.${excuse}('x')`).toMatch(EXCUSES);
  });

  it.each(['each([1])', 'concurrent', 'skipped'])('lets it.%s be', (allowed) => {
    expect(`  it.${allowed}('x')`).not.toMatch(EXCUSES);
  });
});
