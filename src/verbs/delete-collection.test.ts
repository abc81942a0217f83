import { describe, expect, it } from 'vitest';
import { bodyOf, type Scripted, textOf } from '../../test/support/scripted-upstream.ts';
import { listOf, refusal, VerbLab } from '../../test/support/verb-lab.ts';
import { nameOf } from '../k8s/meta.ts';
import { objects } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const UPSTREAM = '/apis/virtual.kubeveil.dev/v1/clusterroles';

function role(name: string, owner = 'acme'): JsonObject {
  return { metadata: { name, uid: `uid-${name}`, labels: { 'kubeveil.dev/tenant': owner } }, rules: [] };
}

const LISTED = [role('acme--one'), role('globex--foreign', 'globex'), role('view'), role('acme--two')];

/** A host with some roles, of the tenant's and of others, whatever selector it is asked with. */
function lab(deletion: (name: string) => Scripted): VerbLab {
  return new VerbLab((request) => {
    if (request.method === 'GET') return listOf('ClusterRoleList', 50, LISTED);
    return deletion(request.path.slice(UPSTREAM.length + 1));
  });
}

function gone(name: string): Scripted {
  return {
    status: 200,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { name, uid: `uid-${name}` } },
  };
}

function deletions(one: VerbLab) {
  return one.upstream.requests.filter(({ method }) => method === 'DELETE');
}

describe('deleting a collection of cluster-scoped objects', () => {
  it('names each of the tenant’s own, with its uid, as the tenant', async () => {
    const one = lab(gone);
    const reply = await one.ask('DELETE', `${ROLES}?labelSelector=a%3Db`, {
      body: { propagationPolicy: 'Background' },
    });
    expect(reply.status).toBe(200);
    expect(reply.object).toMatchObject({ kind: 'ClusterRoleList', apiVersion: 'rbac.authorization.k8s.io/v1' });
    expect(objects(reply.object, 'items').map(nameOf)).toEqual(['one', 'two']);
    expect(one.upstream.texts()).toEqual([
      `GET ${UPSTREAM}?labelSelector=a=b,kubeveil.dev/tenant=acme`,
      `DELETE ${UPSTREAM}/acme--one`,
      `DELETE ${UPSTREAM}/acme--two`,
    ]);
    for (const request of deletions(one)) expect(request.identity).toMatchObject({ as: 'tenant', tenant: 'acme' });
    expect(deletions(one).map(bodyOf)).toEqual(
      ['acme--one', 'acme--two'].map((name) => ({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        preconditions: { uid: `uid-${name}` },
      })),
    );
  });

  it('cannot be turned on another object by preconditions of the client', async () => {
    const one = lab(gone);
    const body = { preconditions: { uid: 'another', resourceVersion: '1' } };
    await expect(one.ask('DELETE', ROLES, { body })).rejects.toMatchObject({
      code: 'ERR_CONFLICT',
      details: { name: 'one', kind: 'ClusterRole' },
    });
    expect(deletions(one)).toEqual([]);
  });

  it('holds each object to preconditions of the client, and ends where one fails', async () => {
    const one = lab((name) => (name === 'acme--one' ? gone(name) : refusal(409, 'Conflict')));
    const body = { preconditions: { resourceVersion: '1' } };
    expect(await one.ask('DELETE', ROLES, { body })).toMatchObject({ status: 409 });
    expect(deletions(one).map((request) => bodyOf(request)['preconditions'])).toEqual([
      { uid: 'uid-acme--one', resourceVersion: '1' },
      { uid: 'uid-acme--two', resourceVersion: '1' },
    ]);
  });

  it('says in each deletion what the query says of all', async () => {
    const one = lab(gone);
    const query = 'dryRun=All&gracePeriodSeconds=5&propagationPolicy=Foreground&limit=2';
    await one.ask('DELETE', `${ROLES}?${query}`);
    expect(one.upstream.texts()[0]).toBe(`GET ${UPSTREAM}?limit=2&labelSelector=kubeveil.dev/tenant=acme`);
    for (const request of deletions(one)) {
      expect(request.query ?? []).toEqual([]);
      expect(bodyOf(request)).toMatchObject({
        dryRun: ['All'],
        gracePeriodSeconds: 5,
        propagationPolicy: 'Foreground',
      });
    }
    expect(deletions(one)).toHaveLength(2);
  });

  it('reads no option from the query where there is a body, as the API server', async () => {
    const one = lab(gone);
    await one.ask('DELETE', `${ROLES}?dryRun=All`, { body: {} });
    for (const request of deletions(one)) expect(bodyOf(request)['dryRun']).toBeUndefined();
  });

  it.each(['dryRun=some', 'propagationPolicy=some', 'propagationPolicy=Orphan&orphanDependents=true'])(
    'is refused for %s before anything is deleted',
    async (query) => {
      const one = lab(gone);
      await expect(one.ask('DELETE', `${ROLES}?${query}`)).rejects.toMatchObject({ code: 'ERR_INVALID' });
      expect(one.upstream.requests).toEqual([]);
    },
  );

  it.each([404, 409])('goes on past one that is gone or another by then (%i)', async (status) => {
    const one = lab((name) => (name === 'acme--one' ? refusal(status, 'Whatever') : gone(name)));
    expect(await one.ask('DELETE', ROLES)).toMatchObject({ status: 200 });
    expect(deletions(one)).toHaveLength(2);
  });

  it('ends at a refusal, told in the tenant’s terms', async () => {
    const one = lab((name) => refusal(403, 'Forbidden', `clusterroles.virtual.kubeveil.dev "${name}" is forbidden`));
    expect(await one.ask('DELETE', ROLES)).toMatchObject({
      status: 403,
      object: { message: 'clusterroles.rbac.authorization.k8s.io "one" is forbidden' },
    });
    expect(deletions(one)).toHaveLength(1);
  });
});

