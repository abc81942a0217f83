/** The limits of the shipped policies: no ordinary client meets them, and a greedy one does. */
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../limit/limit.ts';
import { loadPolicies } from '../policy/load.ts';
import type { TenantId } from '../tenancy/names.ts';

const policies = loadPolicies(new URL('../../policies', import.meta.url).pathname);
const NEVER = new AbortController().signal;

describe.each([...policies.names])('under the policy %s', (name) => {
  const { limits, guards } = policies.of({ policy: name });

  function tenant() {
    let now = 0;
    const limiter = createLimiter({ nowMs: () => now });
    const refused = new Set<string>();
    return {
      refused,
      passMs(ms: number): void {
        now += ms;
      },
      ask(username: string, lasts = false): void {
        try {
          const leave = limiter.enter({ tenant: { uid: 'a' }, username }, limits, lasts, NEVER);
          if (!lasts && typeof leave === 'function') leave();
        } catch (error) {
          refused.add(String((error as { why?: string }).why));
        }
      },
    };
  }

  it('a tenant of twenty controllers, each with fifty requests a second and bursts, is not refused', () => {
    const { ask, passMs, refused } = tenant();
    for (let user = 0; user < 20; user++) for (let watch = 0; watch < 60; watch++) ask(`robot-${user}`, true);
    for (let tick = 0; tick < 10 * 60; tick++) {
      passMs(100);
      for (let user = 0; user < 20; user++) for (let at = 0; at < 5; at++) ask(`robot-${user}`);
      // One after the other begins anew, with all that it may ask at once.
      if (tick % 10 === 0) for (let at = 0; at < 300; at++) ask(`robot-${(tick / 10) % 20}`);
    }
    expect([...refused]).toEqual([]);
  });

  it('a user and a tenant without end are', () => {
    const { ask, passMs, refused } = tenant();
    for (let tick = 0; tick < 50; tick++) {
      passMs(100);
      for (let at = 0; at < 300; at++) ask('greedy');
    }
    expect([...refused]).toEqual(['rate-of-user']);
    for (let at = 0; at < 10_000; at++) ask(`of-many-${at % 100}`);
    for (let at = 0; at < 2_000; at++) ask('watcher', true);
    expect([...refused]).toContain('rate');
    passMs(10_000);
    for (let at = 0; at < 2_000; at++) ask('watcher', true);
    expect([...refused]).toContain('watches-of-user');
  });

  it('the host counts objects where nobody knows the tenant', () => {
    const { quota } = guards('acme' as TenantId);
    expect(Object.keys(quota).length > 0).toBe(name === 'restricted');
  });
});
