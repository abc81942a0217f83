/**
 * Who may import whom: the layer rules of `src`, as data. A layer is a folder of `src` or a file of the same name
 * (`errors` is `src/errors.ts` or `src/errors/`). What a row does not name is forbidden, a folder without a row is
 * refused, and a row for a folder that is not there yet does no harm. To change the structure, change this table.
 * `layer-check.ts` applies it, `layers.test.ts` shows that every rule bites.
 */

/** One row of the table. `may` and `mayTypesOf` name layers, or files in them (such as `tenancy/names`). */
export interface Layer {
  readonly name: string;
  /** Layers that may be imported, besides itself; `everything` for the entry points. */
  readonly may: readonly string[] | 'everything';
  /** Layers of which only types may be imported. */
  readonly mayTypesOf?: readonly string[];
}

/** Helpers and words that know nothing of a tenant. */
const BASE = ['lib', 'k8s', 'errors'] as const;
/** What a stage knows besides: whose the request is, and what other stages have found out about it. */
const WORDS = [...BASE, 'tenancy', 'exchange'] as const;

const LEAVES: readonly Layer[] = [
  { name: 'lib', may: [] },
  { name: 'k8s', may: ['lib'] },
  { name: 'errors', may: ['lib', 'k8s'] },
  { name: 'codec', may: BASE },
  // Kinds that the API server serves in several shapes.
  { name: 'versions', may: ['lib', 'k8s', 'codec'] },
  // Expressions: whoever has some is handed the one door, `cel/compile`.
  { name: 'cel', may: ['lib', 'k8s'] },
  { name: 'observe', may: BASE },
  { name: 'pki', may: ['lib'] },
  { name: 'tenancy', may: BASE },
  { name: 'kinds', may: [...BASE, 'tenancy'] },
  { name: 'exchange', may: ['k8s', 'kinds', 'tenancy'] },
  { name: 'ports', may: ['k8s', 'kinds', 'tenancy', 'exchange'] },
];

/** The stages of a request, in their order. No stage knows another: `pipeline.ts` joins them. */
const STAGES: readonly Layer[] = [
  // The log is handed in.
  { name: 'listen', may: [...BASE, 'exchange'], mayTypesOf: ['observe'] },
  { name: 'requestinfo', may: [...WORDS, 'kinds'] },
  { name: 'authn', may: [...WORDS, 'cel', 'codec', 'ports'] },
  { name: 'bind', may: [...WORDS, 'ports'] },
  { name: 'limit', may: WORDS },
  // Rules of the operator's own are checked as expressions.
  { name: 'policy', may: [...WORDS, 'kinds', 'cel'] },
  // Stored roles are read as their tenant reads them.
  { name: 'authz', may: [...WORDS, 'codec', 'kinds', 'ports', 'translate'] },
  // The four of which one serves: each has the parts that it is made of, and no other.
  { name: 'nonresource', may: [...WORDS, 'codec', 'kinds', 'ports', 'discovery', 'openapi'] },
  { name: 'reviews', may: [...WORDS, 'ports'] },
  { name: 'verbs', may: [...WORDS, 'codec', 'kinds', 'ports', 'translate', 'cache', 'versions'] },
  { name: 'connect', may: [...WORDS, 'codec', 'kinds', 'ports', 'translate'] },
  { name: 'respond', may: [...BASE, 'exchange', 'codec', 'observe'] },
  { name: 'audit', may: [...WORDS, 'observe'] },
];

/** What stages are made of, or are given. None knows a stage. */
const PARTS: readonly Layer[] = [
  { name: 'translate', may: [...BASE, 'cel', 'codec', 'tenancy', 'kinds'] },
  { name: 'cache', may: [...BASE, 'codec', 'tenancy', 'exchange', 'ports'] },
  // The proxy of a node: who asks, whether they may, what is kept, and how the rest goes on.
  { name: 'nodecache', may: [...BASE, 'codec', 'tenancy', 'exchange', 'ports', 'pki', 'cache'] },
  { name: 'discovery', may: [...WORDS, 'kinds'] },
  { name: 'openapi', may: [...BASE, 'codec', 'tenancy', 'ports'] },
  // A request for a certificate is read where it is kept.
  { name: 'virtual', may: [...BASE, 'cel', 'codec', 'tenancy', 'kinds', 'ports', 'pki'] },
  // Runs what tenants set up to admit requests; objects are stored as virtual kinds and read in the tenant's terms.
  { name: 'admission', may: [...WORDS, 'cel', 'codec', 'kinds', 'ports', 'translate'] },
  // Reaches into tenants' pods, and to hosts that a policy names, for their webhooks.
  { name: 'webhooks', may: [...BASE, 'codec', 'tenancy', 'ports'] },
  // What the host's API server asks about objects of its controllers: who may ask, what, and how it is answered.
  { name: 'relay', may: [...BASE, 'codec', 'exchange'] },
  { name: 'upstream', may: [...BASE, 'codec', 'tenancy', 'kinds', 'ports'] },
];

const names = (layers: readonly Layer[]): string[] => layers.map(({ name }) => name);

export const LAYERS: readonly Layer[] = [
  ...LEAVES,
  ...PARTS,
  ...STAGES,
  // The order of the stages, and nothing of what is in them.
  { name: 'pipeline', may: ['errors', 'kinds', 'tenancy', 'exchange'], mayTypesOf: ['listen'] },
  { name: 'config', may: BASE },
  {
    name: 'controllers',
    may: [...BASE, 'codec', 'tenancy', 'kinds', 'ports', 'pki', 'upstream/host-client', 'upstream/host-discovery'],
  },
  { name: 'onboarding', may: [...BASE, 'codec', 'tenancy', 'ports', 'pki', 'upstream/host-client'] },
  { name: 'dev', may: [...BASE, 'pki', 'onboarding'] },
  { name: 'app', may: [...names([...LEAVES, ...PARTS, ...STAGES]), 'pipeline', 'controllers'] },
  { name: 'cli', may: 'everything' },
];

/** Where each npm package and each builtin with power over the machine may be used; a package without a row nowhere. */
export const PACKAGES: ReadonlyMap<string, readonly string[]> = new Map([
  ['undici', ['upstream', 'webhooks']],
  ['jose', ['authn', 'codec']],
  ['http-proxy', ['nodecache']],
  ['lru-cache', ['authn', 'nodecache', 'openapi']],
  ['zod', ['authn', 'config', 'policy']],
  ['commander', ['cli']],
  ['pino', ['observe']],
  ['re2js', ['cel']],
  ['yaml', ['authn', 'config', 'policy', 'codec', 'upstream', 'onboarding', 'dev', 'cli']],
  ['@peculiar/x509', ['pki', 'authn', 'nodecache']],
  ['node:child_process', ['dev']],
]);
