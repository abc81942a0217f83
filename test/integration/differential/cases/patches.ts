/** The four types of patch, with every operation and directive, and what they must not be able to do. */
import type { JsonValue } from '../../../../src/k8s/types.ts';
import { APPLY, JSON_PATCH, KINDS, type Kind, MERGE, NAMESPACES, post, STRATEGIC, send } from '../fixtures.ts';
import type { Ask, Scenario } from '../scenario.ts';

const MARKED = { metadata: { labels: { differ: '@side@' }, annotations: { a: 'b' } } };

export function patches(): Scenario[] {
  const others = KINDS.filter((kind) => kind !== NAMESPACES);
  return [
    ...others.flatMap((kind) => [jsonPatches(kind), merges(kind), strategic(kind), applies(kind)]),
    strategic(NAMESPACES),
  ];
}

function patch(kind: Kind, name: string, type: string, body: JsonValue | string, query = ''): Ask {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return send('PATCH', `${kind.collection}/${name}${query}`, type, text);
}

function scenario(kind: Kind, what: string, name: string, asks: readonly Ask[]): Scenario {
  const { collection, title, object } = kind;
  return {
    title: `${what} of ${title}`,
    asks: [post(collection, object(name, MARKED)), ...asks, { path: `${collection}/${name}` }],
  };
}

const A = '/metadata/annotations/a';
const OPERATIONS: readonly JsonValue[] = [
  [],
  [{ op: 'add', path: A, value: 'c' }],
  [{ op: 'add', path: '/metadata/annotations/example.com~1x', value: 'y' }],
  [{ op: 'add', path: '/metadata/annotations/n', value: 5 }],
  [{ op: 'replace', path: A, value: 'd' }],
  [{ op: 'replace', path: '/metadata/annotations/none', value: 'd' }],
  [{ op: 'remove', path: '/metadata/annotations/none' }],
  [
    { op: 'test', path: A, value: 'd' },
    { op: 'remove', path: A },
  ],
  [{ op: 'test', path: A, value: 'other' }],
  [{ op: 'add', path: A, value: 'b' }],
  [{ op: 'copy', from: A, path: '/metadata/annotations/copied' }],
  [{ op: 'move', from: '/metadata/annotations/copied', path: '/metadata/annotations/moved' }],
  [{ op: 'move', from: '/metadata/annotations/none', path: '/metadata/annotations/moved' }],
  [{ op: 'add', path: '/metadata/labels/-bad-', value: 'x' }],
  [{ op: 'jump', path: A }],
  [{ path: A, value: 'x' }],
  [{ op: 'add', value: 'x' }],
  [{ op: 'add', path: 'no/slash', value: 'x' }],
  [{ op: 'add', path: '', value: {} }],
  [{ op: 'replace', path: '/metadata/name', value: 'other' }],
  [{ op: 'replace', path: '/metadata/uid', value: 'other' }],
  [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }],
  [{ op: 'remove', path: '/metadata' }],
  [{ op: 'replace', path: '/kind', value: 'Nothing' }],
  [{ op: 'replace', path: '/apiVersion', value: 'v9' }],
  [{ op: 'add', path: '/__proto__/x', value: 'y' }],
  [{ op: 'add', path: '/metadata/annotations/__proto__', value: 'y' }],
  [{ op: 'test', path: '/metadata/annotations/__proto__', value: 'y' }],
  [{ op: 'add', path: '/metadata/finalizers', value: ['example.com/f'] }],
  [{ op: 'remove', path: '/metadata/finalizers/0' }],
  [{ op: 'add', path: '/metadata/ownerReferences', value: 'x' }],
  [{ op: 'add', path: '/nothing', value: 'x' }],
  { op: 'add' },
  ['x'],
  'null',
  '{',
  Array.from({ length: 10_000 }, () => ({ op: 'test', path: '/metadata/annotations/moved', value: 'b' })),
  Array.from({ length: 10_001 }, () => ({ op: 'test', path: A, value: 'b' })),
];

function jsonPatches(kind: Kind): Scenario {
  const asks = OPERATIONS.flatMap((body) => [patch(kind, 'json-patch', JSON_PATCH, body)]);
  return scenario(kind, 'JSON patches', 'json-patch', [
    ...asks,
    patch(kind, 'json-patch', JSON_PATCH, [{ op: 'add', path: A, value: 'dry' }], '?dryRun=All'),
    patch(kind, 'missing-one', JSON_PATCH, [{ op: 'add', path: A, value: 'x' }]),
    patch(kind, 'json-patch', JSON_PATCH, [{ op: 'add', path: '/nix', value: 1 }], '?fieldValidation=Strict'),
    patch(kind, 'json-patch', JSON_PATCH, [{ op: 'add', path: A, value: 'x' }], '?force=true'),
  ]);
}

