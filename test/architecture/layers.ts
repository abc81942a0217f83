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

/** The leaves that every stage of a request builds on. */
const SHARED = ['lib', 'k8s', 'errors', 'codec', 'tenancy', 'kinds', 'exchange', 'ports', 'observe'] as const;

/** The stages of a request, roughly in their order. No stage knows another: `pipeline.ts` joins them. */
const STAGES = [
  'listen',
  'requestinfo',
  'authn',
  'bind',
  'authz',
  'limit',
  'policy',
  'translate',
  'nonresource',
  'discovery',
  'openapi',
  'reviews',
  'virtual',
  'verbs',
  'cache',
  'upstream',
  'respond',
  'audit',
] as const;

/** What one stage may import of another, as an exception to the rule above, each with its reason. */
const BETWEEN_STAGES: Readonly<Partial<Record<(typeof STAGES)[number], readonly string[]>>> = {
  // The last stage is where get, list, watch and writes are done: translate, send, translate back.
  verbs: ['translate'],
  // Stored roles are read as their tenant reads them.
  authz: ['translate'],
  // The two kinds of documents that it serves are folders of their own.
  nonresource: ['discovery', 'openapi'],
  // An access review asks the very engine that decides requests.
  reviews: ['authz'],
};

export const LAYERS: readonly Layer[] = [
  { name: 'lib', may: [] },
  { name: 'k8s', may: ['lib'] },
  { name: 'errors', may: ['lib', 'k8s'] },
  { name: 'codec', may: ['lib', 'k8s', 'errors'] },
  { name: 'kinds', may: ['lib', 'k8s', 'errors', 'tenancy', 'ports'] },
  { name: 'tenancy', may: ['lib', 'k8s', 'errors', 'kinds', 'exchange', 'ports', 'observe'] },
  { name: 'pki', may: ['lib'] },
  { name: 'exchange', may: ['lib', 'k8s', 'errors', 'codec', 'kinds', 'tenancy'] },
  { name: 'ports', may: ['lib', 'k8s', 'errors', 'codec', 'kinds', 'tenancy', 'exchange'] },
  { name: 'observe', may: ['lib', 'k8s', 'errors'] },
  ...STAGES.map((name) => ({ name, may: [...SHARED, ...(BETWEEN_STAGES[name] ?? [])] })),
  { name: 'config', may: SHARED },
  {
    name: 'controllers',
    may: [...SHARED, 'pki', 'upstream/host-client', 'upstream/host-discovery'],
    mayTypesOf: ['upstream'],
  },
  { name: 'onboarding', may: [...SHARED, 'pki', 'upstream/host-client'] },
  { name: 'dev', may: ['lib', 'k8s', 'errors', 'pki', 'onboarding'] },
  { name: 'pipeline', may: [...SHARED, ...STAGES] },
  { name: 'app', may: [...SHARED, ...STAGES, 'pki', 'config', 'controllers', 'onboarding', 'pipeline'] },
  { name: 'cli', may: 'everything' },
];

/** Where each npm package and each builtin with power over the machine may be used; a package without a row nowhere. */
export const PACKAGES: ReadonlyMap<string, readonly string[]> = new Map([
  ['undici', ['upstream']],
  ['jose', ['authn', 'codec']],
  ['lru-cache', ['authn', 'cache']],
  ['zod', ['config', 'policy']],
  ['commander', ['cli']],
  ['pino', ['observe']],
  ['yaml', ['config', 'policy', 'codec', 'upstream', 'onboarding', 'dev', 'cli']],
  ['@peculiar/x509', ['pki', 'authn', 'controllers']],
  ['node:child_process', ['dev']],
]);
