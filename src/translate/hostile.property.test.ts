/** Documents of the wrong shape at any place: every one ends in a result or in a refusal, never in a fault. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindsOf, scopeOf } from '../../test/support/translate-scope.ts';
import { parseJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { eventToTenant } from './event.ts';
import { listToTenant } from './list.ts';
import { NotOurs, toTenant, toUpstream } from './object.ts';
import { patchToUpstream } from './patch.ts';
import { selectorsToUpstream } from './selectors.ts';
import { statusToTenant } from './status.ts';
import { type Node, treeOf } from './tree.ts';

const ACME = scopeOf('acme');
const KINDS = kindsOf(ACME).filter(({ kind }) => kind.answeredBy !== 'proxy');

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
  fc.constantFrom<JsonValue>('', 'acme--', 'acme--web', 'globex--web', '--', null, {}, [], 0, parseJson('1.0')),
  fc.record({ kind: fc.constantFrom('Pod', 'Namespace', 'User'), name: fc.constantFrom<JsonValue>('x', 7, null, '') }),
);

/** Values that lead the walk as deep as the tree goes, with anything at its places. */
function ofNode(node: Node): fc.Arbitrary<JsonValue> {
  const options: fc.Arbitrary<JsonValue>[] = [anything];
  if (node.items !== undefined) options.push(fc.array(ofNode(node.items), { maxLength: 2 }));
  if (node.keys !== undefined || node.values !== undefined)
    options.push(fc.dictionary(fc.string(), anything, { maxKeys: 3 }));
  if (node.fields.size > 0) {
    options.push(
      fc.record(
        Object.fromEntries([...node.fields].map(([field, below]) => [field, ofNode(below)])),
      ) as fc.Arbitrary<JsonObject>,
    );
  }
  return fc.oneof(
    { withCrossShrink: true },
    ...options.map((arbitrary, at) => ({ arbitrary, weight: at === 0 ? 1 : 4 })),
  );
}

const metadata = fc.record(
  {
    name: anything,
    generateName: anything,
    namespace: fc.oneof(fc.constant('acme--web'), anything),
    labels: fc.oneof(fc.constant({ 'kubeveil.dev/tenant': 'acme' }), anything),
    annotations: anything,
    finalizers: anything,
    ownerReferences: fc.oneof(anything, fc.array(anything)),
    managedFields: fc.oneof(anything, fc.array(fc.record({ apiVersion: anything, fieldsV1: anything }))),
  },
  { requiredKeys: [] },
);

function ofKind({ kind }: KindAtVersion): fc.Arbitrary<JsonObject> {
  const { references, messages } = treeOf(kind, '');
  const parts = fc.tuple(ofNode(references), ofNode(messages), fc.oneof(metadata, anything) as fc.Arbitrary<JsonValue>);
  return parts.map(([a, b, c]) => ({ ...(isObject(a) ? a : {}), ...(isObject(b) ? b : {}), metadata: c }));
}

/** Runs it; anything but a result, a refusal or "not ours" is a fault. */
function settles(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof NotOurs)) throw error;
  }
}

describe.each(KINDS.map((at) => [`${at.kind.group}/${at.version} ${at.kind.kind}`, at] as const))('%s', (_name, at) => {
  it('of any shape settles, both ways and as any patch', () => {
    fc.assert(
      fc.property(ofKind(at), (object) => {
        const fresh = () => parseJson(JSON.stringify(object)) as JsonObject;
        settles(() => toUpstream(fresh(), at, ACME));
        settles(() => toTenant(fresh(), at, ACME));
        settles(() =>
          listToTenant({ kind: `${at.kind.kind}List`, apiVersion: at.upstreamApiVersion, items: [fresh()] }, at, ACME),
        );
        for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']) {
          settles(() => patchToUpstream(fresh(), `application/${type}`, at, ACME));
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('anything', () => {
  const at = KINDS.find(({ kind }) => kind.kind === 'RoleBinding') as KindAtVersion;

  it('settles as a JSON patch', () => {
    const step = fc.constantFrom(
      'metadata',
      'labels',
      'subjects',
      'roleRef',
      'name',
      '0',
      '-',
      '-1',
      '__proto__',
      'kubeveil.dev~1x',
      '',
      '~',
    );
    const path = fc.oneof(
      fc.array(step).map((steps) => steps.map((one) => `/${one}`).join('')),
      fc.string(),
    );
    const op = fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'x');
    const operation = fc.oneof(anything, fc.record({ op, path, from: path, value: anything }));
    fc.assert(
      fc.property(fc.array(operation as fc.Arbitrary<JsonValue>), (operations) => {
        settles(() => patchToUpstream(operations, 'application/json-patch+json', at, ACME));
      }),
    );
  });

  it('settles as an event, a Status, a Table or a selector', () => {
    const names = { group: '', resource: 'pods', name: 'x', namespace: '' as const };
    const shape = fc.record(
      {
        kind: fc.constantFrom('Table', 'Status', 'PartialObjectMetadata', 'RoleBinding'),
        apiVersion: anything,
        metadata: anything,
        rows: anything,
        columnDefinitions: anything,
        message: anything,
        details: anything,
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(shape, fc.constantFrom('ADDED', 'BOOKMARK', 'ERROR'), fc.string(), (object, type, text) => {
        settles(() => eventToTenant({ type: type as 'ADDED', object }, at, ACME));
        settles(() => statusToTenant(object, ACME, names));
        settles(() => selectorsToUpstream({ label: text, field: text }, at, ACME));
      }),
    );
  });

  it('that a tenant is shown never names another tenant', () => {
    const globex = scopeOf('globex');
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS.filter((one) => one.class !== 'published' && !one.kind.custom)),
        fc.gen(),
        (kind, gen) => {
          const object = gen(ofKind, kind);
          let upstream: JsonObject;
          try {
            upstream = toUpstream(parseJson(JSON.stringify(object)) as JsonObject, kind, globex);
          } catch {
            return;
          }
          if (!isObject(upstream['metadata'])) return;
          expect(() => toTenant(upstream, kind, ACME)).toThrow(NotOurs);
        },
      ),
    );
  });
});
