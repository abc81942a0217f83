/** Create, update and delete: options, names, revisions, preconditions, collections. */
import type { JsonObject } from '../../../../src/k8s/types.ts';
import { CONFIG_MAPS, GADGETS, KINDS, type Kind, post, send } from '../fixtures.ts';
import type { Ask, Scenario } from '../scenario.ts';

const MARKED: JsonObject = { metadata: { labels: { differ: '@side@' } } };

export function writes(): Scenario[] {
  return KINDS.flatMap((kind) => [
    lifecycle(kind),
    options(kind),
    names(kind),
    mismatches(kind),
    preconditions(kind),
    revisions(kind),
    collections(kind),
    deleteOptions(kind),
    metadata(kind),
  ]);
}

function put(kind: Kind, name: string, more: JsonObject = {}, query = ''): Ask {
  return { method: 'PUT', path: `${kind.collection}/${name}${query}`, body: JSON.stringify(kind.object(name, more)) };
}

function remove(kind: Kind, name: string, options?: JsonObject, query = ''): Ask {
  const path = `${kind.collection}/${name}${query}`;
  return { method: 'DELETE', path, ...(options === undefined ? {} : { body: JSON.stringify(options) }) };
}

function lifecycle(kind: Kind): Scenario {
  const { collection, title, object } = kind;
  return {
    title: `life of ${title}`,
    asks: [
      post(collection, object('life', MARKED)),
      post(collection, object('life', MARKED)),
      { path: `${collection}/life` },
      put(kind, 'life', { metadata: { labels: { differ: '@side@', more: 'x' }, annotations: { a: 'b' } } }),
      put(kind, 'life', { metadata: { resourceVersion: '@rv@' } }),
      put(kind, 'life', { metadata: { resourceVersion: '1' } }),
      put(kind, 'life', { metadata: { resourceVersion: 'abc' } }),
      put(kind, 'life', { metadata: { uid: 'other' } }),
      put(kind, 'missing-one', {}),
      put(kind, 'missing-one', { metadata: { resourceVersion: '5' } }),
      put(kind, 'missing-one', { metadata: { uid: 'other' } }),
      remove(kind, 'life'),
      remove(kind, 'missing-one'),
      ...(title === 'namespaces' ? [] : [{ path: `${collection}/life` }, remove(kind, 'life')]),
    ],
  };
}

const OPTIONS = [
  'dryRun=All',
  'dryRun=',
  'dryRun=all',
  'dryRun=All,None',
  'dryRun=true',
  'fieldManager=me',
  `fieldManager=${'m'.repeat(129)}`,
  'fieldManager=a%00b',
  'fieldManager=a%C3%A9b',
  'fieldValidation=Strict',
  'fieldValidation=Warn',
  'fieldValidation=Ignore',
  'fieldValidation=strict',
  'fieldValidation=',
  'pretty=1',
  'nothing=known',
  'force=true',
];

function options(kind: Kind): Scenario {
  const { collection, title, object } = kind;
  return {
    title: `options of writes of ${title}`,
    asks: [
      post(collection, object('options', MARKED)),
      ...OPTIONS.flatMap((query): Ask[] => [
        post(`${collection}?${query}`, object(`options-${OPTIONS.indexOf(query)}`, MARKED)),
        put(kind, 'options', { metadata: { annotations: { query } } }, `?${query}`),
      ]),
      ...OPTIONS.map((query) => remove(kind, `options-${OPTIONS.indexOf(query)}`, undefined, `?${query}`)),
      ...(title === 'namespaces'
        ? []
        : [{ path: `${collection}?labelSelector=differ=@side@&fieldSelector=metadata.name=options` }]),
    ],
  };
}

const NAMES = [
  'Upper',
  '-dash',
  'dot.',
  'under_score',
  'a/b',
  '..',
  'x'.repeat(254),
  'ü',
  'a b',
  'a:b',
  'a%b',
  '.',
  '',
];

function names({ collection, title, object }: Kind): Scenario {
  return {
    title: `names of ${title}`,
    asks: [
      ...NAMES.map((name) => post(`${collection}?dryRun=All`, object(name))),
      post(`${collection}?dryRun=All`, without(object('x'), 'name')),
      ...['drawn-', 'Bad_', 'x'.repeat(250), ''].map((generateName) =>
        post(`${collection}?dryRun=All`, { ...object('x'), metadata: { generateName } }),
      ),
      post(`${collection}?dryRun=All`, { ...object('x'), metadata: { name: 'both', generateName: 'drawn-' } }),
      post(`${collection}?dryRun=All`, { ...object('x'), metadata: null } as JsonObject),
      post(`${collection}?dryRun=All`, { ...object('x'), metadata: [] }),
      post(`${collection}?dryRun=All`, { ...object('x'), metadata: 'text' }),
      post(`${collection}?dryRun=All`, { ...object('x'), metadata: { name: 5 } }),
      post(`${collection}?dryRun=All`, { ...object('x'), metadata: { name: 'x', labels: { a: 5 } } }),
      post(`${collection}?dryRun=All`, { ...object('x'), metadata: { name: 'x', labels: [] } }),
    ],
  };
}

