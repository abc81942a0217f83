import { describe, expect, it } from 'vitest';
import { bodyOf, type Scripted, textOf } from '../../test/support/scripted-upstream.ts';
import { refusal, VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject } from '../k8s/types.ts';

const DEPLOYMENT = '/apis/apps/v1/namespaces/web/deployments/app';
const LABELS = { metadata: { labels: { a: 'b' } } };
const RESERVED = { metadata: { labels: { 'kubeveil.dev/tenant': 'globex' } } };

function withTypes(types: readonly string[], object: JsonObject): [string, JsonObject | JsonObject[]][] {
  return types.map((type) => [`application/${type}`, object]);
}
const OBJECT_TYPES = ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'];

describe('a patch', () => {
  it.each([
    ...withTypes(OBJECT_TYPES, LABELS),
    ['application/json-patch+json', [{ op: 'add', path: '/metadata/labels/a', value: 'b' }]],
  ] as [string, JsonObject | JsonObject[]][])('goes upstream as one, as the tenant: %s', async (type, body) => {
    const lab = new VerbLab(
      (): Scripted => ({
        status: 200,
        body: { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'app', namespace: 'acme--web' } },
      }),
    );
    const force = type === 'application/apply-patch+yaml' ? '&force=true' : '';
    const reply = await lab.ask('PATCH', `${DEPLOYMENT}?fieldManager=me${force}&unknown=x`, { body, type });
    expect(reply).toMatchObject({ status: 200, object: { metadata: { name: 'app', namespace: 'web' } } });
    const [sent] = lab.upstream.requests;
    expect(sent && textOf(sent)).toBe(
      `PATCH /apis/apps/v1/namespaces/acme--web/deployments/app?fieldManager=me${force}`,
    );
    expect(sent?.contentType).toBe(type);
    expect(bodyOf(sent)).toEqual(body);
    expect(sent?.identity).toMatchObject({ as: 'tenant', tenant: 'acme', user: { username: 'alice' } });
  });

  it.each([
    ...withTypes(OBJECT_TYPES, RESERVED),
    ['application/json-patch+json', [{ op: 'add', path: '/metadata/labels/kubeveil.dev~1tenant', value: 'globex' }]],
  ] as [string, JsonObject | JsonObject[]][])(
    'that is refused here is refused by the name of its URL: %s',
    async (type, body) => {
      const lab = new VerbLab({});
      for (const [target, named] of [
        ['/api/v1/namespaces/web', 'Namespace "web"'],
        [DEPLOYMENT, 'Deployment.apps "app"'],
      ] as const) {
        const refused = lab.request('PATCH', `${target}?fieldManager=me`, { body, type });
        await expect(refused).rejects.toMatchObject({
          code: 'ERR_INVALID',
          message: expect.stringMatching(new RegExp(`^${named} is invalid: metadata\\.labels`)),
          details: { name: target.split('/').at(-1) },
        });
      }
      expect(lab.upstream.requests).toEqual([]);
    },
  );

  it('of a tenant’s own kind cannot be a strategic one, as a custom resource has no such patch', async () => {
    const widget = '/apis/stable.example.com/v1/namespaces/web/widgets/one';
    const strategic = { body: LABELS, type: 'application/strategic-merge-patch+json' };
    await expect(new VerbLab({}).request('PATCH', widget, strategic)).rejects.toMatchObject({
      code: 'ERR_UNSUPPORTED_MEDIA_TYPE',
    });
  });

  it('without a body is no patch', async () => {
    await expect(new VerbLab({}).request('PATCH', DEPLOYMENT)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' });
  });
});

describe('apply to a virtual kind', () => {
  const target = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/readers';
  const upstream = '/apis/virtual.kubeveil.dev/v1/clusterrolebindings/acme--readers';
  const body = {
    kind: 'ClusterRoleBinding',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    metadata: { name: 'readers' },
    roleRef: { kind: 'ClusterRole', name: 'reader' },
  };
  const options = { body, type: 'application/apply-patch+yaml' };
  const made = (name: string): Scripted => ({
    status: 200,
    body: {
      kind: 'ClusterRoleBinding',
      apiVersion: 'virtual.kubeveil.dev/v1',
      metadata: { name: 'acme--readers', uid: 'u', labels: { 'kubeveil.dev/tenant': 'acme' } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    },
  });

  it('is rehearsed, checked as the native kind is, and only then made', async () => {
    const lab = new VerbLab(({ method }) => (method === 'GET' ? refusal(404, 'NotFound') : made('acme--reader')));
    expect(await lab.ask('PATCH', `${target}?fieldManager=me`, options)).toMatchObject({ status: 200 });
    expect(lab.upstream.texts()).toEqual([
      `PATCH ${upstream}?fieldManager=me&dryRun=All`,
      `GET ${upstream}`,
      `PATCH ${upstream}?fieldManager=me`,
    ]);
    expect(bodyOf(lab.upstream.requests[2])).toMatchObject({ roleRef: { apiGroup: 'rbac.authorization.k8s.io' } });
  });

  it('is not made where the native kind refuses it: a roleRef never changes', async () => {
    const lab = new VerbLab(({ method }) => (method === 'GET' ? made('acme--other') : made('acme--reader')));
    await expect(lab.request('PATCH', `${target}?fieldManager=me`, options)).rejects.toMatchObject({
      code: 'ERR_INVALID',
      message: expect.stringContaining('roleRef'),
    });
    expect(lab.upstream.texts()).toEqual([`PATCH ${upstream}?fieldManager=me&dryRun=All`, `GET ${upstream}`]);
  });
});
