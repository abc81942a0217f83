import { expect, it } from 'vitest';
import { bodyOf, type Scripted, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { selectionOf } from '../cache/asked.ts';
import type { Selection } from '../cache/changes.ts';
import type { ResourceInfo } from '../exchange.ts';
import type { Caller } from './caller.ts';
import { createRights } from './rights.ts';

const AGENT: Caller = {
  username: 'agent',
  groups: ['system:authenticated'],
  uid: '1',
  extra: { k: ['v'] },
  how: 'token',
};
const PODS = { group: '', version: 'v1', resource: 'pods', namespace: '', name: '', verb: 'list' } as ResourceInfo;
const ALLOWED: Scripted = { status: 201, body: { status: { allowed: true } } };

function select(parameters: Record<string, string> = {}): Selection {
  const selection = selectionOf(new Map(Object.entries(parameters)), { group: '', resource: 'pods', namespaced: true });
  if (selection === undefined) throw new Error('the selectors do not parse');
  return selection;
}

function lab(answer: () => Scripted = () => ALLOWED) {
  const clock = { nowMs: 1_000 };
  const upstream = new ScriptedUpstream(answer);
  return { clock, upstream, mayRead: createRights({ upstream, nowMs: () => clock.nowMs }) };
}

it('asks the API server with all that it decides by', async () => {
  const { mayRead, upstream } = lab();
  const selection = select({
    fieldSelector: 'spec.nodeName=a,status.phase!=Failed',
    labelSelector: 'app in (x,y),!old,n>3',
  });
  expect(await mayRead(AGENT, PODS, selection)).toBe(true);
  expect(bodyOf(upstream.requests[0])).toEqual({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: 'agent',
      groups: ['system:authenticated'],
      uid: '1',
      extra: { k: ['v'] },
      resourceAttributes: {
        verb: 'list',
        group: '',
        version: 'v1',
        resource: 'pods',
        namespace: '',
        name: '',
        labelSelector: {
          requirements: [
            { key: 'app', operator: 'In', values: ['x', 'y'] },
            { key: 'old', operator: 'DoesNotExist', values: [] },
          ],
        },
        fieldSelector: {
          requirements: [
            { key: 'spec.nodeName', operator: 'In', values: ['a'] },
            { key: 'status.phase', operator: 'NotIn', values: ['Failed'] },
          ],
        },
      },
    },
  });
});

it.each([
  ['not allowed', { allowed: false }],
  ['denied, whatever else it says', { allowed: true, denied: true }],
  ['nothing', {}],
])('says no where the API server says %s', async (_what, status) => {
  expect(await lab(() => ({ status: 201, body: { status } })).mayRead(AGENT, PODS, select())).toBe(false);
});

it('does not know where the API server does not answer, and asks again', async () => {
  const answers: Scripted[] = [{ status: 500, body: {} }, ALLOWED];
  const { mayRead } = lab(() => answers.shift() as Scripted);
  await expect(mayRead(AGENT, PODS, select())).rejects.toThrow('answered with 500');
  expect(await mayRead(AGENT, PODS, select())).toBe(true);
});

it('believes an answer for ten seconds, for the very same question', async () => {
  const { mayRead, upstream, clock } = lab();
  const selection = select({ fieldSelector: 'spec.nodeName=a' });
  await Promise.all([mayRead(AGENT, PODS, selection), mayRead(AGENT, PODS, selection)]);
  expect(upstream.requests).toHaveLength(1);
  await mayRead(AGENT, PODS, select());
  await mayRead({ ...AGENT, groups: [] }, PODS, selection);
  await mayRead(AGENT, { ...PODS, verb: 'watch' }, selection);
  await mayRead(AGENT, { ...PODS, namespace: 'x' as never }, selection);
  expect(upstream.requests).toHaveLength(5);
  clock.nowMs += 10_000;
  await mayRead(AGENT, PODS, selection);
  expect(upstream.requests).toHaveLength(6);
});
