import { describe, expect, it } from 'vitest';
import { ScriptedUpstream } from '../../../test/support/scripted-upstream.ts';
import { impersonationForm, impersonationProblem } from './impersonation.ts';

const USER = 'users "kubeveil:system" is forbidden: User "system:serviceaccount:kubeveil-system:kubeveil-reader"';
const ON = `${USER} cannot impersonate-on:user-info:create resource "selfsubjectreviews" in API group "a"`;
const WHOM = `${USER} cannot impersonate:user-info resource "users" in API group "authentication.k8s.io"`;
const OLD = `${USER} cannot impersonate resource "users" in API group "" at the cluster scope`;

interface Said {
  readonly status: number;
  readonly message: string;
}

function host(toNobody: Said, toDataPath: Said = { status: 403, message: OLD }): ScriptedUpstream {
  return new ScriptedUpstream(({ identity }) => {
    const { status, message } = identity.as === 'nobody' ? toNobody : toDataPath;
    return { status, body: { kind: 'Status', message } };
  });
}

const refused = (message: string): Said => ({ status: 403, message });
const allowed: Said = { status: 201, message: '' };
const signal = AbortSignal.timeout(10_000);

describe('how a host limits impersonation', () => {
  it.each([
    ['constrained', ON],
    ['constrained', WHOM],
    ['legacy', OLD],
  ])('is %s, where it says: %s', async (form, message) => {
    expect(await impersonationForm(host(refused(message)), signal)).toBe(form);
    expect(await impersonationProblem(host(refused(message)), signal)).toBeUndefined();
  });

  it('is what it says to an account that may be nobody, not what it says to the data path', async () => {
    expect(await impersonationForm(host(refused(ON), refused(OLD)), signal)).toBe('constrained');
  });

  it.each([
    ['something else', refused('forbidden: not today')],
    ['that it is out of order', { status: 500, message: 'not today' }],
  ])('is not known where it says %s', async (_what, said) => {
    await expect(impersonationForm(host(said), signal)).rejects.toThrow('not today');
    await expect(impersonationProblem(host(said), signal)).rejects.toThrow('not today');
  });

  it.each([
    ['data path', host(refused(ON), allowed)],
    ['reader', host(allowed)],
  ])('will not do where the %s may be anybody', async (who, upstream) => {
    expect(await impersonationProblem(upstream, signal)).toMatch(`the account of the ${who} impersonate anybody`);
  });

  it('is not known where the reader may be anybody', async () => {
    await expect(impersonationForm(host(allowed), signal)).rejects.toThrow(/lets an account be anybody/);
  });
});
