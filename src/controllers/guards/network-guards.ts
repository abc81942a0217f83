/**
 * The NetworkPolicies that keep a tenant's pods from other tenants and from the host, without taking from the tenant what
 * its own NetworkPolicies say.
 *
 * Policies only ever add to what is allowed, and a pod that none of them selects may do anything. So a policy that allows
 * "the tenant's own and the Internet" to every pod would undo each stricter one of the tenant. It is for the pods alone
 * that no policy of the tenant selects, for each direction apart: the complement of the tenant's selectors. One more
 * policy selects every pod, so that there is never a pod without one, and allows what every pod needs: names.
 * What the tenant's own policies may open is bounded by `deploy/64-policy-network.yaml`.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
import { child, objects, strings } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { NetworkGuards } from '../../tenancy/host-guards.ts';
import { GUARD_OBJECT, NOTHING_LABEL } from '../../tenancy/host-names.ts';
import { TENANT_LABEL, type TenantId } from '../../tenancy/names.ts';

/** More policies than this, and the pods that no policy of the tenant selects get names and nothing else. */
const COMPLEMENT_MAX = 64;
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';
/** Selects no pod, and is there to be changed when it is to select all. */
const NOBODY_IS_KEPT: JsonObject = { podSelector: { matchLabels: { [NOTHING_LABEL]: '' } }, policyTypes: ['Ingress'] };

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

const NEGATED: Readonly<Record<string, string>> = {
  In: 'NotIn',
  NotIn: 'In',
  Exists: 'DoesNotExist',
  DoesNotExist: 'Exists',
};

/** By name, the spec of each guard of one namespace. @param own the specs of the tenant's policies in it */
export function networkPolicies(
  tenant: TenantId,
  network: NetworkGuards | undefined,
  own: readonly JsonObject[],
): Map<string, JsonObject> {
  if (network === undefined) return new Map([[GUARD_OBJECT, NOBODY_IS_KEPT]]);
  const wanted = new Map<string, JsonObject>();
  wanted.set(GUARD_OBJECT, {
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    egress: [{ to: [dnsPeer(network)], ports: ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 })) }],
  });
  const rulesOf: ReadonlyArray<readonly [direction: string, rules: JsonObject]> = [
    ['Ingress', { ingress: [{ from: mayComeFrom(tenant, network) }] }],
    ['Egress', { egress: [{ to: mayGoTo(tenant, network) }] }],
  ];
  for (const [direction, rules] of rulesOf) {
    const selectors = own.filter((spec) => directionsOf(spec).has(direction)).map((spec) => child(spec, 'podSelector'));
    complement(selectors).forEach((podSelector, index) => {
      const name = `${GUARD_OBJECT}.${direction.toLowerCase()}.${index}`;
      wanted.set(name, { podSelector, policyTypes: [direction], ...rules });
    });
  }
  return wanted;
}

/** Selectors that together pick exactly the pods that none of the given ones picks. */
export function complement(selectors: readonly JsonObject[]): JsonObject[] {
  let terms: Requirement[][] = [[]];
  for (const selector of selectors) {
    const negated = requirementsOf(selector).map(negate);
    const next = new Map<string, Requirement[]>();
    for (const term of terms) {
      for (const requirement of negated) {
        const joined = join(term, requirement);
        if (joined !== undefined) next.set(JSON.stringify(joined), joined);
      }
    }
    terms = withoutImplied([...next.values()]);
    if (terms.length > COMPLEMENT_MAX) return [];
  }
  return terms.map((term) =>
    term.length === 0
      ? {}
      : {
          matchExpressions: term.map(({ values, ...rest }) => ({
            ...rest,
            ...(values.length > 0 && { values: [...values] }),
          })),
        },
  );
}

/** A term that holds all requirements of another, and more, picks nothing that the other does not. */
function withoutImplied(terms: Requirement[][]): Requirement[][] {
  const texts = terms.map((term) => new Set(term.map((requirement) => JSON.stringify(requirement))));
  return terms.filter((_term, index) => {
    const mine = texts[index] ?? new Set();
    const isWithin = (other: ReadonlySet<string>) => [...other].every((text) => mine.has(text));
    return !texts.some((other, at) => at !== index && other.size < mine.size && isWithin(other));
  });
}

/** Requirements in one order; `NotIn` of one key come together. */
function join(term: readonly Requirement[], requirement: Requirement): Requirement[] {
  const { key, operator, values } = requirement;
  const same = operator === 'NotIn' ? term.find((one) => one.key === key && one.operator === operator) : undefined;
  const merged =
    same === undefined ? requirement : { ...same, values: [...new Set([...same.values, ...values])].sort() };
  const rest = term.filter((one) => one !== same && JSON.stringify(one) !== JSON.stringify(merged));
  return [...rest, merged].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function negate({ key, operator, values }: Requirement): Requirement {
  return { key, operator: NEGATED[operator] ?? operator, values: [...values].sort() };
}

function requirementsOf(selector: JsonObject): Requirement[] {
  const labels = Object.entries(child(selector, 'matchLabels')).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [String(value)],
  }));
  const expressions = objects(selector, 'matchExpressions').map((expression) => ({
    key: String(expression['key']),
    operator: String(expression['operator']),
    values: strings(expression, 'values'),
  }));
  return [...labels, ...expressions];
}

function directionsOf(spec: JsonObject): Set<string> {
  return new Set(strings(spec, 'policyTypes'));
}

function mayComeFrom(tenant: TenantId, network: NetworkGuards): JsonObject[] {
  const { from } = network;
  return [
    ...outside(tenant, network),
    ...from.namespaces.map((name) => ({ namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: name } } })),
    ...from.ranges.map((cidr) => ({ ipBlock: { cidr } })),
  ];
}

function mayGoTo(tenant: TenantId, network: NetworkGuards): JsonObject[] {
  return [...outside(tenant, network), ...network.open.map((cidr) => ({ ipBlock: { cidr } }))];
}

/** The tenant's own pods, and every address that is not closed. */
function outside(tenant: TenantId, { closed }: NetworkGuards): JsonObject[] {
  const blocks = [
    ['0.0.0.0/0', closed.filter((range) => !range.includes(':'))],
    ['::/0', closed.filter((range) => range.includes(':'))],
  ] as const;
  return [
    { namespaceSelector: { matchLabels: { [TENANT_LABEL]: tenant } } },
    ...blocks.map(([cidr, except]) => ({ ipBlock: { cidr, ...(except.length > 0 && { except }) } })),
  ];
}

function dnsPeer({ dns }: NetworkGuards): JsonObject {
  return {
    namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: dns.namespace } },
    podSelector: { matchLabels: { ...dns.podLabels } },
  };
}
