/**
 * The table of kinds against the live API server: nothing that it serves is without a row, nothing that its OpenAPI
 * calls a name, a namespace, a group, a class or a user is without an entry, and no entry points into the void.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import type { Kind } from '../../src/kinds/kind.ts';
import { KINDS } from '../../src/kinds/table.ts';
import { eventually } from '../support/processes.ts';
import { DISCOVERY_FILE, servedResources } from '../tools/discovery-list.ts';
import { type Fetch, fetchFrom } from '../tools/live.ts';
import { fetchSchemas, fieldsOf, isCandidate, isInTable, type Schemas } from '../tools/openapi-fields.ts';

const LOCAL_FIELDS = new URL('../vectors/local-fields.yaml', import.meta.url);
/**
 * Kinds that the host reads, or that it writes: not those that only the proxy answers, not those that nobody is offered,
 * and not virtual ones, in which nothing upstream follows a reference.
 */
const TRANSLATED = KINDS.filter(
  (kind) =>
    kind.answeredBy === undefined && Object.values(kind.classes).some((one) => one !== 'absent' && one !== 'virtual'),
);

let fetch: Fetch;
let schemas: Schemas;

beforeAll(async () => {
  fetch = fetchFrom(inject('controlPlane').adminKubeconfigPath);
  // What other servers serve comes into the API server's OpenAPI after a while.
  const hasMetrics = async (): Promise<boolean> => {
    schemas = await fetchSchemas(fetch);
    return schemas.has('io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetrics');
  };
  await eventually('the OpenAPI of metrics is there', hasMetrics, 120_000);
});

/** `core.v1.Container.name` -> why it needs no translation. */
function localFields(): Map<string, string> {
  const groups: { reason: string; fields: Record<string, string[]> }[] = parse(readFileSync(LOCAL_FIELDS, 'utf8'));
  const entries = groups.flatMap(({ reason, fields }) =>
    Object.entries(fields).flatMap(([definition, names]) =>
      names.map((name): [string, string] => [`${definition}.${name}`, reason]),
    ),
  );
  expect(entries.filter(([, reason]) => reason === '')).toEqual([]);
  const fields = new Map(entries);
  expect(fields.size, 'a field is listed twice').toBe(entries.length);
  return fields;
}

/** Candidates that the table does not name: field -> the first place where it occurs. */
function openCandidates(kinds: readonly Kind[]): Map<string, string> {
  const open = new Map<string, string>();
  for (const kind of kinds) {
    for (const field of fieldsOf(schemas, kind)) {
      if (isCandidate(field) && !isInTable(kind, field) && !open.has(field.name)) {
        open.set(field.name, `${kind.kind} ${field.path}`);
      }
    }
  }
  return open;
}

/** Paths of a kind at all its versions, with and without the marks of lists and maps at their end. */
function pathsOf(kind: Kind): Set<string> {
  const paths = new Set<string>();
  for (const { path } of fieldsOf(schemas, kind)) {
    paths.add(path);
    paths.add(path.replace(/\{\}$/, '{key}'));
    paths.add(path.replace(/(\[\]|\{\})+$/, ''));
  }
  return paths;
}

describe('the table of kinds', () => {
  it('was tested against what this server serves', async () => {
    const live = await servedResources(fetch);
    expect(live).toEqual(JSON.parse(readFileSync(DISCOVERY_FILE, 'utf8')));
  });

  it('or the list of local fields has every field that may hold a reference', () => {
    const local = localFields();
    const open = openCandidates(TRANSLATED);
    const unknown = [...open].filter(([name]) => !local.has(name));
    expect(unknown, 'give each a reference in src/kinds/table, or a reason in test/vectors/local-fields.yaml').toEqual(
      [],
    );
    const needless = [...local.keys()].filter((name) => !open.has(name));
    expect(needless, 'remove from test/vectors/local-fields.yaml').toEqual([]);
  });

  it.each([
    ['Pod', 'Pod spec.runtimeClassName'],
    ['NetworkPolicy', 'NetworkPolicy spec.egress[].to[].namespaceSelector'],
    ['Endpoints', 'Endpoints subsets[].addresses[].targetRef'],
    ['ResourceQuota', 'ResourceQuota spec.hard{}'],
  ])('is found wanting when the row of %s is empty', (name, place) => {
    const kinds = TRANSLATED.filter((kind) => kind.kind === name).map((kind) => ({ ...kind, refs: [] }));
    const local = localFields();
    const unknown = [...openCandidates(kinds)].filter(([field]) => !local.has(field));
    expect(unknown.map(([, found]) => found)).toContain(place);
  });

  // What an adapter measures has no schema where there is none; its answers are made anew, by no reference of its row.
  const HELD = KINDS.filter((kind) => kind.answeredBy === undefined && kind.byMetric === undefined);
  it.each(HELD)('$group/$resource names fields that exist', (kind) => {
    const paths = pathsOf(kind);
    expect(paths.size).toBeGreaterThan(0);
    // `data` of a ControllerRevision is free JSON; `metadata` is the same for all kinds.
    const named = [...kind.refs.map((reference) => reference.path), ...(kind.shows ?? [])];
    const checked = named.filter((path) => !/^(metadata|data)(\.|$)|\.openAPIV3Schema\.properties\./.test(path));
    // The last part may be a key of a map: `spec.hard.configmaps`.
    const exists = (path: string) => paths.has(path) || paths.has(path.replace(/\.[^.]*$/, '{key}'));
    expect(checked.filter((path) => !exists(path))).toEqual([]);
  });
});
