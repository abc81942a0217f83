/**
 * Keeps the documents true: every path that they name exists, and the map in AGENTS.md names every folder of `src`.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, read } from './source-files.ts';

const DOCUMENTS = ['AGENTS.md', 'CONTRIBUTING.md', 'README.md'].filter((path) => existsSync(join(ROOT, path)));

/** `src/lib`, `test/run.ts` or `AGENTS.md`, in backticks or as the target of a link. */
const PATH = /(?:`|\]\()((?:src|test|deploy|policies|docs)(?:\/[\w./-]+)?|[\w-]+\.(?:md|json))(?=[`)])/g;

function pathsIn(text: string): string[] {
  return [...text.matchAll(PATH)].map(([, path]) => path ?? '');
}

describe('documents', () => {
  it.each(DOCUMENTS)('%s names only paths that exist', (document) => {
    const paths = pathsIn(read(document));
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('map every folder and file of src', () => {
    const mapped = new Set(pathsIn(read('AGENTS.md')));
    const present = readdirSync(join(ROOT, 'src')).filter((name) => !name.endsWith('.test.ts'));
    expect(present.filter((name) => !mapped.has(`src/${name}`))).toEqual([]);
  });

  it('are read as they are written', () => {
    const text = 'See `src/lib`, [this](docs/a-b.md) and `src/x/y.ts`; not `npm run src/z`, `/apis/apps` or src/plain.';
    expect(pathsIn(text)).toEqual(['src/lib', 'docs/a-b.md', 'src/x/y.ts']);
  });
});