function without(object: JsonObject, field: string): JsonObject {
  const { [field]: _gone, ...metadata } = object['metadata'] as JsonObject;
  return { ...object, metadata };
}

/** Bodies that are not what the URL says. */
function mismatches(kind: Kind): Scenario {
  const { collection, title, object } = kind;
  const bodies: JsonObject[] = [
    { ...object('x'), kind: 'Nothing' },
    { ...object('x'), kind: 'Secret', apiVersion: 'v1' },
    { ...object('x'), apiVersion: 'v9' },
    { ...object('x'), apiVersion: 'a/b/c' },
    { ...object('x'), apiVersion: '' },
    { ...object('x'), kind: '' },
    { ...object('x'), kind: 5 },
    { ...object('x'), apiVersion: 5 },
    { metadata: { name: 'x' } },
    {},
    { ...object('x'), metadata: { name: 'x', namespace: 'other' } },
    { ...object('x'), metadata: { name: 'x', namespace: 'differ' } },
    { ...object('x'), metadata: { name: 'x', namespace: '' } },
  ];
  return {
    title: `mismatches of ${title}`,
    asks: [
      post(collection, object('mismatch', MARKED)),
      ...bodies.flatMap((body): Ask[] => [
        post(`${collection}?dryRun=All`, body),
        { method: 'PUT', path: `${collection}/mismatch?dryRun=All`, body: JSON.stringify(body) },
      ]),
      {
        method: 'PUT',
        path: `${collection}/mismatch?dryRun=All`,
        body: JSON.stringify(without(object('mismatch'), 'name')),
      },
      { method: 'POST', path: collection },
      { method: 'PUT', path: `${collection}/mismatch` },
      send('POST', collection, 'application/json', 'null'),
      send('POST', collection, 'application/json', '"text"'),
      send('POST', collection, 'application/json', '[]'),
      send('POST', collection, 'application/json', '5'),
      send('PUT', `${collection}/mismatch`, 'application/json', '[]'),
    ],
  };
}

function preconditions(kind: Kind): Scenario {
  const { collection, title, object } = kind;
  const given = (preconditions: JsonObject): JsonObject => ({ preconditions });
  return {
    title: `preconditions of ${title}`,
    asks: [
      post(collection, object('conditions', MARKED), { called: 'made' }),
      remove(kind, 'conditions', given({ uid: 'other' })),
      remove(kind, 'conditions', given({ resourceVersion: '1' })),
      remove(kind, 'conditions', given({ resourceVersion: 'abc' })),
      remove(kind, 'conditions', given({ uid: 5 })),
      remove(kind, 'conditions', { preconditions: 'x' }),
      remove(kind, 'conditions', { ...given({ uid: '@made.uid@', resourceVersion: '1' }) }),
      remove(kind, 'conditions', { ...given({ uid: '@made.uid@' }), dryRun: ['All'] }),
      ...(title === 'namespaces'
        ? []
        : [remove(kind, 'conditions', given({ uid: '@made.uid@', resourceVersion: '@made.rv@' }))]),
    ],
  };
}

const DELETIONS: readonly JsonObject[] = [
  { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] },
  { kind: 'DeleteOptions', apiVersion: 'apps/v1', dryRun: ['All'] },
  { kind: 'DeleteOptions', apiVersion: 'nothing/v7', dryRun: ['All'] },
  { kind: 'Pod', apiVersion: 'v1' },
  { kind: 'DeleteOptions' },
  { dryRun: ['all'] },
  { dryRun: 'All' },
  { dryRun: ['All'], gracePeriodSeconds: 0 },
  { dryRun: ['All'], gracePeriodSeconds: -1 },
  { dryRun: ['All'], gracePeriodSeconds: 'x' },
  { dryRun: ['All'], propagationPolicy: 'Foreground' },
  { dryRun: ['All'], propagationPolicy: 'Orphan' },
  { dryRun: ['All'], propagationPolicy: 'sometimes' },
  { dryRun: ['All'], orphanDependents: true },
  { dryRun: ['All'], orphanDependents: true, propagationPolicy: 'Orphan' },
  { dryRun: ['All'], ignoreStoreReadErrorWithClusterBreakingPotential: true },
  { dryRun: ['All'], unknown: 1 },
  {},
];
const DELETION_QUERIES = [
  'gracePeriodSeconds=x',
  'gracePeriodSeconds=-1&dryRun=All',
  'propagationPolicy=sometimes',
  'propagationPolicy=Foreground&dryRun=All',
  'orphanDependents=maybe&dryRun=All',
  'dryRun=All&dryRun=All',
  'preconditions=x&dryRun=All',
];

