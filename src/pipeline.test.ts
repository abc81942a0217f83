import { beforeEach, describe, expect, it } from 'vitest';
import type { NonResourceInfo, RequestHead, ResourceInfo, Written } from './exchange.ts';
import type { Incoming } from './listen/options.ts';
import { createPipeline, type Stages } from './pipeline.ts';

/** Names of the stages in the order in which they were met. */
let met: string[];
let throwing: Map<string, Error>;
/** To whom the connection was said to belong. */
let owners: string[];
/** With what status places were given back. */
let released: (number | undefined)[];
beforeEach(() => {
  met = [];
  released = [];
  owners = [];
  throwing = new Map();
});

const RESOURCE = { isResource: true, verb: 'create' } as ResourceInfo;
const OTHER = { isResource: false, verb: 'get', path: '/apis' } as NonResourceInfo;

/** Runs one request through stages that note that they were met, and throw where the test says. */
async function run(info: ResourceInfo | NonResourceInfo, { isHealth = false, hasHeld = false } = {}): Promise<void> {
  const stage = (name: string, value: unknown) => () => {
    met.push(name);
    const error = throwing.get(name);
    if (error !== undefined) throw error;
    return value;
  };
  const head = { impersonate: new Map() } as unknown as RequestHead;
  const reply = { kind: 'object', status: 200, object: {} };
  const stages = {
    parse: stage('parse', info),
    health: stage('health', isHealth ? reply : undefined),
    ready: stage('ready', undefined),
    locate: stage('locate', {}),
    authenticate: stage('authenticate', { identity: {} }),
    bind: stage('bind', { uid: 'a-uid' }),
    limit: stage('limit', {
      head,
      release(written: Written | undefined) {
        met.push('release');
        released.push(written?.status);
      },
    }),
    impersonate: stage('impersonate', {}),
    negotiate: stage('negotiate', {}),
    offer: stage('offer', {}),
    authorize: stage('authorize', undefined),
    readBody: stage('readBody', undefined),
    serveNonResource: stage('serveNonResource', reply),
    serveResource: stage('serveResource', reply),
    hold: stage('hold', hasHeld ? { release: stage('let go', undefined) } : undefined),
    respond: async () => stage('respond', { status: 200, bodyBytes: 0 })(),
    refuse: async () => stage('refuse', { status: 400, bodyBytes: 0 })(),
    audit: stage('audit', undefined),
  } as unknown as Stages;
  const belongsTo = (owner: string) => owners.push(owner);
  await createPipeline(stages)({ head, belongsTo } as unknown as Incoming);
}

const BEFORE_LIMIT = ['parse', 'health', 'ready', 'locate', 'authenticate', 'bind'];
const RESOURCE_PATH = [
  ...BEFORE_LIMIT,
  'limit',
  'impersonate',
  'negotiate',
  'offer',
  'authorize',
  'readBody',
  'serveResource',
  'hold',
];

describe('the path of a request', () => {
  it('for a resource meets every stage in its order', async () => {
    await run(RESOURCE);
    expect(met).toEqual([...RESOURCE_PATH, 'respond', 'audit', 'release']);
    expect(released).toEqual([200]);
  });

  it('for no resource has neither offer nor body', async () => {
    await run(OTHER);
    const path = [...BEFORE_LIMIT, 'limit', 'impersonate', 'negotiate', 'authorize', 'serveNonResource', 'hold'];
    expect(met).toEqual([...path, 'respond', 'audit', 'release']);
  });

  it('for health asks for no credential and for no readiness', async () => {
    await run(OTHER, { isHealth: true });
    expect(met).toEqual(['parse', 'health', 'respond', 'audit']);
  });

  it.each(RESOURCE_PATH)('ends where %s refuses, is audited, and gives its place back', async (name) => {
    throwing.set(name, new Error('no'));
    await run(RESOURCE);
    const passed = RESOURCE_PATH.slice(0, RESOURCE_PATH.indexOf(name) + 1);
    const isHeld = passed.includes('limit') && name !== 'limit';
    expect(met).toEqual([...passed, 'refuse', 'audit', ...(isHeld ? ['release'] : [])]);
    expect(released).toEqual(isHeld ? [400] : []);
  });

  it('says whose the connection is when its tenant is known, and not before', async () => {
    await run(RESOURCE);
    expect(owners).toEqual(['a-uid']);
    for (const name of BEFORE_LIMIT) {
      throwing = new Map([[name, new Error('no')]]);
      await run(RESOURCE);
    }
    expect(owners).toEqual(['a-uid']);
  });

  it('that lasts is held while it is answered, and let go; it is audited when it begins, too', async () => {
    await run(RESOURCE, { hasHeld: true });
    expect(met).toEqual([...RESOURCE_PATH, 'audit', 'respond', 'audit', 'release', 'let go']);
    met = [];
    throwing.set('respond', new Error('broken'));
    await run(RESOURCE, { hasHeld: true });
    expect(met.slice(-2)).toEqual(['release', 'let go']);
  });

  it('is refused with its answer where that cannot be written', async () => {
    throwing.set('respond', new Error('broken'));
    await run(RESOURCE);
    expect(met.slice(-4)).toEqual(['respond', 'refuse', 'audit', 'release']);
  });

  it('gives its place back even where nothing can be answered', async () => {
    throwing.set('respond', new Error('broken'));
    throwing.set('refuse', new Error('broken too'));
    await expect(run(RESOURCE)).rejects.toThrow('broken too');
    expect(met.at(-1)).toBe('release');
    expect(released).toEqual([undefined]);
  });
});

describe('a request that asks to be somebody else', () => {
  it('is served as them, never as its sender', async () => {
    const seen: unknown[] = [];
    const head = { impersonate: new Map([['impersonate-user', ['bob']]]) } as unknown as RequestHead;
    const stages = {
      parse: () => OTHER,
      health: () => undefined,
      ready: () => {},
      locate: () => ({}),
      authenticate: async () => ({ identity: { username: 'alice' } }),
      bind: () => ({}),
      limit: () => ({ head, release: () => {} }),
      impersonate: (_tenant: unknown, sender: { username: string }) => ({ username: `bob by ${sender.username}` }),
      negotiate: () => ({}),
      authorize: (_tenant: unknown, identity: unknown) => seen.push(identity),
      serveNonResource: async ({ identity }: { identity: unknown }) => seen.push(identity),
      hold: () => undefined,
      respond: async () => ({ status: 200, bodyBytes: 0 }),
      audit: (known: { identity?: unknown }) => seen.push(known.identity),
    } as unknown as Stages;
    await createPipeline(stages)({ head, belongsTo: () => {} } as unknown as Incoming);
    expect(seen).toEqual(Array(3).fill({ username: 'bob by alice' }));
  });
});
