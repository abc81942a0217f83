import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { readCustomKinds } from './custom.ts';

/** The rule of each column, by its name in lower case, for printer columns of these names and paths. */
function columns(...printed: [name: string, jsonPath: string][]): JsonObject {
  const group = 'acme--stable.example.com';
  const additionalPrinterColumns = printed.map(([name, jsonPath]) => ({ name, type: 'string', jsonPath }));
  const read = readCustomKinds({
    metadata: { name: `foos.${group}`, labels: { 'kubeveil.dev/tenant': 'acme' } },
    spec: { group, scope: 'Namespaced', versions: [{ name: 'v1', served: true, additionalPrinterColumns }] },
    status: {
      acceptedNames: { plural: 'foos', kind: 'Foo' },
      conditions: [{ type: 'Established', status: 'True' }],
    },
  });
  return { ...read?.versions.get('v1')?.kind.columns } as unknown as JsonObject;
}

describe('printer columns', () => {
  it.each([
    '.spec.size',
    '.spec',
    '.spec..namespace',
    '.status.conditions[?(@.type == "Ready")].status',
    ".spec['a','b']",
    '.kind',
    '.data.x',
    '.metadata.name',
    '.metadata.uid',
    '.metadata.creationTimestamp',
    '.metadata.deletionTimestamp',
    '.metadata.generation',
    '.metadata.labels',
    '.metadata.labels.app',
    ".metadata.labels['app.kubernetes.io/name']",
    '.metadata.labels.app\\.kubernetes\\.io/name',
    '.metadata.annotations.note',
  ])('of %s print what the tenant wrote', (path) => {
    expect(columns(['A', path])).toEqual({});
  });

  it.each([
    '.',
    '..',
    '.*',
    '.*.namespace',
    '..namespace',
    '[*]',
    ".['metadata']",
    '.apiVersion',
    '.metadata',
    '.metadata.managedFields',
    '.metadata.managedFields[0]',
    '.metadata.managedFields[0].apiVersion',
    '.metadata.ownerReferences[0].name',
    ".metadata['namespace']",
    ".metadata['name','namespace']",
    '.metadata..namespace',
    '.metadata.*',
    '.metadata[*]',
    '.metadata.namespace[0]',
    '.metadata.selfLink',
    '.metadata.finalizers',
    '.meta\\data.namespace',
    '.metadata.labels}{.metadata.namespace',
    '.spec.a}{.metadata.namespace',
    '.spec.a {.metadata.namespace}',
    '.apiVersion ',
    ' .metadata.namespace.x',
    '$.metadata',
    '@.metadata',
    '',
  ])('of %s may print what only upstream knows', (path) => {
    expect(columns(['A', path])).toEqual({ a: { cell: 'anything' } });
  });

  it('of the namespace print it', () => {
    expect(columns(['Where', '.metadata.namespace'])).toEqual({ where: { cell: 'namespace' } });
  });

  it('of one name are all as the most telling of them', () => {
    expect(columns(['A', '.metadata.namespace'], ['a', '.spec.x'])).toEqual({ a: { cell: 'anything' } });
    expect(columns(['a', '.spec.x'], ['A', '.metadata'])).toEqual({ a: { cell: 'anything' } });
    expect(columns(['a', '.spec.x'], ['A', '.spec.y'])).toEqual({});
  });

  it('of any name are found by it', () => {
    expect(Object.keys(columns(['__proto__', '.metadata']))).toEqual(['__proto__']);
  });
});
