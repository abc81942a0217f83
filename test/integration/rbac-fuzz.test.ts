/**
 * Our RBAC engine against Kubernetes' own authorizer, without an API server between: random worlds of roles and bindings,
 * and of each what some users may do there, what all of it is, and what they may grant. Seeded: a difference can be looked
 * at again.
 *
 *   RBAC_DECISIONS=1000000 npm test -- rbac-fuzz     more than the usual number; RBAC_SEED=N for other worlds
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGrantGuard } from '../../src/authz/escalation.ts';
import type { RbacResource } from '../../src/authz/rbac-index.ts';
import { createTenantRbac } from '../../src/authz/tenant-rbac.ts';
import { ApiError } from '../../src/errors.ts';
import type { Identity } from '../../src/exchange.ts';
import type { Informer } from '../../src/k8s/informer.ts';
import type { Attributes, PolicyRule } from '../../src/k8s/rbac.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { TenantId } from '../../src/tenancy/names.ts';
import type { Tenant } from '../../src/tenancy/tenant.ts';
import { MAKING_MS } from '../clients/support/programs.ts';
import { type OracleAnswer, type RbacOracle, startRbacOracle } from '../support/rbac-oracle.ts';
import {
  asked,
  askedPath,
  clusterRules,
  GROUP,
  localSubjects,
  NAMESPACES,
  PREFIX,
  refTo,
  resourceRule,
  roleName,
  roleRules,
  subjects,
  who,
} from '../support/rbac-worlds.ts';

const DECISIONS = Number(process.env['RBAC_DECISIONS'] ?? 100_000);
const SEED = Number(process.env['RBAC_SEED'] ?? 20_260_201);
const DECISIONS_OF_A_WORLD = 400;
const WORLDS = Math.ceil(DECISIONS / DECISIONS_OF_A_WORLD);
const acme: Tenant = {
  id: 'acme' as TenantId,
  uid: 'u',
  createdAt: '',
  phase: 'Active',
  clientCaPem: '',
  policy: 'default',
};

type Objects = Record<RbacResource, JsonObject[]>;

function made(kind: string, at: number, rest: object, namespace?: string): JsonObject {
  const metadata = { name: `${PREFIX}-${at}`, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: `${GROUP}/v1`, kind, metadata, ...rest } as JsonObject;
}

const clusterRef = refTo('ClusterRole', roleName);
const anyRef = fc.oneof(clusterRef, refTo('Role', roleName));
const objects: fc.Arbitrary<Objects> = fc
  .record({
    clusterroles: fc.array(clusterRules, { minLength: 3, maxLength: 6 }),
    roles: fc.array(fc.array(roleRules, { minLength: 3, maxLength: 6 }), { minLength: 2, maxLength: 2 }),
    clusterrolebindings: fc.array(fc.record({ roleRef: clusterRef, subjects }), { maxLength: 4 }),
    rolebindings: fc.array(
      fc.array(fc.record({ roleRef: anyRef, subjects: localSubjects }), { minLength: 2, maxLength: 6 }),
      { minLength: 2, maxLength: 2 },
    ),
  })
  .map(({ clusterroles, roles, clusterrolebindings, rolebindings }) => ({
    clusterroles: clusterroles.map((rules, at) => made('ClusterRole', at, { rules })),
    roles: NAMESPACES.flatMap((namespace, place) =>
      (roles[place] ?? []).map((rules, at) => made('Role', at, { rules }, namespace)),
    ),
    clusterrolebindings: clusterrolebindings.map((binding, at) => made('ClusterRoleBinding', at, binding)),
    rolebindings: NAMESPACES.flatMap((namespace, place) =>
      (rolebindings[place] ?? []).map((binding, at) => made('RoleBinding', at, binding, namespace)),
    ),
  }));

/** Of `system:masters` the authorizer alone knows nothing. */
const users = fc.array(
  who.map(({ user, groups }) => ({ user, groups: groups.filter((group) => group !== 'system:masters') })),
  { minLength: 6, maxLength: 6 },
);
/** What some rule is likely to speak of. */
const near = fc.record({
  isResource: fc.constant(true as const),
  verb: fc.constantFrom('get', 'list', 'create', 'delete'),
  group: fc.constantFrom('', 'apps'),
  resource: fc.constantFrom('pods', 'deployments'),
  subresource: fc.constantFrom('', '', 'log', 'scale'),
  name: fc.constantFrom('a', 'b', ''),
  namespace: fc.constantFrom(...NAMESPACES),
});
const attributes = fc.oneof(
  { weight: 5, arbitrary: near },
  { weight: 3, arbitrary: asked.map(({ version: _any, ...rest }) => ({ isResource: true as const, ...rest })) },
  askedPath.map((path) => ({ isResource: false as const, ...path })),
);
const grants = fc.array(
  fc.oneof({ weight: 4, arbitrary: resourceRule }, fc.constant({ verbs: ['get'], nonResourceURLs: ['/api'] })),
  {
    minLength: 1,
    maxLength: 2,
  },
);
const world = fc.record({
  objects,
  users,
  decisions: fc.array(attributes, { minLength: DECISIONS_OF_A_WORLD, maxLength: DECISIONS_OF_A_WORLD }),
  grants: fc.array(grants, { minLength: 24, maxLength: 24 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** The engine with the objects of a world, as upstream has them. */
function engine(given: Objects) {
  const fixed = (resource: RbacResource): Informer => {
    const field = resource.startsWith('cluster') ? 'name' : 'namespace';
    const stored = given[resource].map((object) => {
      const metadata = object['metadata'] as JsonObject;
      return { ...object, metadata: { ...metadata, [field]: `acme--${metadata[field]}` } };
    });
    return {
      synced: true,
      whenSynced: () => Promise.resolve(),
      get: () => undefined,
      list: () => stored,
      note() {},
      forget() {},
      subscribe(listener) {
        for (const object of stored) listener({ type: 'added', object });
        return () => {};
      },
    };
  };
  return createTenantRbac({
    informers: {
      roles: fixed('roles'),
      rolebindings: fixed('rolebindings'),
      clusterroles: fixed('clusterroles'),
      clusterrolebindings: fixed('clusterrolebindings'),
    },
    view: (_id, _resource, object) => JSON.parse(JSON.stringify(object).replaceAll('acme--', '')) as JsonObject,
    defaults: { clusterroles: [], clusterrolebindings: [] },
  });
}

const identity = ({ user, groups }: World['users'][number]): Identity => ({
  username: user,
  groups,
  uid: '',
  extra: {},
});
const ofUser = (given: World, at: number) => given.users[at % given.users.length] as World['users'][number];
const placeOf = (at: number): string => ['', ...NAMESPACES][at % 3] as string;

let oracle: RbacOracle;
let worlds: World[];
const counted = { decisions: 0, allowed: 0, rules: 0, grants: 0, granted: 0 };

beforeAll(async () => {
  oracle = await startRbacOracle();
  worlds = fc.sample(world, { numRuns: WORLDS, seed: SEED });
}, MAKING_MS);
afterAll(() => oracle?.[Symbol.asyncDispose]());

function sorted(rules: readonly Partial<PolicyRule>[]): string[] {
  const fields = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;
  return rules.map((rule) => JSON.stringify(fields.map((field) => rule[field] ?? []))).sort();
}

/** The lines of a refusal that name a right which is missing. */
function missing(text: string | undefined): string[] {
  const [, ...lines] = (text ?? '').split('; resolution errors')[0]?.split('\n') ?? [];
  return lines.sort();
}

describe('random worlds of roles and bindings', () => {
  it(`are decided alike, ${DECISIONS} times, and the same when asked again`, async () => {
    for (const [place, given] of worlds.entries()) {
      const questions = given.decisions.map((attributes, at) => ({ ...ofUser(given, at), attributes }));
      const theirs = await oracle.answers({ ...given.objects, questions } as unknown as JsonObject);
      const rbac = engine(given.objects);
      const people = given.users.map(identity);
      for (const [at, { attributes }] of questions.entries()) {
        const person = people[at % people.length] as Identity;
        const first = rbac.decide(acme, { ...person }, attributes as Attributes);
        const again = rbac.decide(acme, person, attributes as Attributes);
        const { allowed } = theirs[at] as OracleAnswer;
        if (first.allowed !== allowed || again.allowed !== allowed || again.reason !== first.reason) {
          expect.fail(
            `world ${place}, ${JSON.stringify(questions[at])}: ${allowed}, and ours ${JSON.stringify([first, again])}`,
          );
        }
        counted.decisions += 1;
        if (allowed) counted.allowed += 1;
      }
    }
    // Neither side may be right by always saying the same.
    expect(counted.decisions).toBe(WORLDS * DECISIONS_OF_A_WORLD);
    expect(counted.allowed).toBeGreaterThan(counted.decisions / 50);
    expect(counted.allowed).toBeLessThan(counted.decisions * 0.9);
  }, 900_000);

  it('list the same rules for each user in each namespace', async () => {
    for (const [place, given] of worlds.entries()) {
      const asks = given.users.flatMap((person) => ['', ...NAMESPACES].map((namespace) => ({ ...person, namespace })));
      const theirs = await oracle.answers({ ...given.objects, questions: asks } as unknown as JsonObject);
      const rbac = engine(given.objects);
      for (const [at, ask] of asks.entries()) {
        const ours = rbac.rulesFor(acme, identity(ask), ask.namespace);
        const { rules = [], problem = '' } = theirs[at] as OracleAnswer;
        expect(sorted(ours.rules), `world ${place}, ${JSON.stringify(ask)}`).toEqual(sorted(rules));
        expect(ours.errors.length > 0).toBe(problem !== '');
        counted.rules += rules.length;
      }
    }
    expect(counted.rules).toBeGreaterThan(WORLDS);
  }, 900_000);

  it('let the same users grant the same, and name the same rights that they lack', async () => {
    for (const [place, given] of worlds.entries()) {
      const asks = given.grants.map((grant, at) => ({ ...ofUser(given, at), namespace: placeOf(at), grant }));
      const escalations = asks.map(({ user, groups, namespace }) => ({
        user,
        groups,
        attributes: escalate(namespace),
      }));
      const questions = [...asks, ...escalations] as unknown as JsonObject[];
      const theirs = await oracle.answers({ ...given.objects, questions } as unknown as JsonObject);
      const guard = createGrantGuard(engine(given.objects));
      for (const [at, ask] of asks.entries()) {
        const { allowed, problem } = theirs[at] as OracleAnswer;
        const mayEscalate = (theirs[asks.length + at] as OracleAnswer).allowed;
        const refusal = refusalOf(() => guard.check(acme, identity(ask), writeOf(ask)));
        const where = `world ${place}, ${JSON.stringify(ask)}`;
        expect(refusal === undefined, where).toBe(allowed || mayEscalate);
        if (refusal !== undefined) expect(missing(refusal), where).toEqual(missing(problem));
        counted.grants += 1;
        if (refusal === undefined) counted.granted += 1;
      }
    }
    expect(counted.granted).toBeGreaterThan(0);
    expect(counted.granted).toBeLessThan(counted.grants);
  }, 900_000);
});

function escalate(namespace: string): Attributes {
  const resource = namespace === '' ? 'clusterroles' : 'roles';
  return { isResource: true, verb: 'escalate', group: GROUP, resource, subresource: '', namespace, name: '' };
}

function writeOf({ namespace, grant }: { namespace: string; grant: unknown }) {
  const resource = namespace === '' ? 'clusterroles' : 'roles';
  const object = { metadata: { name: 'granted' }, rules: grant } as unknown as JsonObject;
  return { resource, namespace, name: '', object, previous: undefined };
}

function refusalOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
