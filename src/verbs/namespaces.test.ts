import { describe, expect, it } from 'vitest';
import { bodyOf, type Scripted } from '../../test/support/scripted-upstream.ts';
import { type LabOptions, refusal, VerbLab } from '../../test/support/verb-lab.ts';
import { nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { serve } from './verbs.ts';

const NAMESPACES = '/api/v1/namespaces';
const APPLY = 'application/apply-patch+yaml';
const UID = { 'kubeveil.dev/tenant-uid': 'acme-uid' };

function given(name: string, metadata: JsonObject = {}): JsonObject {
  return { kind: 'Namespace', apiVersion: 'v1', metadata: { name, ...metadata } };
}
function stored(name = 'acme--web', status = 200): Scripted {
  const metadata = { name, uid: 'u', labels: { 'kubeveil.dev/tenant': 'acme' }, annotations: UID };
  return { status, body: { kind: 'Namespace', apiVersion: 'v1', metadata } };
}
function lab(answer: Scripted = stored(), options?: LabOptions): VerbLab {
  return new VerbLab(() => answer, options);
}

describe('a write of a namespace', () => {
  it.each([
    ['PUT', { body: given('web') }],
    ['PATCH', { body: { metadata: { labels: { a: 'b' } } }, type: 'application/merge-patch+json' }],
    ['DELETE', {}],
  ] as const)('goes as the provisioner to the tenant’s own name: %s', async (method, options) => {
    const one = lab();
    expect(await one.ask(method, `${NAMESPACES}/web`, options)).toMatchObject({
      status: 200,
      object: { metadata: { name: 'web' } },
    });
    expect(one.upstream.requests).toMatchObject([
      { method, path: '/api/v1/namespaces/acme--web', identity: { as: 'provisioner' } },
    ]);
  });

  it('keeps the uid of the Tenant that it was made for, which a PUT of what the tenant sees would drop', async () => {
    const one = lab();
    const reply = await one.ask('PUT', `${NAMESPACES}/web`, { body: given('web', { annotations: { a: 'b' } }) });
    expect(bodyOf(one.upstream.requests[0])).toMatchObject({
      metadata: { name: 'acme--web', annotations: { a: 'b', ...UID }, labels: { 'kubeveil.dev/tenant': 'acme' } },
    });
    expect(JSON.stringify(reply)).not.toContain('kubeveil.dev');
  });

  it('never goes to another’s, whatever the translator makes of the name', async () => {
    const one = lab();
    const call = one.call('DELETE', `${NAMESPACES}/web`);
    const names = { ...call.scope.names, up: (name: string) => `globex--${name}` as never };
    await expect(serve({ ...call, scope: { ...call.scope, names } }, one.deps)).rejects.toThrow('not of tenant acme');
    expect(one.upstream.requests).toEqual([]);
  });

  it('makes a new one together with its guard', async () => {
    const one = lab(stored('acme--new', 201));
    expect(await one.ask('POST', `${NAMESPACES}?dryRun=All&fieldManager=me`, { body: given('new') })).toMatchObject({
      status: 201,
      object: { metadata: { name: 'new' } },
    });
    expect(one.made.map(nameOf)).toEqual(['acme--new']);
    expect(one.upstream.requests[0]?.query).toEqual([
      ['dryRun', 'All'],
      ['fieldManager', 'me'],
    ]);
  });

  it.each(['default', 'kube-system'])('does not make what stands already: %s', async (name) => {
    const one = lab();
    await expect(one.request('POST', NAMESPACES, { body: given(name) })).rejects.toMatchObject({
      code: 'ERR_ALREADY_EXISTS',
      message: `namespaces "${name}" already exists`,
    });
    expect(one.made).toEqual([]);
  });

  it.each([
    ['default', true],
    ['kube-system', true],
    ['kube-public', true],
    ['kube-node-lease', false],
    ['web', false],
  ])('deletes %s: refused is %s', async (name, isRefused) => {
    const one = lab(stored(`acme--${name}`));
    const deleted = one.request('DELETE', `${NAMESPACES}/${name}`);
    if (isRefused) await expect(deleted).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' });
    else expect(await deleted).toMatchObject({ status: 200 });
  });

  it('first stores a system namespace that only stands so far', async () => {
    const one = lab(stored('acme--kube-public'));
    await one.ask('PATCH', `${NAMESPACES}/kube-public`, {
      body: { metadata: { labels: { a: 'b' } } },
      type: 'application/merge-patch+json',
    });
    expect(one.made.map(nameOf)).toEqual(['kube-public']);
  });

  it('takes a system namespace as it was read before it was stored', async () => {
    const one = lab(stored('acme--kube-public'));
    const [standing] = one.deps
      .standing(one.scope.tenant, '', 'namespaces')
      .filter((object) => nameOf(object) === 'kube-public');
    expect(await one.ask('PUT', `${NAMESPACES}/kube-public`, { body: standing ?? {} })).toMatchObject({ status: 200 });
    expect(Object.keys(bodyOf(one.upstream.requests[0])['metadata'] as JsonObject)).toEqual(
      expect.not.arrayContaining(['uid', 'resourceVersion']),
    );
  });
});

describe('apply of a namespace', () => {
  const options = (name: string) => ({ body: given(name, { labels: { a: 'b' } }), type: APPLY });

  it('makes one that is not there with its guard, and then applies', async () => {
    const one = lab(stored('acme--new'));
    expect(await one.ask('PATCH', `${NAMESPACES}/new?fieldManager=me`, options('new'))).toMatchObject({ status: 200 });
    expect(one.made.map(nameOf)).toEqual(['acme--new']);
    expect(one.upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/namespaces',
      'PATCH /api/v1/namespaces/acme--new',
    ]);
  });

  it.each([
    ['is there', 'web', ''],
    ['is only rehearsed', 'new', '&dryRun=All'],
  ])('makes nothing where it %s', async (_what, name, query) => {
    const one = lab(stored(`acme--${name}`));
    await one.ask('PATCH', `${NAMESPACES}/${name}?fieldManager=me${query}`, options(name));
    expect(one.made).toEqual([]);
    expect(one.upstream.requests).toHaveLength(1);
  });

  it('is refused where none can be made, so that none is made without a guard', async () => {
    const one = lab(refusal(403, 'Forbidden', 'exceeded quota'));
    expect(await one.ask('PATCH', `${NAMESPACES}/new?fieldManager=me`, options('new'))).toMatchObject({ status: 403 });
    expect(one.upstream.requests.map(({ method }) => method)).toEqual(['POST']);
  });

  it('goes on where somebody else was faster', async () => {
    const one = new VerbLab(({ method }) => (method === 'POST' ? refusal(409, 'AlreadyExists') : stored('acme--new')));
    expect(await one.ask('PATCH', `${NAMESPACES}/new?fieldManager=me`, options('new'))).toMatchObject({ status: 200 });
  });
});