describe('deleting a collection in one namespace', () => {
  it('is the host’s to do, as the tenant and past our own guards', async () => {
    const one = new VerbLab((request) => {
      expect(textOf(request)).toBe(
        'DELETE /apis/rbac.authorization.k8s.io/v1/namespaces/acme--web/rolebindings?labelSelector=a=b,!kubeveil.dev/guard',
      );
      return {
        status: 200,
        body: {
          kind: 'RoleBindingList',
          apiVersion: 'rbac.authorization.k8s.io/v1',
          metadata: {},
          items: [{ metadata: { name: 'one', namespace: 'acme--web' }, roleRef: {} }],
        },
      };
    });
    const target = '/apis/rbac.authorization.k8s.io/v1/namespaces/web/rolebindings?labelSelector=a%3Db';
    const { object } = await one.ask('DELETE', target);
    expect(objects(object, 'items').map(({ metadata }) => metadata)).toEqual([{ name: 'one', namespace: 'web' }]);
    expect(one.upstream.requests[0]?.identity).toMatchObject({ as: 'tenant' });
  });

  it('does not exist over all namespaces, nor for namespaces', async () => {
    const one = lab(gone);
    for (const target of ['/api/v1/pods', '/api/v1/namespaces']) {
      await expect(one.ask('DELETE', target)).rejects.toMatchObject({ code: 'ERR_METHOD_NOT_ALLOWED' });
    }
    expect(one.upstream.requests).toEqual([]);
  });
});

describe('deleting one object', () => {
  const ONE = `${ROLES}/one`;

  it('takes DeleteOptions of any version, and nothing else', async () => {
    const one = lab(gone);
    for (const body of [{}, { kind: 'DeleteOptions' }, { kind: 'DeleteOptions', apiVersion: 'apps/v9' }]) {
      expect(await one.ask('DELETE', ONE, { body })).toMatchObject({ status: 200 });
    }
    const before = one.upstream.requests.length;
    for (const kind of ['Pod', 'Status', 5]) {
      await expect(one.ask('DELETE', ONE, { body: { kind, apiVersion: 'v1' } })).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
      });
    }
    expect(one.upstream.requests).toHaveLength(before);
  });
});
