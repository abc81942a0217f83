/** Get and list: selectors, revisions, pages, in every combination that a client may write. */
import fc from 'fast-check';
import { CLUSTER_ROLES, CONFIG_MAPS, GADGETS, GIZMOS, GROUP, KINDS, NAMESPACES } from '../fixtures.ts';
import { one, type Scenario } from '../scenario.ts';

/** Only what was made for this is on both sides. */
const SEEDED = 'labelSelector=differ=@side@';

function* combinations(options: Readonly<Record<string, readonly (string | undefined)[]>>): Generator<string> {
  const [first, ...rest] = Object.entries(options);
  if (first === undefined) return yield '';
  const [name, values] = first;
  for (const tail of combinations(Object.fromEntries(rest))) {
    for (const value of values) yield [value === undefined ? '' : `${name}=${value}`, tail].filter(Boolean).join('&');
  }
}

const REVISIONS = [
  ...combinations({
    resourceVersion: [undefined, '0', '1', 'abc'],
    resourceVersionMatch: [undefined, 'Exact', 'NotOlderThan', 'exact'],
    limit: [undefined, '2', '-1'],
  }),
  'resourceVersion=',
  'resourceVersion=-1',
  'resourceVersion=01&resourceVersionMatch=',
  'limit=x',
  'limit=0',
  'timeoutSeconds=x',
  'sendInitialEvents=true',
];
const PAGES = [...combinations({ continue: ['junk', ''], resourceVersion: [undefined, '0', '5'], limit: ['1'] })];

const LABELS = [
  'differ',
  '!differ',
  'tier=one',
  'tier==one',
  'tier!=one',
  'tier in (one,two)',
  'tier in ( one , three )',
  'tier notin (one)',
  'tier in ()',
  'tier>1',
  'tier<5',
  'tier>a',
  'tier=one,differ',
  'tier=one,',
  ',tier=one',
  'tier=',
  'tier in (one',
  'a b c',
  '=',
  'tier===one',
  'UPPER=x,differ',
  'a/b/c=d',
  '-a=b',
  'tier=-x',
  `tier=${'x'.repeat(64)}`,
  'kubernetes.io/metadata.name=differ',
  'tier,tier!=no',
  'in in (in)',
  'notin,differ',
  'tier in (one),tier in (two)',
];
const FIELDS = [
  'metadata.name=seed-a',
  'metadata.name==seed-a',
  'metadata.name!=seed-a',
  'metadata.name=seed-a,metadata.name=seed-b',
  'metadata.namespace=differ',
  'metadata.namespace!=differ',
  'metadata.namespace=other',
  'metadata.name=',
  'metadata.name',
  '=',
  'spec.nothing=1',
  'metadata.labels.differ=yes',
  'spec.color=red',
  'metadata.name=a\\,b',
  'metadata.name=a\\b',
  'metadata.name in (a)',
  'metadata.name=seed-a,,',
  'status.phase=Active',
];

export function reads(): Scenario[] {
  const lists = [...KINDS.map(({ collection }) => collection), CONFIG_MAPS.across, GADGETS.across].map(String);
  const paths = lists.flatMap((path) => [
    ...chosen([...REVISIONS, ...PAGES], 30).map((query) => `${path}?${[SEEDED, query].filter(Boolean).join('&')}`),
    ...chosen(LABELS, 18).map((selector) => `${path}?labelSelector=${encodeURIComponent(selector)},differ=@side@`),
    ...chosen(FIELDS, 12).map((selector) => `${path}?${SEEDED}&fieldSelector=${encodeURIComponent(selector)}`),
  ]);
  return [...paths.map(one), ...pages(lists), ...gets(), ...future()];
}

/** As many of them, the same in each run; another choice each time that it is asked. */
function chosen(all: readonly string[], count: number): string[] {
  seed++;
  return (
    fc.sample(fc.shuffledSubarray([...all], { minLength: count, maxLength: count }), { seed, numRuns: 1 })[0] ?? []
  );
}

let seed = 1;

/** One page after the other, and a token where it does not belong. */
function pages(lists: readonly string[]): Scenario[] {
  return lists.map((path) => ({
    title: `pages of ${path}`,
    asks: [
      { path: `${path}?${SEEDED}&limit=1` },
      { path: `${path}?${SEEDED}&limit=1&continue=@continue@` },
      { path: `${path}?${SEEDED}&continue=@continue@&resourceVersion=@rv@` },
      { path: `${path}?${SEEDED}&continue=@continue@&resourceVersionMatch=Exact` },
      { path: `${path}?${SEEDED}&continue=@continue@` },
      { path: `${path}?${SEEDED}&resourceVersion=@rv@&resourceVersionMatch=Exact&limit=2` },
      { path: `${path}?${SEEDED}&resourceVersion=@rv@&resourceVersionMatch=Exact` },
      { path: `${path}?${SEEDED}&resourceVersion=@rv@&resourceVersionMatch=NotOlderThan` },
      { path: `${path}?${SEEDED}&resourceVersion=@rv@` },
    ],
  }));
}

function gets(): Scenario[] {
  return KINDS.flatMap(({ collection }) => {
    const seed = collection === NAMESPACES.collection ? 'differ' : 'seed-a';
    const names = [seed, 'missing', 'Bad_Name', 'a--b', '-x', 'x'.repeat(300), 'a%20b', 'a:b', '*'];
    return [
      ...names.map((name) => `${collection}/${name}`),
      ...['0', '1', 'abc', '-1', ''].map((version) => `${collection}/${seed}?resourceVersion=${version}`),
      `${collection}/${seed}?pretty=true`,
      `${collection}/${seed}?nothing=known`,
      `${collection}/${seed}/status`,
      `${collection}/${seed}/scale`,
      `${collection}/${seed}/nothing`,
    ].map(one);
  }).concat(
    [
      `/apis/${GROUP}/v1beta1/gizmos/seed-a`,
      `/apis/${GROUP}/v1beta1/gizmos?${SEEDED}`,
      `/apis/${GROUP}/v2/gizmos`,
      `/apis/${GROUP}/v1/nothings`,
      `${GADGETS.across}/seed-a`,
      `${CLUSTER_ROLES.collection}/admin/x`,
      `/apis/${GROUP}/v1/namespaces/differ/gizmos`,
      `${GIZMOS.collection}/seed-a/status`,
    ].map(one),
  );
}

/** The server waits for such a revision for three seconds. */
function future(): Scenario[] {
  return [CONFIG_MAPS, CLUSTER_ROLES, GIZMOS]
    .flatMap(({ collection }) => [
      one(`${collection}?${SEEDED}&resourceVersion=999999999`),
      one(`${collection}?${SEEDED}&resourceVersion=999999999&resourceVersionMatch=Exact`),
    ])
    .concat([
      one(`${CONFIG_MAPS.across}?${SEEDED}&resourceVersion=999999999`),
      one(`${CONFIG_MAPS.collection}/seed-a?resourceVersion=999999999`),
    ]);
}
