/** One small object of every namespaced built-in kind that a tenant may write: `test/vectors/kinds/*.yaml`. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../src/k8s/types.ts';

const FOLDER = new URL('../vectors/kinds/', import.meta.url);

/** The objects for one namespace, new ones at each call. `rename` replaces the word `sample` in all that they hold. */
export function samples(namespace: string, rename = 'sample'): JsonObject[] {
  return readdirSync(FOLDER)
    .sort()
    .map((file) => readFileSync(new URL(file, FOLDER), 'utf8'))
    .flatMap((text) => parseAllDocuments(text.replaceAll('NAMESPACE', namespace).replaceAll('sample', rename)))
    .map((document) => document.toJS() as JsonObject);
}

/** As documents that kubectl takes with `-f -`. JSON is YAML. */
export function asManifest(objects: readonly JsonObject[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

/** Writes a manifest into a new file, for the commands of kubectl that do not read standard input. */
export function fileOf(manifest: string): string {
  const file = join(mkdtempSync(join(inject('controlPlane').workDir, 'manifest-')), 'manifest.json');
  writeFileSync(file, manifest);
  return file;
}
