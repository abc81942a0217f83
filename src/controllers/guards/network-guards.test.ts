import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../k8s/types.ts';
import type { NetworkGuards } from '../../tenancy/host-guards.ts';
import type { TenantId } from '../../tenancy/names.ts';
import { complement, networkPolicies } from './network-guards.ts';

const ACME = 'acme' as TenantId;
const NETWORK: NetworkGuards = {
  closed: ['10.0.0.0/8', 'fc00::/7'],
  open: ['10.9.9.9/32'],
  from: { namespaces: ['ingress-nginx'], ranges: ['10.8.0.0/16'] },
  dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } },
};

type Labels = Record<string, string>;

/** As Kubernetes reads a selector; written apart from the code under test. */
function picks(selector: JsonObject, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector as {
    matchLabels?: Labels;
    matchExpressions?: { key: string; operator: string; values?: string[] }[];
  };
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'In') return value !== undefined && values.includes(value);
      if (operator === 'NotIn') return value === undefined || !values.includes(value);
      return (value !== undefined) === (operator === 'Exists');
    })
  );
}

const PODS: Labels[] = ['', 'x', 'y', 'z'].flatMap((a) =>
  ['', 'x', 'y'].flatMap((b) =>
    ['', 'x'].map((c) => Object.fromEntries(Object.entries({ a, b, c }).filter(([, value]) => value !== ''))),
  ),
);
const SELECTORS: JsonObject[] = [
  {},
  { matchLabels: { a: 'x' } },
  { matchLabels: { a: 'y' } },
  { matchLabels: { a: 'x', b: 'y' } },
  { matchLabels: { a: 'z', b: 'x', c: 'x' } },
  { matchExpressions: [{ key: 'a', operator: 'In', values: ['x', 'y'] }] },
  { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['y', 'x'] }] },
  { matchExpressions: [{ key: 'b', operator: 'Exists' }] },
  { matchLabels: { c: 'x' }, matchExpressions: [{ key: 'b', operator: 'DoesNotExist' }] },
];

describe('the complement of selectors', () => {
  it('picks exactly the pods that none of them picks', () => {
    let compared = 0;
    for (const one of SELECTORS) {
      for (const other of SELECTORS) {
        for (const third of SELECTORS) {
          const given = [one, other, third];
          const rest = complement(given);
          for (const labels of PODS) {
            const wanted = !given.some((selector) => picks(selector, labels));
            expect(
              rest.some((selector) => picks(selector, labels)),
              JSON.stringify([given, labels]),
            ).toBe(wanted);
            compared += 1;
          }
        }
      }
    }
    expect(compared).toBe(9 ** 3 * 24);
  });

  it('is every pod where there is none, and no pod beside one that picks all', () => {
    expect(complement([])).toEqual([{}]);
    expect(complement([{}])).toEqual([]);
  });

  it('is no pod where it would take too many policies', () => {
    const wide = Array.from({ length: 12 }, (_, index) => ({
      matchLabels: { [`a${index}`]: 'x', [`b${index}`]: 'x' },
    }));
    expect(complement(wide)).toEqual([]);
    expect(complement(wide.slice(0, 5))).toHaveLength(32);
  });
});

describe('the guards of a namespace', () => {
  const specs = (own: JsonObject[]) => networkPolicies(ACME, NETWORK, own);

  it('select every pod always, and let it ask for names', () => {
    const base = specs([]).get('kubeveil.dev');
    expect(base).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    expect(base).not.toHaveProperty('ingress');
    expect(base?.['egress']).toMatchObject([
      {
        to: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
            podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
          },
        ],
      },
    ]);
  });

  it('select no pod where the policy isolates none', () => {
    const guards = networkPolicies(ACME, undefined, [{ podSelector: {}, policyTypes: ['Ingress'] }]);
    expect([...guards]).toEqual([
      ['kubeveil.dev', { podSelector: { matchLabels: { 'kubeveil.dev/nothing': '' } }, policyTypes: ['Ingress'] }],
    ]);
  });

  it('let pods without a policy reach their own tenant and the Internet, and be reached so', () => {
    const own = { namespaceSelector: { matchLabels: { 'kubeveil.dev/tenant': 'acme' } } };
    const four = { ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } };
    const six = { ipBlock: { cidr: '::/0', except: ['fc00::/7'] } };
    const guards = specs([]);
    expect(guards.get('kubeveil.dev.egress.0')).toEqual({
      podSelector: {},
      policyTypes: ['Egress'],
      egress: [{ to: [own, four, six, { ipBlock: { cidr: '10.9.9.9/32' } }] }],
    });
    expect(guards.get('kubeveil.dev.ingress.0')?.['ingress']).toEqual([
      {
        from: [
          ...[own, four, six],
          { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } },
          { ipBlock: { cidr: '10.8.0.0/16' } },
        ],
      },
    ]);
  });

  it('leave to the tenant the pods that its policies select, each direction apart', () => {
    const guards = specs([
      { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
      { podSelector: {}, policyTypes: ['Egress'] },
    ]);
    expect([...guards.keys()]).toEqual(['kubeveil.dev', 'kubeveil.dev.ingress.0']);
    expect(guards.get('kubeveil.dev.ingress.0')?.['podSelector']).toEqual({
      matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }],
    });
  });
});
