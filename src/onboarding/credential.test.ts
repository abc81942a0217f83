import { describe, expect, it } from 'vitest';
import { Feed, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import type { JsonObject } from '../k8s/types.ts';
import { whenActive } from './credential.ts';
import { Tenants } from './tenants.ts';

function tenant(phase: string, reason: string, message: string): JsonObject {
  const conditions = [{ type: 'Ready', status: phase === 'Active' ? 'True' : 'False', reason, message }];
  return { metadata: { name: 'acme', uid: 'u1', resourceVersion: '5' }, status: { phase, conditions } };
}

/** A host with a tenant that is Pending without a word, and then this. */
function thatBecomes(next: JsonObject): Tenants {
  const feed = new Feed().send({ type: 'MODIFIED', object: next });
  const pending = { metadata: { name: 'acme', uid: 'u1', resourceVersion: '4' } };
  return new Tenants(
    new ScriptedUpstream(({ path }) => ({ status: 200, body: path.endsWith('/acme') ? pending : feed })),
  );
}

describe('whenActive', () => {
  it('resolves with the tenant as soon as it is in service', async () => {
    const active = tenant('Active', 'Ready', 'fine');
    expect(await whenActive(thatBecomes(active), 'acme', 10_000)).toEqual(active);
  });

  it('does not wait for what only the operator can mend', async () => {
    const stuck = tenant('Pending', 'PolicyNotFound', 'there is no policy "stirct"');
    await expect(whenActive(thatBecomes(stuck), 'acme', 10_000)).rejects.toThrow(
      'tenant acme is there, but not in service: Ready: there is no policy "stirct"',
    );
  });
});