function merges(kind: Kind): Scenario {
  const bodies: readonly (JsonValue | string)[] = [
    {},
    kind.change,
    { metadata: { annotations: { a: null, z: 'y' } } },
    { metadata: { annotations: null } },
    { metadata: { annotations: { n: 5 } } },
    { metadata: { labels: { '-bad': 'x' } } },
    { metadata: { name: 'other' } },
    { metadata: { namespace: 'other' } },
    { metadata: { resourceVersion: '1' } },
    { metadata: { resourceVersion: '@rv@' } },
    { metadata: null },
    { metadata: [] },
    { kind: 'Nothing' },
    { apiVersion: 'v9' },
    { nothing: 5 },
    '{"__proto__":{"x":1},"metadata":{"annotations":{"__proto__":"y"}}}',
    '[]',
    'null',
    '"x"',
    '{',
    `${'{"metadata":'.repeat(12_000)}1${'}'.repeat(12_000)}`,
    '{"metadata":{"annotations":{"twice":"a","twice":"b"}}}',
  ];
  return scenario(kind, 'merge patches', 'merge', [
    ...bodies.map((body) => patch(kind, 'merge', MERGE, body)),
    patch(kind, 'merge', MERGE, kind.change, '?dryRun=All&fieldManager=other'),
    patch(kind, 'missing-one', MERGE, kind.change),
    patch(kind, 'merge', MERGE, { nothing: 5 }, '?fieldValidation=Strict'),
    patch(kind, 'merge', MERGE, { nothing: 5 }, '?fieldValidation=Ignore'),
    patch(kind, 'merge', MERGE, { nothing: 5 }, '?fieldValidation=nonsense'),
  ]);
}

function strategic(kind: Kind): Scenario {
  const bodies: readonly (JsonValue | string)[] = [
    {},
    kind.change,
    { metadata: { annotations: { $patch: 'replace', only: 'this' } } },
    { metadata: { annotations: { $patch: 'delete' } } },
    { metadata: { annotations: { $patch: 'nonsense' } } },
    { metadata: { annotations: { $retainKeys: ['a'], a: 'x' } } },
    { metadata: { finalizers: ['example.com/f'] } },
    { metadata: { $deleteFromPrimitiveList_finalizers: null } },
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/f'] } },
    { metadata: { '$setElementOrder/finalizers': ['example.com/f'] } },
    { metadata: { $retainKeys: ['name', 'annotations'], annotations: { kept: 'x' } } },
    { metadata: { $retainKeys: ['name'], annotations: { not: 'retained' } } },
    { metadata: { $patch: 'replace', annotations: { nameless: 'x' } } },
    { metadata: { $patch: 'replace', name: 'strategic', annotations: { whole: 'metadata' } } },
    { $patch: 'delete' },
    { $patch: 'nonsense' },
    { $retainKeys: ['metadata', 'apiVersion', 'kind'] },
    { metadata: { resourceVersion: '1' } },
    { metadata: { name: 'other' } },
    '[]',
    '{',
  ];
  return scenario(kind, 'strategic merge patches', 'strategic', [
    ...bodies.map((body) => patch(kind, 'strategic', STRATEGIC, body)),
    patch(kind, 'missing-one', STRATEGIC, {}),
    patch(kind, 'strategic', STRATEGIC, { nothing: 5 }, '?fieldValidation=Strict'),
  ]);
}

function applies(kind: Kind): Scenario {
  const whole = (annotations: Record<string, string>): string =>
    JSON.stringify(kind.object('applied', { metadata: { labels: { differ: '@side@' }, annotations } }));
  const apply = (body: string, query: string): Ask => patch(kind, 'applied', APPLY, body, query);
  return {
    title: `applies of ${kind.title}`,
    asks: [
      apply(whole({ a: 'one' }), ''),
      apply(whole({ a: 'one' }), '?fieldManager=one'),
      apply(whole({ a: 'one' }), '?fieldManager=one'),
      apply(whole({ a: 'two' }), '?fieldManager=two'),
      apply(whole({ a: 'two' }), '?fieldManager=two&dryRun=All&force=true'),
      apply(whole({ a: 'two' }), '?fieldManager=two&force=true'),
      apply(whole({ b: 'two' }), '?fieldManager=one&force=maybe'),
      apply(whole({ b: 'two' }), '?fieldManager=one'),
      apply('{}', '?fieldManager=one'),
      apply('[]', '?fieldManager=one'),
      apply('a: [', '?fieldManager=one'),
      apply('a: 1\n---\nb: 2', '?fieldManager=one'),
      apply('null', '?fieldManager=one'),
      apply(JSON.stringify(kind.object('other')), '?fieldManager=one'),
      apply(JSON.stringify({ ...kind.object('applied'), kind: 'Nothing' }), '?fieldManager=one'),
      apply(JSON.stringify({ ...kind.object('applied'), apiVersion: 'v9' }), '?fieldManager=one'),
      apply(JSON.stringify(kind.object('applied', { metadata: { managedFields: [{}] } })), '?fieldManager=one'),
      apply(JSON.stringify(kind.object('applied', { metadata: { resourceVersion: '1' } })), '?fieldManager=one'),
      apply(JSON.stringify(kind.object('applied', { nothing: 5 })), '?fieldManager=one&fieldValidation=Ignore'),
      apply(whole({ a: 'x' }), '?fieldManager=one&fieldValidation=Strict'),
      patch(kind, 'applied', MERGE, kind.change, '?force=true'),
      { path: `${kind.collection}/applied` },
    ],
  };
}
