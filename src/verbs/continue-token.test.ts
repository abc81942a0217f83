import { describe, expect, it } from 'vitest';
import { textOf } from '../../test/support/scripted-upstream.ts';
import { listOf, refusal, VerbLab } from '../../test/support/verb-lab.ts';
import { objects } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { serve } from './verbs.ts';

const PODS = '/api/v1/namespaces/web/pods';
const POD = { namespace: 'acme--web', name: 'one' };

/** A host that always has one more page, after the place `upstream-token`. */
function lab(tenant = 'acme'): VerbLab {
  return new VerbLab(
    ({ path }) => {
      const kind = path.endsWith('pods')
        ? 'PodList'
        : path.endsWith('clusterroles')
          ? 'ClusterRoleList'
          : 'ConfigMapList';
      return listOf(kind, 50, [], { continue: 'upstream-token' });
    },
    { tenant },
  );
}

async function tokenOf(one: VerbLab, target: string): Promise<string> {
  const { object } = await one.ask('GET', `${target}?limit=1`);
  return String((object['metadata'] as JsonObject)['continue']);
}

function next(target: string, token: string, more = ''): string {
  return `${target}?limit=1&continue=${encodeURIComponent(token)}${more}`;
}

describe('continue tokens', () => {
  it('carry upstream’s own, sealed', async () => {
    const one = lab();
    const token = await tokenOf(one, PODS);
    expect(token).not.toContain('upstream');
    expect(Buffer.from(token, 'base64').toString('latin1')).not.toContain('upstream');
    expect(await one.ask('GET', next(PODS, token))).toMatchObject({ status: 200 });
    expect(one.upstream.texts()[1]).toBe('GET /api/v1/namespaces/acme--web/pods?limit=1&continue=upstream-token');
  });

  it.each([
    ['another namespace', '/api/v1/namespaces/default/pods'],
    ['another resource', '/api/v1/namespaces/web/configmaps'],
    ['a cluster-scoped resource', '/apis/rbac.authorization.k8s.io/v1/clusterroles'],
    ['all namespaces', '/api/v1/pods'],
  ])('open nothing of %s', async (_what, target) => {
    const one = lab();
    const token = await tokenOf(one, PODS);
    await expect(one.ask('GET', next(target, token))).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' });
    expect(one.upstream.requests).toHaveLength(1);
  });

  it('open nothing for another tenant', async () => {
    const token = await tokenOf(lab(), PODS);
    const other = lab('globex');
    await expect(other.ask('GET', next(PODS, token))).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' });
    expect(other.upstream.requests).toEqual([]);
  });

  it('open nothing for the next tenant of the same id', async () => {
    const token = await tokenOf(lab(), PODS);
    const later = lab();
    const call = later.call('GET', next(PODS, token));
    const reborn = { ...call, tenant: { ...call.tenant, uid: 'another-uid' } };
    await expect(serve(reborn, later.deps)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' });
    await expect(serve(call, later.deps)).resolves.toMatchObject({ status: 200 });
  });

  it.each([
    ['upstream’s own', () => 'upstream-token'],
    ['nonsense', () => 'x'],
    ['an altered one', (token: string) => `${token.slice(0, -4)}AAAA`],
  ])('are refused when they are %s', async (_what, change) => {
    const one = lab();
    const token = change(await tokenOf(one, PODS));
    await expect(one.ask('GET', next(PODS, token))).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      message: expect.stringContaining('continue key is not valid'),
    });
  });

  it.each([
    ['5', false],
    ['0', true],
  ])('stand beside a resourceVersion of %s: %s', async (version, isTaken) => {
    const one = lab();
    const asked = one.ask('GET', next(PODS, await tokenOf(one, PODS), `&resourceVersion=${version}`));
    if (isTaken) expect(await asked).toMatchObject({ status: 200 });
    else await expect(asked).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' });
  });

  it('go on without consistency where upstream no longer has the page', async () => {
    const token = await tokenOf(lab(), PODS);
    const gone = refusal(410, 'Expired', 'The provided continue parameter is too old', { continue: 'upstream-later' });
    const late = new VerbLab((request) =>
      textOf(request).includes('upstream-later') ? listOf('PodList', 60, [{ metadata: POD }]) : gone,
    );
    const refused = await late.ask('GET', next(PODS, token));
    expect(refused).toMatchObject({ status: 410, object: { reason: 'Expired' } });
    const again = String((refused.object['metadata'] as JsonObject)['continue']);
    expect(again).not.toContain('upstream');
    expect(objects((await late.ask('GET', next(PODS, again))).object, 'items')).toHaveLength(1);
  });
});
