import { expect, it } from 'vitest';
import type { Identity } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import { createLimiter } from '../limit/limit.ts';
import type { Policies } from '../policy/policy.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createCountLimits } from './count-limits.ts';
import { createMeasures } from './usage.ts';

const LIMITS = {
  requestsInFlight: 10,
  requestsInFlightPerUser: 5,
  requestsWaiting: 3,
  requestsPerSecond: undefined,
  requestsPerSecondPerUser: 9,
  watches: 20,
  watchesPerUser: 4,
  requestBodyBytes: 1_000,
  namespaces: 7,
  customResourceDefinitions: 2,
};
const namespace = (name: string, tenant: string): JsonObject => ({
  metadata: { name, labels: { 'kubeveil.dev/tenant': tenant } },
});
const QUOTAS: Record<string, JsonObject> = {
  'acme--a': { status: { used: { pods: '2', 'requests.cpu': '500m' } } },
  'acme--b': { status: { used: { pods: '1', 'requests.cpu': '750m' } } },
  'globex--a': { status: { used: { pods: '100' } } },
};
const informers = {
  namespaces: {
    list: () => [namespace('acme--a', 'acme'), namespace('acme--b', 'acme'), namespace('globex--a', 'globex')],
  },
  quotas: { get: (name: string) => QUOTAS[name] },
};
const ACME = { id: 'acme', uid: 'a', policy: 'p' } as unknown as Tenant;
const NEVER = new AbortController().signal;

function measuresWith(quota: Record<string, string>) {
  const policies = { of: () => ({ limits: LIMITS, guards: () => ({ quota }) }) } as unknown as Policies;
  const limiter = createLimiter({ nowMs: () => 0 });
  for (const [tenant, username, lasts] of [
    [ACME, 'alice', false],
    [ACME, 'bob', false],
    [ACME, 'bob', true],
    [{ ...ACME, uid: 'g' }, 'alice', true],
  ] as const) {
    void limiter.enter({ tenant, username }, LIMITS, lasts, NEVER);
  }
  const counts = createCountLimits({ namespaces: informers.namespaces, customResourceDefinitions: { list: () => [] } });
  const measures = createMeasures({ policies, limiter, counts, informers });
  const all = measures(ACME, { username: 'bob' } as Identity);
  return new Map(all.map(({ name, used, limit }) => [name, `${used} of ${limit}`]));
}

it('are those of the tenant and of the user who asks, and of nobody else', () => {
  expect(Object.fromEntries(measuresWith({}))).toEqual({
    requests: '2 of 10',
    'requests-of-user': '1 of 5',
    'requests-waiting': '0 of 3',
    'requests-per-second': 'undefined of undefined',
    'requests-per-second-of-user': 'undefined of 9',
    watches: '1 of 20',
    'watches-of-user': '1 of 4',
    'request-body': 'undefined of 1000',
    namespaces: '2 of 7',
    customresourcedefinitions: '0 of 2',
  });
});

it('have the tenant’s quota, with what all of its namespaces use', () => {
  const measures = measuresWith({ pods: '50', 'requests.cpu': '4', 'count/deployments.apps': '9' });
  expect(measures.get('quota.pods')).toBe('3 of 50');
  expect(measures.get('quota.requests.cpu')).toBe('1250m of 4');
  expect(measures.get('quota.count.deployments.apps')).toBe('0 of 9');
});
