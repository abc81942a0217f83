import { describe, expect, it } from 'vitest';
import { bodyOf, Feed, type Scripted } from '../../test/support/scripted-upstream.ts';
import { refusal, VerbLab } from '../../test/support/verb-lab.ts';

const GADGET = '/apis/stable.example.com/v1/gadgets/one';
const REVIEW = 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const FOUND: Scripted = {
  status: 200,
  body: { kind: 'Gadget', apiVersion: 'acme--stable.example.com/v1', metadata: { name: 'one' } },
};

function reviewed(allowed: boolean): Scripted {
  return { status: 201, body: { kind: 'SelfSubjectAccessReview', status: { allowed } } };
}

/** In the words of the host's authorizer. */
function lack(user = 'kubeveil:acme', verb = 'get'): Scripted {
  const group = 'acme--stable.example.com';
  const message = `gadgets.${group} "one" is forbidden: User "${user}" cannot ${verb} resource "gadgets" in API group "${group}" at the cluster scope`;
  return refusal(403, 'Forbidden', message);
}

/** A host that gives these answers, one after the other. */
function answering(...answers: Scripted[]): VerbLab {
  return new VerbLab(() => answers.shift() ?? refusal(500, 'InternalError'));
}

describe('a right on a kind of the tenant’s own that the host does not know yet', () => {
  it('is waited for, and the request sent again', async () => {
    const lab = answering(lack(), reviewed(false), reviewed(true), FOUND);
    expect(await lab.request('GET', GADGET)).toMatchObject({ status: 200, object: { metadata: { name: 'one' } } });
    const get = 'GET /apis/acme--stable.example.com/v1/gadgets/one';
    expect(lab.upstream.texts()).toEqual([get, REVIEW, REVIEW, get]);
    expect(new Set(lab.upstream.requests.map(({ identity }) => identity.as))).toEqual(new Set(['tenant']));
    expect(bodyOf(lab.upstream.requests[1])).toMatchObject({
      spec: {
        resourceAttributes: { namespace: '', group: 'acme--stable.example.com', resource: 'gadgets', verb: 'list' },
      },
    });
  });

  it('is waited for by a write too', async () => {
    const lab = answering(lack(), reviewed(true), FOUND);
    expect(await lab.request('DELETE', GADGET)).toMatchObject({ status: 200 });
    expect(lab.upstream.texts().map((line) => line.split(' ')[0])).toEqual(['DELETE', 'POST', 'DELETE']);
  });

  it('is waited for by a watch too', async () => {
    const feed = new Feed().end();
    const lab = answering(lack(), reviewed(true), { status: 200, body: feed });
    const events = await lab.watch('/apis/stable.example.com/v1/gadgets?watch=true&resourceVersion=5');
    expect(await events.next()).toMatchObject({ done: true });
  });
});

describe('a refusal', () => {
  it('by anything but the authorizer is told at once', async () => {
    const denied = refusal(403, 'Forbidden', "ValidatingAdmissionPolicy 'kubeveil-namespaced' denied request: no");
    const lab = answering(denied);
    expect(await lab.request('DELETE', GADGET)).toMatchObject({ status: 403 });
    expect(lab.upstream.requests).toHaveLength(1);
  });

  it('is waited for again where the right that was there has gone and comes back', async () => {
    const lab = answering(lack(), reviewed(true), lack(), reviewed(false), reviewed(true), FOUND);
    expect(await lab.request('GET', GADGET)).toMatchObject({ status: 200 });
  });

  it('of the data path itself is waited for likewise', async () => {
    const own = lack('system:serviceaccount:kubeveil-system:kubeveil-datapath', 'impersonate-on:user-info:get');
    const lab = answering(own, reviewed(true), own, reviewed(true), FOUND);
    expect(await lab.request('GET', GADGET)).toMatchObject({ status: 200 });
  });

  it('is not waited for in a namespace that is being deleted, whose guard gets no right any more', async () => {
    const within = '/apis/stable.example.com/v1/namespaces/web/widgets/one';
    const ask = async (web: 'ready' | 'terminating') => {
      const answers = [lack(), reviewed(true), { ...FOUND }];
      const lab = new VerbLab(() => answers.shift() ?? refusal(500, 'InternalError'), { namespaces: { web } });
      await lab.request('GET', within).catch(() => undefined);
      return lab.upstream.requests.length;
    };
    expect([await ask('ready'), await ask('terminating')]).toEqual([3, 1]);
  });

  it('of a kind that is not the tenant’s own is told at once', async () => {
    const lab = answering(lack());
    const told = lab.request('GET', '/api/v1/namespaces/web/pods/one');
    await expect(told).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE', details: { retryAfterSeconds: 1 } });
    expect(lab.upstream.requests).toHaveLength(1);
  });

  it('of another sort is told at once', async () => {
    const lab = answering(refusal(409, 'Conflict'));
    expect(await lab.request('DELETE', GADGET)).toMatchObject({ status: 409 });
    expect(lab.upstream.requests).toHaveLength(1);
  });
});
