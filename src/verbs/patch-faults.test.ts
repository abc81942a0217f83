import { describe, expect, it } from 'vitest';
import type { Scripted } from '../../test/support/scripted-upstream.ts';
import { refusal, VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject } from '../k8s/types.ts';
import { serve } from './verbs.ts';

const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/one';
const BINDING = '/apis/rbac.authorization.k8s.io/v1/namespaces/web/rolebindings/one';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

/** A host with the role, which answers every write so. */
function lab(written: Scripted): VerbLab {
  const metadata = { name: 'acme--one', uid: 'u', resourceVersion: '5', labels: { 'kubeveil.dev/tenant': 'acme' } };
  const stored = { kind: 'ClusterRole', apiVersion: 'virtual.kubeveil.dev/v1', metadata, rules: [] };
  return new VerbLab(({ method }) => (method === 'GET' ? { status: 200, body: structuredClone(stored) } : written));
}

function patched(written: Scripted, body: JsonObject, query = '', type = MERGE, path = ROLE) {
  return lab(written).ask('PATCH', `${path}${query}`, { body, type });
}

const TAKEN: Scripted = {
  status: 200,
  body: {
    kind: 'ClusterRole',
    apiVersion: 'virtual.kubeveil.dev/v1',
    metadata: { name: 'acme--one', uid: 'u', resourceVersion: '6', labels: { 'kubeveil.dev/tenant': 'acme' } },
  },
};

describe('a patch that the proxy applies', () => {
  it('is to blame for what does not decode', async () => {
    const why = 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string';
    const message = `ClusterRole in version "v1" cannot be handled as a ClusterRole: ${why}`;
    await expect(
      patched(refusal(400, 'BadRequest', message), { metadata: { labels: { a: 5 } } }),
    ).rejects.toMatchObject({
      code: 'ERR_INVALID',
      message: expect.stringMatching(/^ "" is invalid: patch: Invalid value: .*: json: cannot unmarshal number/),
    });
    await expect(patched(TAKEN, { apiVersion: 'v9' })).rejects.toMatchObject({ code: 'ERR_INVALID' });
  });

  it('is not to blame for what is refused otherwise', async () => {
    expect(await patched(refusal(403, 'Forbidden', 'no'), { rules: [] })).toMatchObject({ status: 403 });
    expect(await patched(TAKEN, { rules: [] })).toMatchObject({ status: 200 });
  });

  it('makes no other object of the one it meets', async () => {
    await expect(patched(TAKEN, { metadata: { uid: 'other' } })).rejects.toMatchObject({
      code: 'ERR_INVALID',
      message: expect.stringContaining('metadata.uid: Invalid value: "other": field is immutable'),
    });
    expect(await patched(TAKEN, { metadata: { uid: 'u' } })).toMatchObject({ status: 200 });
  });
});

describe('an apply', () => {
  it.each<JsonObject>([{}, { kind: 'ClusterRole' }, { apiVersion: 'rbac.authorization.k8s.io/v1' }])(
    'of what does not say what it is is refused: %j',
    async (body) => {
      await expect(patched(TAKEN, body, '?fieldManager=me', APPLY)).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        message: expect.stringContaining('invalid object type: '),
      });
    },
  );

  it('of another version is refused as an object would be', async () => {
    const body = { kind: 'ClusterRole', apiVersion: 'v9', metadata: { name: 'one' } };
    await expect(patched(TAKEN, body, '?fieldManager=me', APPLY)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' });
  });
});

describe('force', () => {
  it('is for apply alone', async () => {
    await expect(patched(TAKEN, {}, '?force=true')).rejects.toMatchObject({
      code: 'ERR_INVALID',
      message: expect.stringContaining('force: Forbidden: may not be specified for non-apply patch'),
    });
    const body = { kind: 'ClusterRole', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'one' } };
    expect(await patched(TAKEN, body, '?force=true&fieldManager=me', APPLY)).toMatchObject({ status: 200 });
  });
});

describe('a patch of a role binding', () => {
  it.each<JsonObject>([{ roleRef: { kind: 'Nothing' } }, { roleRef: null }])('%j is refused here', async (body) => {
    await expect(patched(TAKEN, body, '', MERGE, BINDING)).rejects.toMatchObject({
      code: 'ERR_INVALID',
      message: expect.stringContaining('roleRef.kind: Unsupported value'),
    });
  });
});

describe('a key that stands twice in a patch of a virtual kind', () => {
  const twice = { path: ['metadata', 'annotations', 'a'], line: 1, after: 1 };
  const send = async (query: string, type: string) => {
    const one = lab(TAKEN);
    const call = one.call('PATCH', `${ROLE}${query}`, { body: { metadata: { annotations: { a: 'c' } } }, type });
    return await serve({ ...call, body: call.body && { ...call.body, repeated: [twice, twice] } }, one.deps);
  };

  it.each([MERGE, 'application/strategic-merge-patch+json'])('is warned of (%s)', async (type) => {
    const warning = ['299 - "duplicate field \\"metadata.annotations.a\\""'];
    expect(await send('', type)).toMatchObject({ status: 200, headers: { warning } });
    expect(await send('?fieldValidation=Warn', type)).toMatchObject({ headers: { warning } });
    expect((await send('?fieldValidation=Ignore', type)).headers?.['warning']).toBeUndefined();
  });

  it('is refused where the client is strict', async () => {
    await expect(send('?fieldValidation=Strict', MERGE)).rejects.toMatchObject({
      code: 'ERR_INVALID',
      message: expect.stringContaining('strict decoding error: duplicate field "metadata.annotations.a"'),
    });
  });
});
