/**
 * Our RBAC engine against Kubernetes' own authorizer, without an API server between: random worlds of roles and bindings,
 * and of each what some users may do there, what they are told of that, and what they may grant. Seeded: a difference can be
 * looked at again.
 *
 *   RBAC_DECISIONS=1000000 npm test -- rbac-fuzz     more than the usual number of each; RBAC_SEED=N for other worlds
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGrantGuard } from '../../src/authz/escalation.ts';
import { ApiError } from '../../src/errors.ts';
import type { Identity } from '../../src/exchange.ts';
import type { Attributes, PolicyRule } from '../../src/k8s/rbac.ts';
import { objects as listOf } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { MAKING_MS } from '../clients/support/programs.ts';
import { acme, made, type RbacObjects, rbacOf, reviewsBy } from '../support/rbac-engine.ts';
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

/** Of each of the three. */
const DECISIONS = Number(process.env['RBAC_DECISIONS'] ?? 100_000);
const SEED = Number(process.env['RBAC_SEED'] ?? 20_260_201);
const OF_A_WORLD = 400;
const WORLDS = Math.ceil(DECISIONS / OF_A_WORLD);

const clusterRef = refTo('ClusterRole', roleName);
const anyRef = fc.oneof(clusterRef, refTo('Role', roleName));
const objects: fc.Arbitrary<RbacObjects> = fc
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
const somebody = who.map(({ user, groups }) => ({
  user,
  groups: groups.filter((group) => group !== 'system:masters'),
}));
const users = fc.array(somebody, { minLength: 6, maxLength: 6 });
type Somebody = typeof somebody extends fc.Arbitrary<infer T> ? T : never;
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
/** Small, or nobody would hold all of it. */
const nearRule = fc.record(
  {
    verbs: fc.constantFrom(['get'], ['list'], ['create'], ['delete']),
    apiGroups: fc.constantFrom([''], ['apps']),
    resources: fc.constantFrom(['pods'], ['deployments'], ['pods/log'], ['deployments/scale']),
    resourceNames: fc.constantFrom(['a'], ['b'], ['a', 'b']),
  },
  { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
);
const pathRule = fc.record({ verbs: fc.constant(['get']), nonResourceURLs: fc.constantFrom(['/api'], ['/apis/x']) });
const grants = fc.oneof(
  { weight: 3, arbitrary: fc.oneof({ weight: 3, arbitrary: nearRule }, pathRule).map((rule) => [rule]) },
  fc.array(fc.oneof(nearRule, resourceRule), { minLength: 1, maxLength: 2 }),
);
const many = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: OF_A_WORLD, maxLength: OF_A_WORLD });
/** The same users in each, for their rights are kept from one question to the next. */
const decisions = fc.record({ objects, users, asks: many(attributes) });
const reviews = fc.record({ objects, asks: many(fc.tuple(somebody, fc.constantFrom('', ...NAMESPACES))) });
const writes = fc.record({ objects, asks: many(fc.tuple(somebody, fc.constantFrom('', ...NAMESPACES), grants)) });

const identity = ({ user, groups }: Somebody): Identity => ({ username: user, groups, uid: '', extra: {} });

let oracle: RbacOracle;
const worlds = <T>(of: fc.Arbitrary<T>): T[] => fc.sample(of, { numRuns: WORLDS, seed: SEED });
const answers = (given: RbacObjects, questions: readonly object[]): Promise<readonly OracleAnswer[]> =>
  oracle.answers({ ...given, questions } as unknown as JsonObject);

