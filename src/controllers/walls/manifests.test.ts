import { describe, expect, it } from 'vitest';
import { parseManifests, readManifests } from './manifests.ts';

describe('manifests', () => {
  it('of deploy/ are read in order, each with its place', () => {
    const manifests = readManifests();
    const files = manifests.map(({ file }) => file);
    expect(files).toEqual(files.toSorted());
    expect(manifests[0]?.path).toBe('/api/v1/namespaces/kubeveil-system');
    const paths = manifests.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toContain('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/tenants.kubeveil.dev');
    expect(paths).toContain('/api/v1/namespaces/kubeveil-system/serviceaccounts/kubeveil-reader');
  });
  it('have a binding for each policy, that denies', () => {
    const named = (kind: string) => readManifests().filter(({ object }) => object['kind'] === kind);
    const bindings = named('ValidatingAdmissionPolicyBinding').map(({ object }) => object['spec']);
    expect(bindings).toEqual(
      named('ValidatingAdmissionPolicy').map(({ object: { metadata } }) => ({
        policyName: (metadata as { name: string }).name,
        validationActions: ['Deny'],
      })),
    );
  });
  it('fail closed', () => {
    for (const { object } of readManifests()) {
      if (object['kind'] === 'ValidatingAdmissionPolicy')
        expect(object['spec']).toMatchObject({ failurePolicy: 'Fail' });
    }
  });
  it.each([
    ['a kind that is not installed', 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: x', /v1\/Pod, which is not a kind/],
    ['no name', 'apiVersion: v1\nkind: Namespace', /no object/],
    [
      'a namespace too many',
      'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: x\n  namespace: web',
      /must not have/,
    ],
    ['no namespace', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x', /must have a namespace/],
    ['a fault of YAML', 'a: [', /cannot be read/],
  ])('with %s are refused', (_what, text, saying) => {
    expect(() => parseManifests('99-x.yaml', text)).toThrow(saying);
  });
});
