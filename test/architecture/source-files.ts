/**
 * Lists the project's own source files for the tests in this folder.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json, without a slash at its end. */
export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Paths from the root (with `/`) of the code in `src` and `test`, without generated files, sorted. */
export function sourceFiles(): string[] {
  return ['src', 'test']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.(ts|mjs)$/.test(path) && !path.includes('.generated.'))
    .sort();
}

/** How many lines a text has, as an editor counts them. */
export function countLines(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

/** The text of a file, by its path from the root. */
export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
