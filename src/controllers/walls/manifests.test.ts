import { describe, expect, it } from 'vitest';
import { nameOf } from '../../k8s/meta.ts';
import { child } from '../../k8s/read.ts';
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
    const bindings = named('ValidatingAdmissionPolicyBinding').map(({ object }) => child(object, 'spec'));
    expect(bindings.map(({ policyName, validationActions }) => ({ policyName, validationActions }))).toEqual(
      named('ValidatingAdmissionPolicy').map(({ object }) => ({
        policyName: nameOf(object),
        validationActions: ['Deny'],
      })),
    );
    const narrowed = bindings.filter((spec) => Object.hasOwn(spec, 'matchResources'));
    expect(narrowed.map((spec) => spec['policyName'])).toEqual(['kubeveil-rules']);
    const asked = bindings.filter((spec) => Object.hasOwn(spec, 'paramRef'));
    for (const spec of asked) expect(spec['policyName']).toMatch(/^kubeveil-policy-[a-z-]+-classes$/);
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
