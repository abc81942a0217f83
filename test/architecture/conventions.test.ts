/**
 * Conventions that no linter knows: how a file begins, and that a test cannot excuse itself.
 */
import { describe, expect, it } from 'vitest';
import { read, sourceFiles } from './source-files.ts';

/** Ways to write a test that passes without holding; `.skip`, `.only` and `.todo` are refused by lint and runner too. */
const EXCUSES = /\b(?:it|test|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|fails|todo|only)\b|\bretry:|\bctx\.skip\(/;

const HEAD = /^(?:#!.*\n)?\/\*\*/;

/** What `src/tenancy/host-names.ts` has, and its neighbours: accounts, users, groups, labels and objects of ours. */
const HOST_NAME =
  /kubeveil-(system|public|datapath|reader|provisioner)|kubeveil:[a-z]|kubeveil:(?=[`'"$])|kubeveil\.dev\/|tenant-ca-|kubeveil\.inert/;

/** The program itself, without its tests. */
function programFiles(): string[] {
  return sourceFiles().filter((path) => path.startsWith('src/') && !path.endsWith('.test.ts'));
}

/** A file without its comments. */
function codeOf(path: string): string {
  return read(path).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}

describe('conventions', () => {
  it('every source file opens with what it is for', () => {
    const files = sourceFiles().filter((path) => !path.endsWith('.test.ts'));
    expect(files.filter((path) => !HEAD.test(read(path)))).toEqual([]);
  });

  it('JSON is parsed by the codec, which keeps every digit', () => {
    // The playground passes nothing on, and knows no codec.
    const files = programFiles().filter((path) => !/^src\/(codec|dev)\//.test(path));
    expect(files.filter((path) => /\bJSON\.parse\(/.test(codeOf(path)))).toEqual([]);
    expect(codeOf('src/codec/json.ts')).toMatch(/\bJSON\.parse\(/);
  });

  it('names on the host have one home', () => {
    const files = programFiles().filter((path) => !path.startsWith('src/tenancy/'));
    expect(files.filter((path) => HOST_NAME.test(codeOf(path)))).toEqual([]);
  });

  it.each(['`kubeveil:$', "'kubeveil-system'", "'kubeveil.dev/guard'", '`tenant-ca-', "'kubeveil:tenants'"])(
    'sees that %s is a name on the host',
    (code) => {
      expect(code).toMatch(HOST_NAME);
    },
  );

  it.each(["'kubeveil'", "'kubeveil: it failed'", "'kubeveil tenant list'", "'kubeveil.dev'"])('lets %s be', (code) => {
    expect(code).not.toMatch(HOST_NAME);
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
