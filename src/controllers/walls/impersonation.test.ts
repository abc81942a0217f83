import { describe, expect, it } from 'vitest';
import { ScriptedUpstream } from '../../../test/support/scripted-upstream.ts';
import { impersonationProblem } from './impersonation.ts';

const ACCOUNT = 'User "system:serviceaccount:kubeveil-system:kubeveil-datapath"';

function problemOf(status: number, message: string): Promise<string | undefined> {
  const upstream = new ScriptedUpstream(() => ({ status, body: { kind: 'Status', message } }));
  return impersonationProblem(upstream, AbortSignal.timeout(10_000));
}

describe('impersonationProblem', () => {
  it.each([
    'cannot impersonate-on:user-info:create resource "selfsubjectreviews" in API group "authentication.k8s.io"',
    'cannot impersonate:user-info resource "users" in API group "authentication.k8s.io"',
  ])('is none where the host %s', async (refusal) => {
    expect(await problemOf(403, `forbidden: ${ACCOUNT} ${refusal}`)).toBeUndefined();
  });

  it('is that the host knows no limits, where it asks for the right to impersonate anybody', async () => {
    const refusal = `${ACCOUNT} cannot impersonate resource "users" in API group ""`;
    expect(await problemOf(403, refusal)).toMatch(/needs Kubernetes 1\.36/);
  });

  it('is that the data path may be anybody, where the host does not refuse', async () => {
    expect(await problemOf(201, '')).toMatch(/impersonate anybody/);
  });

  it('is not known where the host says something else', async () => {
    await expect(problemOf(500, 'out of order')).rejects.toThrow('out of order');
  });
});
