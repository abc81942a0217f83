/** Watches in every combination of what may be asked of them. Each is short; what it tells in that time is compared. */
import { CLUSTER_ROLES, CONFIG_MAPS, GADGETS, GIZMOS, KINDS, NAMESPACES } from '../fixtures.ts';
import { one, type Scenario } from '../scenario.ts';

const SEEDED = 'labelSelector=differ=@side@';
const SHORT = 'timeoutSeconds=1';

export function watches(): Scenario[] {
  const paths = [...KINDS.map(({ collection }) => collection), CONFIG_MAPS.across, GADGETS.across].map(String);
  return [...paths.flatMap(misused), ...paths.flatMap(opened), ...legacy(), ...fromNow(paths)];
}

const REFUSED = [
  'sendInitialEvents=true',
  'sendInitialEvents=false',
  'sendInitialEvents=maybe',
  'resourceVersionMatch=NotOlderThan',
  'resourceVersionMatch=Exact&sendInitialEvents=true',
  'resourceVersionMatch=NotOlderThan&sendInitialEvents=true&resourceVersion=abc',
  'resourceVersion=abc',
  'resourceVersion=-1',
  'timeoutSeconds=x',
  'limit=x',
  'allowWatchBookmarks=maybe',
  'fieldSelector=nothing=1',
  'continue=abc',
];

function misused(path: string): Scenario[] {
  return REFUSED.map((query) =>
    one(`${path}?watch=1&${SEEDED}&${query.includes('timeout') ? query : `${SHORT}&${query}`}`),
  );
}

const OPENED = [
  '',
  'resourceVersion=0',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  'sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0',
  'fieldSelector=metadata.name=seed-a',
  'limit=1',
];

function opened(path: string): Scenario[] {
  return OPENED.map((query) => one(`${path}?watch=true&${SEEDED}&${SHORT}&${query}`));
}

function legacy(): Scenario[] {
  return [CONFIG_MAPS, CLUSTER_ROLES, GADGETS, GIZMOS, NAMESPACES].flatMap(({ watchPath }) => [
    one(`${watchPath}?${SHORT}&${SEEDED}`),
    one(`${watchPath}/${watchPath.endsWith('/namespaces') ? 'differ' : 'seed-a'}?${SHORT}`),
    one(`${watchPath}/missing-one?${SHORT}&resourceVersion=0`),
  ]);
}

/** What comes after a list. */
function fromNow(paths: readonly string[]): Scenario[] {
  return paths.flatMap((path) => [
    {
      title: `watch of ${path} from now`,
      asks: [{ path: `${path}?${SEEDED}` }, { path: `${path}?watch=1&${SEEDED}&${SHORT}&resourceVersion=@rv@` }],
    },
  ]);
}
