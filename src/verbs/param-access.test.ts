import { describe, expect, it } from 'vitest';
import { refusal, VerbLab } from '../../test/support/verb-lab.ts';
import type { Attributes } from '../k8s/rbac.ts';
import type { JsonObject } from '../k8s/types.ts';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = `/apis/${GROUP}/v1/validatingadmissionpolicies`;
const BINDINGS = `/apis/${GROUP}/v1/validatingadmissionpolicybindings`;
const SECRETS = { apiVersion: 'v1', kind: 'Secret' };

function policy(paramKind: JsonObject | undefined): JsonObject {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'reads' },
    spec: {
      ...(paramKind === undefined ? {} : { paramKind }),
      matchConstraints: { resourceRules },
      validations: [{ expression: 'true' }],
    },
  };
}

function binding(paramRef: JsonObject | undefined): JsonObject {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'reads' },
    spec: { policyName: 'reads', validationActions: ['Deny'], ...(paramRef === undefined ? {} : { paramRef }) },
  };
}
const NAMED = { name: 'p', namespace: 'web', parameterNotFoundAction: 'Deny' };

/** What a caller asked for, whom the roles allow this. @param stored the policy that is there; left out: none */
function asked(may: (attributes: Attributes) => boolean, stored?: JsonObject) {
  const questions: Attributes[] = [];
  const upstream = (object: JsonObject) => ({
    ...object,
    apiVersion: 'virtual.kubeveil.dev/v1',
    metadata: { name: 'acme--reads', uid: 'u', resourceVersion: '5', labels: { 'kubeveil.dev/tenant': 'acme' } },
  });
  const lab = new VerbLab(
    ({ method, body }) => {
      if (method !== 'GET') return { status: 201, body: upstream(JSON.parse(String(body)) as JsonObject) };
      return stored === undefined ? refusal(404, 'NotFound') : { status: 200, body: upstream(structuredClone(stored)) };
    },
    {
      allows(attributes) {
        questions.push(attributes);
        return may(attributes);
      },
    },
  );
  return { lab, questions };
}

describe('who sets up a policy with parameters', () => {
  it('must be allowed to read their kind', async () => {
    const allowed = asked(() => true);
    expect((await allowed.lab.ask('POST', POLICIES, { body: policy(SECRETS) })).status).toBe(201);
    expect(allowed.questions).toMatchObject([
      { verb: 'get', group: '', resource: 'secrets', name: '*', namespace: '*', subresource: '' },
    ]);
    await expect(asked(() => false).lab.ask('POST', POLICIES, { body: policy(SECRETS) })).rejects.toMatchObject({
      code: 'ERR_INVALID',
      message:
        'ValidatingAdmissionPolicy.admissionregistration.k8s.io "reads" is invalid: spec.paramKind: Forbidden: user &{alice  [system:authenticated] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
    });
  });

  it('must be allowed to read everything of its group where the kind is not known', async () => {
    const { lab, questions } = asked(() => true);
    await lab.ask('POST', POLICIES, { body: policy({ apiVersion: 'none.example.com/v1', kind: 'None' }) });
    expect(questions).toMatchObject([{ group: 'none.example.com', resource: '*' }]);
  });

  it('is not asked without parameters, nor of those that were there', async () => {
    const refused = asked(() => false);
    expect((await refused.lab.ask('POST', POLICIES, { body: policy(undefined) })).status).toBe(201);
    const again = asked(() => false, policy(SECRETS));
    const body = { ...policy(SECRETS), metadata: { name: 'reads', resourceVersion: '5' } };
    expect((await again.lab.ask('PUT', `${POLICIES}/reads`, { body })).status).toBe(201);
    const other = { ...body, spec: policy({ apiVersion: 'v1', kind: 'ConfigMap' })['spec'] ?? null };
    await expect(again.lab.ask('PUT', `${POLICIES}/reads`, { body: other })).rejects.toThrow(/kind=ConfigMap/);
    expect(refused.questions).toEqual([]);
  });
});

describe('who binds a policy to parameters', () => {
  it('must be allowed to read those', async () => {
    const allowed = asked(() => true, policy(SECRETS));
    expect((await allowed.lab.ask('POST', BINDINGS, { body: binding(NAMED) })).status).toBe(201);
    const selected = { selector: {}, namespace: 'web', parameterNotFoundAction: 'Deny' };
    await allowed.lab.ask('POST', BINDINGS, { body: binding(selected) });
    expect(allowed.questions).toMatchObject([
      { verb: 'get', resource: 'secrets', name: 'p', namespace: 'web' },
      { verb: 'list', resource: 'secrets', name: '', namespace: 'web' },
    ]);
    await expect(
      asked(() => false, policy(SECRETS)).lab.ask('POST', BINDINGS, { body: binding(NAMED) }),
    ).rejects.toMatchObject({
      code: 'ERR_INVALID',
      message: expect.stringContaining(
        'spec.paramRef: Forbidden: user &{alice  [system:authenticated] map[]} does not have "get" permission on the object referenced by paramRef',
      ),
    });
  });

  it('must be allowed to read everything where the policy is not there', async () => {
    const { lab, questions } = asked(() => false);
    await expect(lab.ask('POST', BINDINGS, { body: binding(NAMED) })).rejects.toThrow(/unable to get policy reads/);
    expect(questions).toMatchObject([{ group: '*', resource: '*' }]);
    expect((await lab.ask('POST', BINDINGS, { body: binding(undefined) })).status).toBe(201);
  });
});