function deleteOptions(kind: Kind): Scenario {
  const { collection, title, object } = kind;
  return {
    title: `options of deletions of ${title}`,
    asks: [
      post(collection, object('deletion', MARKED)),
      ...DELETIONS.flatMap((body): Ask[] => [
        ...(title === 'namespaces' ? [] : [post(`${collection}`, object('deletion', MARKED))]),
        remove(kind, 'deletion', body),
      ]),
      ...DELETION_QUERIES.map((query) => remove(kind, 'deletion', undefined, `?${query}`)),
    ].filter(
      ({ method, body }) =>
        title !== 'namespaces' || method !== 'DELETE' || !['{}', '{"kind":"DeleteOptions"}'].includes(String(body)),
    ),
  };
}

function revisions(kind: Kind): Scenario {
  const { collection, title, object } = kind;
  return {
    title: `generation and fields of ${title}`,
    asks: [
      post(`${collection}?fieldManager=one`, object('fields', MARKED)),
      put(kind, 'fields', { metadata: { labels: { differ: '@side@' }, managedFields: [] } }, '?fieldManager=two'),
      put(kind, 'fields', { metadata: { labels: { differ: '@side@' }, managedFields: [{}] } }, '?fieldManager=two'),
      put(kind, 'fields', {
        metadata: {
          managedFields: [
            { manager: 'x', operation: 'Update', fieldsType: 'FieldsV1', apiVersion: 'v1', fieldsV1: { 'f:x': {} } },
          ],
        },
      }),
      put(kind, 'fields', { metadata: { managedFields: 'x' } }),
      put(kind, 'fields', { metadata: { generation: 7, creationTimestamp: '2020-01-01T00:00:00Z', selfLink: '/x' } }),
      put(kind, 'fields', { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }),
      put(kind, 'fields', { metadata: { creationTimestamp: 'yesterday' } }),
      put(kind, 'fields', { metadata: { finalizers: ['bad'] } }, '?dryRun=All'),
      put(kind, 'fields', { metadata: { finalizers: ['example.com/good'] } }, '?dryRun=All'),
      put(kind, 'fields', { metadata: { ownerReferences: [{}] } }, '?dryRun=All'),
      put(kind, 'fields', { metadata: { ownerReferences: 'x' } }, '?dryRun=All'),
    ],
  };
}

function metadata({ collection, title, object }: Kind): Scenario {
  const bad: JsonObject[] = [
    { labels: { 'a/b/c': 'x' } },
    { labels: { a: '-x' } },
    { labels: { 'a b': 'x' } },
    { annotations: { 'a b': 'x' } },
    { annotations: { a: 'x'.repeat(300_000) } },
    { annotations: { a: null } },
    { labels: null, annotations: null },
    { generateName: 5 },
    { unknown: 5 },
    { uid: 'mine', resourceVersion: '' },
    { resourceVersion: '5' },
    { namespace: null },
    { finalizers: ['a/b', 'a/b'] },
  ];
  return {
    title: `metadata of ${title}`,
    asks: bad.map((metadata) => post(`${collection}?dryRun=All`, object('meta', { metadata }))),
  };
}

function collections(kind: Kind): Scenario {
  const { collection, title, object } = kind;
  if (kind !== CONFIG_MAPS && kind !== GADGETS && title !== 'a virtual kind') {
    const asks = [{ method: 'DELETE', path: `${collection}?labelSelector=collected` }];
    return { title: `collections of ${title}`, asks };
  }
  const made = ['one', 'two', 'three'].map((name) =>
    post(collection, object(`many-${name}`, { metadata: { labels: { differ: '@side@', collected: name } } })),
  );
  const all = `${collection}?labelSelector=collected,differ=@side@`;
  const away = (query: string, body?: JsonObject): Ask => ({
    method: 'DELETE',
    path: `${all}${query}`,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    title: `collections of ${title}`,
    asks: [
      ...made,
      away('&dryRun=All'),
      away('&dryRun=some'),
      away('&resourceVersion=abc'),
      away('&fieldSelector=nothing=1'),
      away('', { preconditions: { uid: 'other' } }),
      away('', { dryRun: ['All'] }),
      away('', { propagationPolicy: 'sometimes' }),
      away('&limit=x'),
      { path: all },
      away('&fieldSelector=metadata.name=many-one'),
      away('&resourceVersion=1&resourceVersionMatch=Exact'),
      { method: 'DELETE', path: `${collection}?labelSelector=a%20b%20c` },
      away(',collected=two'),
      { path: all },
      away(''),
      { path: all },
    ],
  };
}
