import { describe, expect, it } from 'vitest';
import { selectionOf } from '../cache/asked.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import { collectionOf, keptKind, type Scope, storedCollections } from './collections.ts';

/** `path?fields`, of whom it is read, and whether the request begins it; undefined for what goes to the API server. */
function kept(target: string, scope: Scope = { node: 'a' }, method = 'GET'): string | undefined {
  const info = parseRequestInfo(method, target);
  if (!info.isResource) return undefined;
  const kind = keptKind(info);
  const selection = kind && selectionOf(info.query, kind);
  const found = selection && collectionOf(info, selection, scope);
  return found && `${found.path}?${found.fields} ${found.as}${found.begins ? ' begins' : ''}`;
}

describe('what is kept', () => {
  it.each([
    ['/api/v1/services', '/api/v1/services? cache begins'],
    ['/api/v1/services?watch=true&labelSelector=!headless', '/api/v1/services? cache begins'],
    ['/apis/discovery.k8s.io/v1/endpointslices?watch=1', '/apis/discovery.k8s.io/v1/endpointslices? cache begins'],
    ['/api/v1/namespaces/web/services', '/api/v1/services? cache'],
    ['/api/v1/namespaces/web/services/app?resourceVersion=0', '/api/v1/services? cache'],
    ['/api/v1/pods?fieldSelector=spec.nodeName%3Da', '/api/v1/pods?spec.nodeName=a node begins'],
    ['/api/v1/pods?fieldSelector=spec.nodeName%3Da,status.phase%3DRunning', '/api/v1/pods?spec.nodeName=a node begins'],
    ['/api/v1/namespaces/web/pods/app', '/api/v1/pods?spec.nodeName=a node'],
    ['/api/v1/nodes?fieldSelector=metadata.name%3Da', '/api/v1/nodes?metadata.name=a node begins'],
    ['/api/v1/nodes/a', '/api/v1/nodes?metadata.name=a node begins'],
    ['/api/v1/nodes', '/api/v1/nodes? cache begins'],
    ['/api/v1/nodes/b', '/api/v1/nodes? cache'],
    [
      '/api/v1/namespaces/web/secrets?watch=true&fieldSelector=metadata.name%3Dkey',
      '/api/v1/namespaces/web/secrets?metadata.name=key named begins',
    ],
    ['/api/v1/namespaces/web/configmaps/settings', '/api/v1/namespaces/web/configmaps?metadata.name=settings named'],
  ])('%s', (target, expected) => expect(kept(target)).toBe(expected));

  it.each([
    '/api/v1/pods',
    '/api/v1/pods?fieldSelector=spec.nodeName%3Db',
    '/api/v1/pods?fieldSelector=spec.nodeName!%3Da',
    '/api/v1/pods?fieldSelector=spec.nodeName%3Da,spec.nodeName%3Db,odd',
    '/api/v1/namespaces/web/pods/app/log',
    '/api/v1/namespaces/web/pods/app/status',
    '/api/v1/secrets',
    '/api/v1/namespaces/web/secrets',
    '/api/v1/namespaces/web/secrets?labelSelector=a%3Db',
    '/api/v1/configmaps?fieldSelector=metadata.name%3Dsettings',
    '/apis/apps/v1/deployments',
    '/apis/discovery.k8s.io/v1beta1/endpointslices',
    '/api/v1/services?fieldSelector=spec.odd%3Dx',
    '/api/v1/namespaces/web/nodes',
    '/api/v1',
  ])('not %s', (target) => expect(kept(target)).toBeUndefined());

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('not by %s', (method) => {
    expect(kept('/api/v1/namespaces/web/services/app', { node: 'a' }, method)).toBeUndefined();
  });

  it('of no node, nothing that is of one', () => {
    const nowhere = { node: '' };
    expect(kept('/api/v1/pods?fieldSelector=spec.nodeName%3D', nowhere)).toBeUndefined();
    expect(kept('/api/v1/namespaces/web/pods/app', nowhere)).toBeUndefined();
    expect(kept('/api/v1/services', nowhere)).toBe('/api/v1/services? cache begins');
  });
});

describe('what a hub keeps', () => {
  it.each([
    ['/api/v1/services?watch=true', '/api/v1/services? cache begins'],
    ['/api/v1/pods?fieldSelector=spec.nodeName%3Da', '/api/v1/pods? cache begins'],
    ['/api/v1/pods', '/api/v1/pods? cache begins'],
    ['/api/v1/namespaces/web/pods/app', '/api/v1/pods? cache'],
    ['/api/v1/nodes?fieldSelector=metadata.name%3Da', '/api/v1/nodes? cache begins'],
    ['/api/v1/namespaces/web/pods', '/api/v1/pods? cache'],
  ])('%s', (target, expected) => expect(kept(target, 'hub')).toBe(expected));

  it.each([
    '/api/v1/namespaces/web/secrets?fieldSelector=metadata.name%3Dkey',
    '/api/v1/namespaces/web/configmaps/settings',
    '/api/v1/namespaces/web/pods/app/log',
    '/apis/apps/v1/deployments',
  ])('not %s', (target) => expect(kept(target, 'hub')).toBeUndefined());

  it('is written down whole', () => {
    expect(storedCollections('hub').map(({ path, fields }) => `${path}?${fields}`)).toContain('/api/v1/pods?');
  });
});

it('no Secret and nothing else by its name is written down', () => {
  const paths = storedCollections({ node: 'a' }).map(({ path, fields }) => `${path}?${fields}`);
  expect(paths).toContain('/api/v1/pods?spec.nodeName=a');
  expect(paths.filter((path) => /secrets|configmaps/.test(path))).toEqual([]);
});