beforeAll(async () => {
  oracle = await startRbacOracle();
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

/** What a SelfSubjectRulesReview says, as rules. */
function rulesIn({ status }: JsonObject): Partial<PolicyRule>[] {
  const told = status as JsonObject;
  return [...listOf(told, 'resourceRules'), ...listOf(told, 'nonResourceRules')] as Partial<PolicyRule>[];
}

describe('random worlds of roles and bindings', () => {
  it(`are decided alike, ${DECISIONS} times, and the same when asked again`, async () => {
    let allowed = 0;
    for (const [place, given] of worlds(decisions).entries()) {
      const questions = given.asks.map((attributes, at) => ({ ...given.users[at % given.users.length], attributes }));
      const theirs = await answers(given.objects, questions);
      const rbac = rbacOf(given.objects);
      const people = given.users.map(identity);
      for (const [at, { attributes }] of questions.entries()) {
        const person = people[at % people.length] as Identity;
        const first = rbac.decide(acme, { ...person }, attributes as Attributes);
        const again = rbac.decide(acme, person, attributes as Attributes);
        const isAllowed = theirs[at]?.allowed;
        if (first.allowed !== isAllowed || again.allowed !== isAllowed || again.reason !== first.reason) {
          const ours = JSON.stringify([first, again]);
          expect.fail(`world ${place}, ${JSON.stringify(questions[at])}: ${isAllowed}, and ours ${ours}`);
        }
        if (isAllowed) allowed += 1;
      }
    }
    // Neither side may be right by always saying the same.
    expect(allowed).toBeGreaterThan(DECISIONS / 50);
    expect(allowed).toBeLessThan(DECISIONS * 0.9);
  }, 900_000);

  it(`are told alike, ${DECISIONS} times, to who asks for their rules in a namespace`, async () => {
    const counted = { rules: 0, unresolved: 0 };
    for (const [place, given] of worlds(reviews).entries()) {
      // A review is of one namespace.
      const asks = given.asks.map(([person, namespace]) => ({ ...person, namespace: namespace || `${PREFIX}-none` }));
      const theirs = await answers(given.objects, asks);
      const ask = reviewsBy(rbacOf(given.objects));
      for (const [at, { namespace, ...person }] of asks.entries()) {
        const review = await ask('selfsubjectrulesreviews', { spec: { namespace } }, identity(person));
        const { rules = [], problem = '' } = theirs[at] as OracleAnswer;
        const [mine, native] = [sorted(rulesIn(review)), sorted(rules)];
        const { evaluationError = '' } = review['status'] as JsonObject;
        if (mine.join() !== native.join() || (evaluationError === '') !== (problem === '')) {
          expect({ place, ask: asks[at], mine, evaluationError }).toEqual({ native, problem });
        }
        counted.rules += rules.length;
        if (problem !== '') counted.unresolved += 1;
      }
    }
    expect(counted.rules).toBeGreaterThan(DECISIONS / 10);
    expect(counted.unresolved).toBeGreaterThan(DECISIONS / 100);
  }, 900_000);

  it(`let the same users grant the same, ${DECISIONS} times, and name the same rights that they lack`, async () => {
    let granted = 0;
    for (const [place, given] of worlds(writes).entries()) {
      const asks = given.asks.map(([person, namespace, grant]) => ({ ...person, namespace, grant }));
      const escalations = asks.map(({ user, groups, namespace }) => ({
        user,
        groups,
        attributes: escalate(namespace),
      }));
      const theirs = await answers(given.objects, [...asks, ...escalations]);
      const guard = createGrantGuard(rbacOf(given.objects), async (_tenant, _signal, step) => step());
      const { signal } = new AbortController();
      for (const [at, ask] of asks.entries()) {
        const { allowed, problem } = theirs[at] as OracleAnswer;
        const mayEscalate = (theirs[asks.length + at] as OracleAnswer).allowed;
        const refusal = await refusalOf(guard.check(acme, identity(ask), writeOf(ask), signal));
        const mine = refusal === undefined ? 'granted' : missing(refusal).join();
        const native = allowed || mayEscalate ? 'granted' : missing(problem).join();
        if (mine !== native) expect.fail(`world ${place}, ${JSON.stringify(ask)}: ${native}, and ours ${mine}`);
        if (refusal === undefined) granted += 1;
      }
    }
    expect(granted).toBeGreaterThan(DECISIONS / 50);
    expect(granted).toBeLessThan(DECISIONS * 0.9);
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

async function refusalOf(check: Promise<void>): Promise<string | undefined> {
  try {
    await check;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
