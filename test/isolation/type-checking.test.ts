/**
 * `status.typeChecking` of ValidatingAdmissionPolicies: the same policies on the plain cluster, where its controller
 * manager checks them, and in a tenant.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { jsonOf, type RawAnswer } from '../support/http.ts';
import { type Asked, direct, throughProduct } from '../support/plain-and-product.ts';
import { eventually } from '../support/processes.ts';

useProduct();
const PATH = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const PODS = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const DEPLOYMENTS = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };
type Send = (asked: Asked) => Promise<RawAnswer>;
const SIDES: readonly Send[] = [direct, throughProduct];

/** The rules, and the expressions that are checked against them. */
const CASES: ReadonlyArray<
  readonly [rules: readonly JsonObject[], expressions: readonly string[], extra?: JsonObject]
> = [
  [
    [DEPLOYMENTS],
    [
      'object.spec.replicas > 1',
      "object.spec.replicas > '1'",
      'object.spec.replicass > 1',
      'object.spec.template.spec.containers.all(c, c.image.startsWith("a"))',
      'object.spec.template.spec.containers.all(c, c.imag.startsWith("a"))',
      'object.spec.template.spec.containers[0].ports[0].containerPort == "x"',
      'object.spec.selector.matchLabels["a"] == 1',
      'object.spec.selector.matchLabels.a == "b"',
      'object.spec.strategy.rollingUpdate.maxSurge == 1 || object.spec.strategy.rollingUpdate.maxSurge == "1"',
      'object.metadata.creationTimestamp > timestamp("2020-01-01T00:00:00Z")',
      'object.metadata.creationTimestamp == "2020-01-01T00:00:00Z"',
      'object.metadata.labels.foo == "bar" && object.metadata.nope == "bar"',
      'has(object.spec.paused) && object.spec.paused',
      'has(object.spec.pausd)',
      'object.?spec.?replicas.orValue(0) > 1',
      'object.?spec.?replica.orValue(0) > 1',
      'oldObject.spec.replicas == object.spec.replicas + "1"',
      'object.status.conditions.exists(c, c.type == "Available" && c.status == true)',
      'object.kind == 1',
      'request.userInfo.username == "a" || object.spec.replica == 1',
      'namespaceObject.metadata.name == object.metadata.namespace && object.spec.nothing == 1',
      'authorizer.group("").resource("pods").check("get").allowed() && object.spec.x == 1',
      'size(object.spec) > 0',
      'object == oldObject',
      'type(object.spec.replicas) == int',
      'object.spec.template.spec.volumes[0].secret.items[0].mode == "a"',
    ],
  ],
  [
    [PODS],
    [
      'object.spec.containers[0].resources.limits["cpu"] == "1"',
      'object.spec.containers[0].resources.limits["cpu"] == 1',
      'quantity(object.spec.containers[0].resources.limits["cpu"]).isGreaterThan(quantity("1"))',
      'object.spec.containers[0].livenessProbe.httpGet.port == 80',
      'object.spec.hostNetwork == "yes"',
      'object.spec.tolerations.map(t, t.tolerationSeconds + "a").size() == 0',
      'object.metadata.ownerReferences[0].controller == 1',
      'object.spec.overhead["cpu"] == 1',
      'object.metadata.annotations.all(k, k == 1)',
    ],
  ],
  [
    [
      { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'secrets'] },
      { apiGroups: ['autoscaling'], apiVersions: ['v1', 'v2'], resources: ['horizontalpodautoscalers'] },
    ],
    [
      'object.data["a"] == "b"',
      'object.data["a"] == b"b"',
      'object.binaryData["a"] == "b"',
      'object.immutable == 1',
      'object.spec.targetCPUUtilizationPercentage == 1',
      'object.spec.metrics[0].type == "Resource"',
    ],
  ],
  [
    [{ apiGroups: ['apiextensions.k8s.io'], apiVersions: ['v1'], resources: ['customresourcedefinitions'] }],
    [
      'object.spec.versions[0].schema.openAPIV3Schema.type == 1',
      'object.spec.versions[0].schema.openAPIV3Schema.properties["a"].type == 1',
      'object.spec.versions[0].schema.openAPIV3Schema.not.type == 1',
    ],
  ],
  [[{ ...PODS, apiVersions: ['*'] }], ['object.nothing == 1']],
  [[{ ...PODS, resources: ['pods/status', '*'] }], ['object.nothing == 1']],
  [[{ ...PODS, resources: ['nothing', 'pods'] }], ['object.nothing == 1']],
  [
    [DEPLOYMENTS],
    [
      'variables.count > 1',
      'variables.count == "a"',
      'variables.wrong == "a"',
      'params.data["a"] == 1',
      'params.none == 1',
    ],
    {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [
        { name: 'count', expression: 'object.spec.replicas' },
        { name: 'wrong', expression: 'object.spec.wrong' },
      ],
    },
  ],
];

