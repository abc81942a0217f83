import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { lastAppliedDown } from './last-applied.ts';
import { NotOurs } from './not-ours.ts';
import type { Scope } from './scope.ts';

const KEY = 'kubectl.kubernetes.io/last-applied-configuration';
const scope = { names: { up: (name: string) => `acme--${name}` } } as unknown as Scope;

/** As the real one does, for what these tests hold. */
function toTenant(object: JsonObject): JsonObject {
  const { namespace, ...metadata } = object['metadata'] as Record<string, string>;
  if (namespace?.startsWith('acme--') !== true) throw new NotOurs('not of acme');
  return { ...object, metadata: { ...metadata, namespace: namespace.slice(6) } };
}

function shown(text: string): unknown {
  const metadata: JsonObject = { annotations: { [KEY]: text, other: 'acme--x' } };
  lastAppliedDown(metadata, scope, toTenant);
  expect((metadata['annotations'] as JsonObject)['other']).toBe('acme--x');
  return (metadata['annotations'] as JsonObject)[KEY];
}

describe('the manifest of client-side apply', () => {
  it('is mapped where the API server wrote it', () => {
    const text = '{"kind":"ConfigMap","metadata":{"name":"a","namespace":"acme--web"},"data":{"n":1.10}}\n';
    expect(shown(text)).toBe('{"kind":"ConfigMap","metadata":{"name":"a","namespace":"web"},"data":{"n":1.10}}\n');
  });

  it.each([
    ['kubectl wrote it', '{"metadata":{"namespace":"web"}}\n'],
    ['it only speaks of such a name', '{"metadata":{"namespace":"web"},"data":{"note":"acme--web"}}\n'],
    ['it is no JSON', 'see acme--web'],
    ['it is no object', '["acme--web"]'],
  ])('stays to the byte where %s', (_why, text) => {
    expect(shown(text)).toBe(text);
  });
});
