/**
 * The rules of all policy files as the spec of one ValidatingAdmissionPolicy of the host, `kubeveil-rules`. Its binding
 * (`deploy/66-policy-rules.yaml`) is the operator's and bounds it, whatever stands here, to namespaces of tenants whose
 * policy has rules. A namespace says the name of its policy; one that this version of the files does not know is refused.
 *
 * What API servers fill in is written out, so that what is stored is what is compared.
 */
import type { JsonObject } from '../k8s/types.ts';
import { keyOfResource } from '../kinds/resource-name.ts';
import { ACCOUNTS, CONTROLLER_USER, PROXY_NAMESPACE, TENANTS_GROUP } from '../tenancy/host-names.ts';
import { OWN_PREFIX, TENANT_LABEL } from '../tenancy/names.ts';
import type { OwnRule } from './own-rules.ts';

/** Written by way of either, an Event is the same object. */
const TWINS: ReadonlyMap<string, string> = new Map([
  ['/events', 'events.k8s.io/events'],
  ['events.k8s.io/events', '/events'],
]);

const EVERYTHING = { apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], scope: 'Namespaced' };

/** Whether an update changes more than what holds an object and what is said of its state. */
const CHANGES = [
  'oldObject == null',
  "!object.all(key, key in ['metadata', 'status'] || (key in oldObject && object[key] == oldObject[key]))",
  ...['labels', 'annotations'].map((field) => `object.metadata.?${field} != oldObject.metadata.?${field}`),
].join(' || ');

/** @param files rules by the name of their policy: of all policies, those without rules among them */
export function rulesPolicySpec(files: ReadonlyMap<string, readonly OwnRule[]>): JsonObject {
  const known = [...files.keys()].sort();
  return {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [
        { ...EVERYTHING, resources: ['*'] },
        // These change the pod itself.
        { ...EVERYTHING, apiGroups: [''], resources: ['pods/ephemeralcontainers', 'pods/resize'] },
      ],
    },
    matchConditions: [
      {
        name: 'not-by-the-proxy',
        expression: `request.userInfo.username != 'system:serviceaccount:${PROXY_NAMESPACE}:${ACCOUNTS.provisioner}' && (!('${TENANTS_GROUP}' in request.userInfo.groups) || request.userInfo.?extra[?'${OWN_PREFIX}user'].orValue([]) != ['${CONTROLLER_USER}'])`,
      },
      // Whoever cleans up takes finalizers off, and changes nothing else.
      { name: 'not-leaving', expression: `!object.?metadata.?deletionTimestamp.hasValue() || ${CHANGES}` },
    ],
    variables: [
      { name: 'tenant', expression: `namespaceObject.metadata.labels['${TENANT_LABEL}']` },
      { name: 'shownNamespace', expression: 'namespaceObject.metadata.name.substring(variables.tenant.size() + 2)' },
      { name: 'policy', expression: `namespaceObject.metadata.?annotations[?'${OWN_PREFIX}policy'].orValue('')` },
      { name: 'kind', expression: "request.resource.group + '/' + request.resource.resource" },
    ],
    validations: [
      {
        expression: `variables.policy in ${texts(known)}`,
        message: 'the rules of the policy of this cluster are not known yet; try again',
        reason: 'Forbidden',
      },
      ...known.flatMap((policy) => (files.get(policy) ?? []).map((rule) => validation(policy, rule))),
    ],
  };
}

function validation(policy: string, { kinds, expression, message }: OwnRule): JsonObject {
  const keys = kinds.map(keyOfResource);
  const all = [...new Set([...keys, ...keys.flatMap((key) => TWINS.get(key) ?? [])])];
  return {
    // A comment may end the expression.
    expression: `variables.policy != '${policy}' || !(variables.kind in ${texts(all)}) || (${expression}\n)`,
    message,
    reason: 'Forbidden',
  };
}

/** A list of CEL. Names of policies and kinds have no quotes. */
function texts(list: readonly string[]): string {
  return `[${list.map((text) => `'${text}'`).join(', ')}]`;
}
