/**
 * Every kind of Kubernetes' own that both sides serve, in every form and with options that are none: collections of which
 * nothing is picked, and objects that are not there, so that what is compared is how the kind is served, and nothing is
 * changed.
 */
import type { ServedKind } from '../../../support/api.ts';
import { APPLY, MERGE, send } from '../fixtures.ts';
import { type Ask, one, type Scenario } from '../scenario.ts';

const NOTHING = 'labelSelector=sweep%3Dnothing';
const MISSING = 'sweep-missing';
const META = 'g=meta.k8s.io';
const JSON_TYPE = 'application/json';
const TABLE = `${JSON_TYPE};as=Table;v=v1;${META}`;
const FORMS = [
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  ...['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'].flatMap((shape) => [
    `${JSON_TYPE};as=${shape};v=v1;${META}`,
    `application/vnd.kubernetes.protobuf;as=${shape};v=v1;${META}`,
  ]),
];
const LISTED = ['limit=-1', 'resourceVersion=abc', 'sendInitialEvents=true', 'fieldSelector=spec.nothing%3D1'];
const DELETIONS = [
  '{"propagationPolicy":"Sideways"}',
  '{"propagationPolicy":"Orphan","orphanDependents":true}',
  '{"gracePeriodSeconds":"soon"}',
  '{"preconditions":{"uid":5}}',
  '{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["Some"]}',
];

/** Writes only of verbs that the tenant has: what it has not is 405. */
export function everyKind(kinds: readonly ServedKind[]): Scenario[] {
  const asks = kinds.flatMap((kind) => {
    const collection = kind.collection(kind.namespaced ? 'differ' : '');
    return [...reads(kind, collection), ...writes(kind, collection)];
  });
  return asks.map(one);
}

function reads({ verbs }: ServedKind, collection: string): Ask[] {
  const list = `${collection}?${NOTHING}`;
  const asks: Ask[] = [
    { path: list },
    ...FORMS.map((accept) => ({ path: list, headers: { accept } })),
    ...LISTED.map((query) => ({ path: `${list}&${query}` })),
    { path: `${list}&includeObject=nonsense`, headers: { accept: TABLE } },
    ...FORMS.map((accept) => ({ path: `${collection}/${MISSING}`, headers: { accept } })),
    { method: 'HEAD', path: `${collection}/${MISSING}` },
  ];
  return verbs.includes('list') && verbs.includes('get') ? asks : [];
}

function writes({ verbs, kind, group, version }: ServedKind, collection: string): Ask[] {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const path = `${collection}/${MISSING}`;
  const object = (name: string) => JSON.stringify({ apiVersion, kind, metadata: { name } });
  const json = (method: string, to: string, body: string) => send(method, to, JSON_TYPE, body);
  const of: Readonly<Record<string, readonly Ask[]>> = {
    create: [
      json('POST', `${collection}?dryRun=Some`, object('sweep')),
      json('POST', `${collection}?dryRun=All&fieldValidation=Odd`, object('sweep')),
      send('POST', `${collection}?dryRun=All`, 'text/plain', '{}'),
    ],
    update: [json('PUT', path, object('another')), send('PUT', path, 'text/plain', '{}')],
    patch: [
      send('PATCH', path, MERGE, '{"metadata":{"labels":{"a":"b"}}}'),
      send('PATCH', path, APPLY, object(MISSING)),
      send('PATCH', `${path}?fieldManager=sweep&dryRun=All`, APPLY, object('zzz')),
      send('PATCH', path, JSON_TYPE, '{}'),
    ],
    delete: [...DELETIONS.map((body) => json('DELETE', path, body)), { method: 'DELETE', path }],
    deletecollection: [
      ...DELETIONS.map((body) => json('DELETE', `${collection}?dryRun=All&${NOTHING}`, body)),
      { method: 'DELETE', path: `${collection}?dryRun=All&${NOTHING}` },
    ],
  };
  return verbs.flatMap((verb) => of[verb] ?? []);
}
