/** A patch that goes upstream mapped makes there what it makes of the object as the tenant sees it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import { ApiError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { applyPatch } from './apply.ts';
import { toTenant, toUpstream } from './object.ts';
import { NeedsLiveObject, patchToUpstream } from './patch.ts';

const ACME = scopeOf('acme');
/** So that as many patches are compared in each run. */
const SEED = 7;
const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';

const OBJECTS: ReadonlyArray<readonly [string, JsonObject]> = [
  [
    'apps/deployments',
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'x', namespace: 'web', labels: { a: 'b' }, annotations: { n: 'acme--text' } },
      spec: {
        replicas: 2,
        template: { metadata: { labels: { a: 'b' } }, spec: { priorityClassName: 'mine', nodeName: 'node-1' } },
      },
    },
  ],
  [
    'apiextensions.k8s.io/customresourcedefinitions',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.stable.example.com', labels: { a: 'b' }, annotations: { n: 'v' } },
      spec: { group: 'stable.example.com', names: { plural: 'foos', kind: 'Foo', singular: 'foo' } },
    },
  ],
];

const word = fc.constantFrom('x', 'acme--x', 'globex--y', 'a b', '');
const paths = fc.constantFrom(
  '/metadata/labels/a',
  '/metadata/labels/new',
  '/metadata/labels',
  '/metadata/annotations/n',
  '/metadata/annotations/x~1y',
  '/metadata/annotations',
  '/metadata/finalizers',
  '/spec/replicas',
  '/spec/template/spec/priorityClassName',
  '/spec/template/spec/nodeSelector',
  '/spec/template/metadata/labels/a',
  '/spec/names/shortNames',
  '/spec/none/deeper',
  '/spec',
);
const values: fc.Arbitrary<JsonValue> = fc.oneof(word, fc.dictionary(fc.constantFrom('a', 'b'), word), fc.nat(9));
const operation = fc.record({
  op: fc.constantFrom('add', 'remove', 'replace', 'test', 'move', 'copy'),
  path: paths,
  from: paths,
  value: values,
});
const jsonPatch = fc.array(operation, { minLength: 1, maxLength: 4 });
const merge = fc.record(
  {
    metadata: fc.record(
      {
        labels: fc.dictionary(fc.constantFrom('a', 'b'), fc.option(word)),
        annotations: fc.option(fc.dictionary(fc.constantFrom('n', 'm'), fc.option(word))),
      },
      { requiredKeys: [] },
    ),
    spec: fc.record(
      {
        replicas: fc.option(fc.nat(9)),
        template: fc.record({ spec: fc.record({ priorityClassName: fc.option(word) }) }),
        names: fc.record({ shortNames: fc.option(fc.array(word, { maxLength: 2 })) }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

/** What comes of it; undefined where it cannot be applied. */
function applied(object: JsonObject, patch: JsonValue, type: string): JsonObject | undefined {
  try {
    return applyPatch(structuredClone(object), structuredClone(patch), type);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

describe.each(OBJECTS)('a patch of %s', (of, object) => {
  const at = kindAt(ACME, of);

  it.each([
    [MERGE, merge as fc.Arbitrary<JsonValue>],
    [JSON_PATCH, jsonPatch as unknown as fc.Arbitrary<JsonValue>],
  ])('makes the same on both sides (%s)', (type, patches) => {
    let compared = 0;
    fc.assert(
      fc.property(patches, (patch) => {
        const wanted = applied(object, patch, type);
        const stored = toUpstream(structuredClone(object), at, ACME);
        let mapped: JsonValue;
        try {
          mapped = patchToUpstream(structuredClone(patch), type, at, ACME, '', '');
        } catch (error) {
          // What is refused, or needs the object, does not go upstream as a patch.
          if (error instanceof NeedsLiveObject || error instanceof ApiError) return;
          throw error;
        }
        const made = applied(stored, mapped, type);
        expect(made === undefined).toBe(wanted === undefined);
        if (made === undefined || wanted === undefined) return;
        compared++;
        expect(toTenant(made, at, ACME)).toEqual(toTenant(toUpstream(wanted, at, ACME), at, ACME));
      }),
      { numRuns: 1_000, seed: SEED },
    );
    expect(compared).toBeGreaterThan(20);
  });
});
