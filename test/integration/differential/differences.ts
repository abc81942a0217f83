/**
 * What a tenant is answered otherwise than kube-apiserver would answer, on purpose. Each is in docs/differences.md too,
 * under the same title; one that no request meets any more fails the test.
 */
import type { Differing } from './differing.ts';
import type { Compared } from './scenario.ts';

export interface Difference {
  /** As in docs/differences.md. */
  readonly title: string;
  /** Whether one place in which two answers differ is this difference. */
  excuses(differing: Differing, compared: Compared): boolean;
}

/** Both refuse, with the same code. */
function refusedAlike({ theirs, ours }: Compared): boolean {
  return theirs.status >= 400 && theirs.status === ours.status;
}

function answered(theirs: number, ours: number, compared: Compared): boolean {
  return compared.theirs.status === theirs && compared.ours.status === ours;
}

/** Go's decoders, and what quotes their words or what they were given. */
const DECODER =
  /json: |yaml: |JSON|YAML|unrecognized|registered|conversion|decoding|patch: Invalid value|precondition|unknown format|in the data|media types|Not Acceptable|invalid object type|unexpected|max depth|precondition|unmarshal|does not match name in|cannot be handled as/;
const SAID = /^body\.(?:message|details\.causes\.\d+\.message)$/;
const DETAILS = /^body\.(?:message|details)/;
const VIRTUAL = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const BINDINGS = '/rolebindings';
const NAMESPACES = /^\/api\/v1\/namespaces(?:\/[^/]+)?(?:\?|$)/;

export const DIFFERENCES: readonly Difference[] = [
  {
    title: 'Words of decoders',
    excuses({ at, theirs }, compared) {
      if (!refusedAlike(compared)) return false;
      // Which of them refuses decides whether there are details.
      const isForm = compared.ours.status === 406 || compared.ours.status === 415;
      if (DETAILS.test(at) && (isForm || compared.ours.text.includes('patch: Invalid value'))) return true;
      return SAID.test(at) && DECODER.test(String(theirs));
    },
  },
  {
    title: 'Continue tokens',
    excuses: ({ at, ours }, compared) =>
      at === 'body.message' && refusedAlike(compared) && String(ours).startsWith('invalid continue token: '),
  },
  {
    title: 'Paths that nothing serves',
    excuses: (_, { theirs, ours }) =>
      ours.status >= 404 && ours.status <= 405 && /^text\/plain/.test(String(theirs.headers['content-type'])),
  },
  {
    title: 'Checks of health',
    excuses: ({ at }, { ask, theirs, ours }) =>
      at === 'body' && /^\/(?:healthz|livez|readyz)\?/.test(ask.path) && theirs.status === ours.status,
  },
  {
    title: 'Methods',
    excuses: ({ at }, compared) => {
      const { method = 'GET' } = compared.ask;
      if (method === 'BREW') return true;
      if (method === 'HEAD' && at.startsWith('header.')) return true;
      return method !== 'GET' && (answered(404, 405, compared) || answered(200, 405, compared));
    },
  },
  {
    title: 'Characters in a URL',
    excuses: (_, { ours }) => ours.status === 400 && ours.text.includes('the request URL is malformed'),
  },
  {
    title: 'Deprecation of what is refused',
    excuses: ({ at, ours: said }, { ask, ours }) =>
      at === 'header.warning' && said === undefined && ours.status >= 400 && /\/endpoints\b/.test(ask.path),
  },
  {
    title: 'Empty lists',
    excuses: ({ at, theirs, ours }) => /^body\.(?:rows|items)$/.test(at) && theirs === null && Array.isArray(ours),
  },
  { title: 'Storage version hashes', excuses: ({ at }) => at.endsWith('.storageVersionHash') },
  {
    title: 'Length of names',
    excuses: (_, compared) => answered(201, 422, compared) && compared.ours.text.includes('must be no more than'),
  },
  {
    title: 'Names of namespaces',
    excuses: ({ at }, compared) => refusedAlike(compared) && DETAILS.test(at) && NAMESPACES.test(compared.ask.path),
  },
  {
    title: 'Managers of a namespace’s annotations',
    excuses: ({ at }, { ask }) => /\.managedFields\./.test(at) && NAMESPACES.test(ask.path),
  },
  {
    title: 'The level of a namespace',
    excuses: ({ at }) => /labels\.(?:f:)?pod-security\.kubernetes\.io\/enforce$/.test(at),
  },
  {
    title: 'Virtual kinds are custom resources',
    excuses({ at }, compared) {
      if (!compared.ask.path.startsWith(VIRTUAL)) return false;
      if (refusedAlike(compared) && (DETAILS.test(at) || at === 'body.details.kind')) return true;
      return /managedFields/.test(at) && compared.ours.status < 300;
    },
  },
  {
    title: 'What a policy withholds',
    excuses: (_, { ask, ours }) => ours.status === 405 && ask.path.includes('/pods/x/status'),
  },
  {
    title: 'Text that is not UTF-8',
    excuses: (_, compared) => answered(422, 400, compared) && compared.ours.text.includes('UTF-8'),
  },
  {
    title: 'Several YAML documents',
    excuses: (_, compared) => answered(201, 400, compared) && compared.ours.text.includes('only one document'),
  },
  {
    title: 'Pointers without a slash',
    excuses: (_, compared) => answered(200, 422, compared) && String(compared.ask.body).includes('no/slash'),
  },
  {
    title: 'Roles that are none',
    excuses: (_, { ask, ours }) =>
      ask.path.includes(BINDINGS) && ours.status === 422 && ours.text.includes('roleRef.kind'),
  },
  {
    title: 'Revisions that are no numbers',
    excuses: (_, compared) => answered(500, 400, compared) && compared.ask.path.includes('resourceVersion=abc'),
  },
  {
    title: 'Bookmarks',
    excuses: ({ at }, { ask }) =>
      /^body(?:\.\d+)?\.object\.(?:rules|spec|status)$/.test(at) && ask.path.includes('watch='),
  },
];
