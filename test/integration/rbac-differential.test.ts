/**
 * Our RBAC engine against kube-apiserver's own: the same random roles and bindings, natively on the API server and as
 * one tenant's in our index; the same random questions, by SubjectAccessReview and SelfSubjectRulesReview. Seeded, so a
 * difference can be looked at again.
 */
import { request } from 'node:https';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { withImplicitGroups } from '../../src/authn/implicit-groups.ts';
import type { RbacResource } from '../../src/authz/rbac-index.ts';
import type { Identity } from '../../src/exchange.ts';
import { nameOf, namespaceOf } from '../../src/k8s/meta.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/k8s/types.ts';
import { defaultRoles } from '../../src/virtual/standing.ts';
import { adminClient } from '../support/control-plane.ts';
import { made, rbacOf, reviewsBy } from '../support/rbac-engine.ts';
import {
  asked,
  askedPath,
  clusterRole,
  clusterRules,
  GROUP,
  localSubjects,
  NAMESPACES,
  PREFIX,
  refTo,
  roleName,
  roleRules,
  subjects,
  who,
} from '../support/rbac-worlds.ts';

const SEED = 20_260_102;
const QUESTIONS = 600;
const CALLERS = 40;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const facts = inject('controlPlane');
const client = adminClient(facts);

function sample<T>(arbitrary: fc.Arbitrary<T>, numRuns: number, salt: number): T[] {
  return fc.sample(arbitrary, { numRuns, seed: SEED + salt });
}

const everywhere = NAMESPACES.map((namespace, salt) => ({ namespace, salt: 10 * (salt + 1) }));
const objects: Record<RbacResource, JsonObject[]> = {
  clusterroles: sample(clusterRules, 6, 1).map((rules, at) => made('ClusterRole', at, { rules })),
  roles: everywhere.flatMap(({ namespace, salt }) =>
    sample(roleRules, 6, 2 + salt).map((rules, at) => made('Role', at, { rules }, namespace)),
  ),
  clusterrolebindings: sample(fc.record({ roleRef: refTo('ClusterRole', clusterRole), subjects }), 6, 3).map(
    (binding, at) => made('ClusterRoleBinding', at, binding),
  ),
  rolebindings: everywhere.flatMap(({ namespace, salt }) => {
    const roleRef = fc.oneof(refTo('ClusterRole', clusterRole), refTo('Role', roleName));
    const bindings = sample(fc.record({ roleRef, subjects: localSubjects }), 8, 4 + salt);
    return bindings.map((binding, at) => made('RoleBinding', at, binding, namespace));
  }),
};

const ours = reviewsBy(rbacOf(objects, defaultRoles()));

async function theirs(resource: string, document: JsonObject): Promise<JsonObject> {
  const { status, body } = await client.send('POST', `/apis/authorization.k8s.io/v1/${resource}`, document);
  if (status !== 201 || !isObject(body)) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** The same, asked as somebody else. */
function theirsAs(who: Identity, document: JsonObject): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', facts.server),
      {
        method: 'POST',
        ca: facts.caPem,
        cert: facts.adminCertPem,
        key: facts.adminKeyPem,
        headers: {
          'content-type': 'application/json',
          'impersonate-user': who.username,
          ...(who.groups.length === 0 ? {} : { 'impersonate-group': [...who.groups] }),
        },
      },
      async (incoming) => {
        try {
          resolve(JSON.parse(Buffer.concat(await incoming.toArray()).toString()) as JsonObject);
        } catch (error) {
          reject(error);
        }
      },
    );
    outgoing.once('error', reject);
    outgoing.end(JSON.stringify(document));
  });
}

beforeAll(async () => {
  for (const metadata of NAMESPACES.map((namespace) => ({ name: namespace }))) {
    await client.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  }
  for (const [resource, list] of Object.entries(objects)) {
    for (const object of list) await client.create(collection(resource, object), object);
  }
  // The authorizer sees each kind in order: once it knows the last of each, it knows all.
  const marker = (kind: string, rest: object, namespace?: string) => made(kind, 99, rest, namespace);
  const rules = (verb: string) => ({ rules: [{ verbs: [verb], apiGroups: ['marker'], resources: ['marker'] }] });
  const binding = (kind: string) => ({
    roleRef: { kind, name: `${PREFIX}-99`, apiGroup: GROUP },
    subjects: [{ kind: 'User', name: 'marker', apiGroup: GROUP }],
  });
  const markers: Record<RbacResource, JsonObject> = {
    clusterroles: marker('ClusterRole', rules('wide')),
    clusterrolebindings: marker('ClusterRoleBinding', binding('ClusterRole')),
    roles: marker('Role', rules('local'), NAMESPACES[0]),
    rolebindings: marker('RoleBinding', binding('Role'), NAMESPACES[0]),
  };
  for (const [resource, object] of Object.entries(markers)) {
    await client.create(collection(resource, object), object);
    objects[resource as RbacResource].push(object);
  }
  for (const verb of ['wide', 'local']) {
    const attributes = { verb, group: 'marker', resource: 'marker', namespace: NAMESPACES[0] ?? '' };
    const ask = () => theirs('subjectaccessreviews', { spec: { user: 'marker', resourceAttributes: attributes } });
    await vi.waitFor(async () => expect(await ask()).toMatchObject({ status: { allowed: true } }), 30_000);
  }
});