const sending = (body: unknown) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

const nameOf = (at: number) => `type-checking-${at}`;

function policy(at: number): JsonObject {
  const [rules, expressions, extra = {}] = CASES[at] as (typeof CASES)[number];
  const operations = ['CREATE', 'UPDATE'];
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: nameOf(at) },
    spec: {
      matchConstraints: { resourceRules: rules.map((rule) => ({ operations, ...rule })) },
      validations: expressions.map((expression) => ({ expression: `dyn(${expression}) == true` })),
      ...extra,
    },
  };
}

beforeAll(async () => {
  for (const send of SIDES) {
    for (const at of CASES.keys()) {
      const answer = await send({ path: PATH, ...sending(policy(at)) });
      expect(answer.status, answer.text).toBe(201);
    }
  }
});

afterAll(async () => {
  for (const send of SIDES) {
    for (const at of CASES.keys()) await send({ method: 'DELETE', path: `${PATH}/${nameOf(at)}` });
  }
});

async function statusOf(send: Send, name: string, generation = 1): Promise<KubeObject> {
  let status: KubeObject;
  await eventually(`the types of ${name} are checked`, async () => {
    ({ status } = jsonOf<KubeObject>(await send({ path: `${PATH}/${name}` })));
    return status?.observedGeneration === generation;
  });
  return status;
}

/** Types of objects have a number behind the kind that is another each time. */
const comparable = (status: KubeObject) =>
  JSON.parse(JSON.stringify(status).replaceAll(/(?<=[( ])([A-Z]\w*?)\d+(?=[.,)])/g, '$1'));

describe('the types in a policy', () => {
  it.each(CASES.map((_, at) => at))('are checked as on the API server: %s', async (at) => {
    const [plain, tenant] = await Promise.all(SIDES.map((send) => statusOf(send, nameOf(at))));
    expect(comparable(tenant)).toEqual(comparable(plain));
  });

  it('are wrong in some of these, and right in others', async () => {
    const { typeChecking } = await statusOf(throughProduct, nameOf(0));
    const found = (typeChecking.expressionWarnings as KubeObject[]).map(({ fieldRef }) => fieldRef);
    expect(found).toContain('spec.validations[2].expression');
    expect(found).not.toContain('spec.validations[0].expression');
  });

  it('are checked again when the policy changes', async () => {
    const wanted = { spec: { validations: [{ expression: 'object.spec.replicas > 1' }] } };
    const [plain, tenant] = await Promise.all(
      SIDES.map(async (send) => {
        const answer = await send({
          path: `${PATH}/${nameOf(0)}`,
          method: 'PATCH',
          body: JSON.stringify(wanted),
          headers: { 'content-type': 'application/merge-patch+json' },
        });
        expect(answer.status).toBe(200);
        return await statusOf(send, nameOf(0), 2);
      }),
    );
    expect(JSON.stringify(tenant)).not.toContain('warning');
    expect(tenant).toEqual(plain);
  });
});
