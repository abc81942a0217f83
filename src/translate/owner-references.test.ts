import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { toTenant, toUpstream } from './object.ts';
import { NeedsLiveObject, patchToUpstream } from './patch.ts';

const ACME = scopeOf('acme');
const MAP = kindAt(ACME, '/configmaps');
const OWN = { apiVersion: 'v1', kind: 'ConfigMap', name: 'own', uid: 'u', blockOwnerDeletion: true };
const HOST: [string, JsonObject][] = [
  ['Node', { ...OWN, apiVersion: 'v1', kind: 'Node' }],
  ['Node', { ...OWN, apiVersion: 'v1beta9', kind: 'Node' }],
  ['PersistentVolume', { ...OWN, kind: 'PersistentVolume' }],
  ['StorageClass', { ...OWN, apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' }],
  ['PriorityClass', { ...OWN, apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' }],
  // Not offered at all.
  ['APIService', { ...OWN, apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' }],
];

/** Each way to write owners, and where the refusal says the owner stands. */
const WAYS: [string, (owner: JsonObject) => JsonValue][] = [
  ['an object', (owner) => toUpstream(owned(owner), MAP, ACME)],
  ['a merge patch', (owner) => patch('merge-patch+json', owned(owner))],
  ['a strategic merge patch', (owner) => patch('strategic-merge-patch+json', owned(owner))],
  ['an apply patch', (owner) => patch('apply-patch+yaml', owned(owner))],
  ['a JSON patch of all owners', (owner) => json('/metadata/ownerReferences', [owner])],
  ['a JSON patch of one owner', (owner) => json('/metadata/ownerReferences/-', owner)],
  ['a JSON patch that replaces one', (owner) => json('/metadata/ownerReferences/0', owner)],
];

function owned(owner: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'web', ownerReferences: [owner] } };
}
function patch(type: string, document: JsonValue): JsonValue {
  return patchToUpstream(document, `application/${type}`, MAP, ACME, '', 'm');
}
function json(path: string, value: JsonValue): JsonValue {
  return patch('json-patch+json', [{ op: 'add', path, value }]);
}

describe.each(WAYS)('%s', (_way, write) => {
  it.each(HOST)('with a %s of the host as owner is refused', (kind, owner) => {
    expect(() => write({ ...owner })).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID',
        message: `ConfigMap "m" is invalid: metadata.ownerReferences[0]: Forbidden: objects of kind ${kind} belong to the operator of this cluster and own nothing of yours`,
      }),
    );
  });

  it('with an owner of the tenant’s passes', () => {
    expect(JSON.stringify(write({ ...OWN }))).toContain('"blockOwnerDeletion":true');
    // Kinds of the tenant's own may be called as it likes.
    expect(() => write({ ...OWN, apiVersion: 'stable.example.com/v1', kind: 'Node' })).not.toThrow();
  });

  it('with the uid of the Tenant is refused', () => {
    expect(() => write({ ...OWN, uid: ACME.tenant.uid })).toThrow('metadata.ownerReferences.uid: Invalid value');
  });
});

describe('a refusal', () => {
  it.each([
    ['/namespaces', 'web'],
    ['rbac.authorization.k8s.io/clusterroles', 'a:b'],
    ['apiextensions.k8s.io/customresourcedefinitions', 'foos.b.c'],
  ])('of a %s names it as the tenant does', (key, name) => {
    const object = { metadata: { name, ownerReferences: [{ ...OWN, kind: 'Node' }] } };
    const text = expect.objectContaining({ message: expect.stringContaining(` "${name}" is invalid`) });
    expect(() => toUpstream(structuredClone(object), kindAt(ACME, key), ACME)).toThrow(text);
  });
});

describe('parts of an owner', () => {
  it.each(['apiVersion', 'kind', 'name'])('without %s cannot be told from the host’s', (field) => {
    const { [field]: _left, ...part } = OWN as JsonObject;
    expect(() => patch('strategic-merge-patch+json', owned({ ...part }))).toThrow(NeedsLiveObject);
    const refusal = new RegExp(`metadata\\.ownerReferences\\.${field}: Invalid value: "": .*must not be empty`);
    for (const type of ['merge-patch+json', 'apply-patch+yaml'])
      expect(() => patch(type, owned({ ...part }))).toThrow(refusal);
    expect(() => toUpstream(owned({ ...part, [field]: '' }), MAP, ACME)).toThrow(refusal);
  });

  it('that say nothing of what it is pass', () => {
    const part = { uid: 'u', controller: true };
    expect(patch('strategic-merge-patch+json', owned({ ...part }))).toMatchObject({
      metadata: { ownerReferences: [part] },
    });
    const away = { $patch: 'delete', uid: 'u', kind: 'ConfigMap' };
    expect(patch('strategic-merge-patch+json', owned({ ...away }))).toMatchObject({
      metadata: { ownerReferences: [away] },
    });
    expect(json('/metadata/ownerReferences/0/blockOwnerDeletion', true)).toBeTruthy();
    expect(json('/metadata/ownerReferences/0/uid', 'u')).toBeTruthy();
    expect(() => json('/metadata/ownerReferences/0/uid', ACME.tenant.uid)).toThrow('no object has this uid');
    expect(() => json('/metadata/ownerReferences/0/kind', 'Node')).toThrow(NeedsLiveObject);
  });
});

describe('uids of the host’s objects', () => {
  const node = (name: string, uid: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, uid } });
  const shown = (id: string, uid: string) => {
    const scope = scopeOf(id);
    return (toTenant(node('n1', uid), kindAt(scope, '/nodes'), scope)['metadata'] as JsonObject)['uid'];
  };

  it('are others to each tenant, and always the same', () => {
    const uid = '68ad5d3e-3d4b-4a6e-9d2b-2f9c2b8f8a11';
    expect(shown('acme', uid)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(shown('acme', uid)).not.toBe(uid);
    expect(shown('acme', uid)).toBe(shown('acme', uid));
    expect(shown('acme', uid)).not.toBe(shown('globex', uid));
    expect(shown('acme', uid)).not.toBe(shown('acme', uid.replace('6', '7')));
  });

  it('of the tenant’s own stay', () => {
    const map = { metadata: { name: 'm', namespace: 'acme--web', uid: 'u' } };
    expect(toTenant(map, MAP, ACME)).toMatchObject({ metadata: { uid: 'u' } });
  });
});