afterAll(async () => {
  for (const [resource, list] of Object.entries(objects)) {
    for (const object of list) await client.send('DELETE', `${collection(resource, object)}/${nameOf(object)}`);
  }
  for (const namespace of NAMESPACES) await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  client.close();
});

function collection(resource: string, object: JsonObject): string {
  const namespace = namespaceOf(object);
  return namespace === '' ? `${RBAC}/${resource}` : `${RBAC}/namespaces/${namespace}/${resource}`;
}

const question = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(who, asked).map(([one, resourceAttributes]) => ({ ...one, resourceAttributes })) },
  fc.tuple(who, askedPath).map(([one, nonResourceAttributes]) => ({ ...one, nonResourceAttributes })),
);

/** Of several bindings that allow, and of several roles that lack, the server names them in no certain order. */
function comparable(review: JsonObject): JsonValue {
  const { status, spec } = review;
  const { allowed, reason, ...rest } = status as JsonObject;
  const text = String(reason ?? '');
  const parts =
    allowed === true
      ? text.slice(0, 13)
      : text
          .replace(/^RBAC: \[?|\]$/g, '')
          .split(', ')
          .sort();
  return { spec: spec ?? null, status: { ...rest, allowed: allowed ?? null, reason: parts } };
}

describe('our RBAC and the API server’s', () => {
  it(`decide ${QUESTIONS} questions alike`, async () => {
    const questions = sample(question, QUESTIONS, 5) as JsonObject[];
    const me: Identity = { username: 'asker', groups: [], uid: '', extra: {} };
    let allowed = 0;
    for (let at = 0; at < questions.length; at += 16) {
      const part = questions.slice(at, at + 16);
      const answers = await Promise.all(part.map((spec) => theirs('subjectaccessreviews', { spec })));
      for (const [index, theirAnswer] of answers.entries()) {
        const spec = part[index] ?? {};
        const mine = await ours('subjectaccessreviews', { spec }, me);
        expect(comparable(mine), JSON.stringify(spec)).toEqual(comparable(theirAnswer));
        if (isObject(mine['status']) && mine['status']['allowed'] === true) allowed += 1;
      }
    }
    // Neither side may be right by always saying the same.
    expect(allowed).toBeGreaterThan(QUESTIONS / 10);
    expect(allowed).toBeLessThan((QUESTIONS * 9) / 10);
  });

  it(`list the rules of ${CALLERS} callers alike`, async () => {
    const callers = sample(fc.tuple(who, fc.constantFrom(...NAMESPACES)), CALLERS, 6);
    for (const [{ user: username, groups }, namespace] of callers) {
      const account = /^system:serviceaccount:(.*):/.exec(username);
      // Impersonating a service account brings its groups only where no group is named.
      if (account !== null && groups.length > 0) continue;
      const implied = ['system:serviceaccounts', `system:serviceaccounts:${account?.[1]}`];
      const identity: Identity = { username, groups: account === null ? groups : implied, uid: '', extra: {} };
      const document = { spec: { namespace } };
      const mine = await ours('selfsubjectrulesreviews', document, withImplicitGroups(identity));
      const native = await theirsAs(identity, document);
      expect(rulesOf(mine), `${username} ${groups} ${namespace}`).toEqual(rulesOf(native));
    }
  });
});

/** Bindings are walked in no certain order. */
function rulesOf(review: JsonObject): JsonValue {
  const { resourceRules, nonResourceRules, incomplete, evaluationError } = review['status'] as JsonObject;
  const list = (rules: JsonValue | undefined) =>
    (Array.isArray(rules) ? rules : []).map((one) => JSON.stringify(one, Object.keys(one as object).sort())).sort();
  const error = String(evaluationError ?? '')
    .replace(/^\[|\]$/g, '')
    .split(', ')
    .sort();
  return {
    resourceRules: list(resourceRules),
    nonResourceRules: list(nonResourceRules),
    incomplete: incomplete ?? null,
    error,
  };
}
