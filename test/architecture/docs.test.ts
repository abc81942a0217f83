/**
 * Keeps the documents true: every path and link in them leads somewhere, the map in AGENTS.md names every folder of `src`,
 * and the tables that repeat what the code says (settings, messages, tests that hold a promise) say it still.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { envOf, flagOf, SETTINGS, type SettingName } from '../../src/config/settings.ts';
import { ROOT, read, sourceFiles } from './source-files.ts';

const PAGES = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => `docs/${path.replaceAll('\\', '/')}`);
const DOCUMENTS = ['AGENTS.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', ...PAGES];

/** `src/lib`, `test/run.ts` or `AGENTS.md` in backticks: a path from the root. */
const PATH = /`((?:src|test|deploy|policies|docs)(?:\/[\w./-]+)?|[\w-]+\.(?:md|json))(?=`)/g;
/** The target of a link that stays in the repository, and the heading in it. */
const LINK = /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

function pathsIn(text: string): string[] {
  return [...text.matchAll(PATH)].map(([, path]) => path ?? '');
}

/** Paths from the root, of the links in a document; each with the heading that it names. */
function linksIn(text: string, document: string): Array<{ path: string; heading: string | undefined }> {
  return [...text.matchAll(LINK)].map(([, target, heading]) => ({
    path: target === '' ? document : join(document, '..', target ?? '').replaceAll('\\', '/'),
    heading,
  }));
}

/** As GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Cells of the rows below a heading, without the head of the table. */
function rowsBelow(document: string, heading: string): string[][] {
  const section = read(document).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('documents', () => {
  it.each(DOCUMENTS)('%s names only paths that exist', (document) => {
    const text = read(document);
    const beside = (path: string): string => join(document, '..', path);
    const missing = pathsIn(text).filter((path) => ![path, beside(path)].some((one) => existsSync(join(ROOT, one))));
    expect(missing).toEqual([]);
  });

  it.each(DOCUMENTS)('%s links only to what is there', (document) => {
    const broken = linksIn(read(document), document).filter(({ path, heading }) => {
      if (!existsSync(join(ROOT, path))) return true;
      return heading !== undefined && !anchorsOf(read(path)).includes(heading);
    });
    expect(broken).toEqual([]);
  });

  it('map every folder and file of src', () => {
    const mapped = new Set(pathsIn(read('AGENTS.md')));
    const present = readdirSync(join(ROOT, 'src')).filter((name) => !name.endsWith('.test.ts'));
    expect(present.filter((name) => !mapped.has(`src/${name}`))).toEqual([]);
  });

  it('are read as they are written', () => {
    const text =
      'See `src/lib`, [this](docs/a-b.md#c) and `src/x/y.ts`; not `npm run src/z`, `/apis/apps` or src/plain.';
    expect(pathsIn(text)).toEqual(['src/lib', 'src/x/y.ts']);
    expect(linksIn(`${text} [that](../d.md) [there](#e) [far](https://f.example/g.md)`, 'docs/h.md')).toEqual([
      { path: 'docs/docs/a-b.md', heading: 'c' },
      { path: 'd.md', heading: undefined },
      { path: 'docs/h.md', heading: 'e' },
    ]);
    expect(anchorsOf('# A\n## The proxy’s own `word`\n')).toEqual(['a', 'the-proxys-own-word']);
  });

  it('list every decision', () => {
    const records = PAGES.filter((path) => /\/\d{4}-/.test(path));
    const listed = linksIn(read('docs/decisions/README.md'), 'docs/decisions/README.md').map(({ path }) => path);
    expect(records.length).toBeGreaterThan(0);
    expect(listed.filter((path) => /\/\d{4}-/.test(path)).sort()).toEqual(records.sort());
  });
});

describe('docs/operations.md', () => {
  it('lists every setting as it is', () => {
    const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
      const setting = SETTINGS[name];
      const preset = setting.default === undefined ? '' : `\`${setting.default}\``;
      return [`\`${name}\``, `\`${flagOf(name)}\``, `\`${envOf(name)}\``, preset, setting.help];
    });
    expect(rowsBelow('docs/operations.md', 'Settings')).toEqual(rows);
  });

  it('explains messages that the program says', () => {
    const program = sourceFiles()
      .filter((path) => path.startsWith('src/') && !path.endsWith('.test.ts'))
      .map(read)
      .join('\n')
      .replaceAll(/\$\{OWN_PREFIX\}/g, 'kubeveil.dev/');
    const said = rowsBelow('docs/operations.md', 'Troubleshooting')
      .filter(([, meaning]) => meaning?.startsWith('from the host') === false)
      .map(([message]) => message?.replaceAll('`', '') ?? '');
    expect(said.length).toBeGreaterThan(20);
    expect(said.filter((message) => !program.includes(message))).toEqual([]);
  });
});

describe.each([
  ['docs/architecture.md', 'Promises, and the tests that hold them'],
  ['docs/security.md', 'Bad input, and the tests that send it'],
  ['docs/attacks.md', 'Attacks, and the tests that make them'],
  ['docs/cache.md', 'Rules, and the tests that hold them'],
  ['docs/cache.md', 'While the API server does not answer, and after'],
  ['docs/cache.md', 'What others had, and what keeps it from happening here'],
])('%s', (page, heading) => {
  it('names tests that exist', () => {
    const rows = rowsBelow(page, heading);
    expect(rows.length).toBeGreaterThan(10);
    const missing = rows.filter(([, file, title]) => !read(file?.replaceAll('`', '') ?? '').includes(title ?? '-'));
    expect(missing).toEqual([]);
  });
});
