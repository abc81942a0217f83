import { describe, expect, it } from 'vitest';
import { parsePolicy } from './load.ts';
import { createPolicies } from './policy.ts';

const FILE = parsePolicy(
  `apiVersion: kubeveil.dev/v1alpha1
kind: Policy
kinds: {deny: [cronjobs.batch, limitranges]}
shared: {nodes: false, storageClasses: [fast, slow], ingressClasses: all}
`,
  'x.yaml',
);
const policies = createPolicies(new Map([['default', FILE]]));
const policy = policies.of({ policy: 'default' });

describe('policies', () => {
  it.each([
    ['batch/cronjobs', false],
    ['/limitranges', false],
    ['batch/jobs', true],
    ['/cronjobs', true],
    ['extensions/limitranges', true],
  ] as const)('offers %s: %s', (key, offered) => {
    expect(policy.isOffered(key)).toBe(offered);
  });

  it.each([
    ['/nodes', []],
    ['storage.k8s.io/storageclasses', ['fast', 'slow']],
    ['networking.k8s.io/ingressclasses', undefined],
    ['node.k8s.io/runtimeclasses', []],
    ['/persistentvolumes', undefined],
  ] as const)('shares of %s: %j', (key, names) => {
    const shared = policy.sharedNames(key);
    expect(shared === undefined ? undefined : [...shared]).toEqual(names);
  });

  it('gives nothing to a tenant whose policy is not there', () => {
    expect(() => policies.of({ policy: 'gone' })).toThrow(expect.objectContaining({ code: 'ERR_UNAVAILABLE' }));
    expect(() => policies.of({ policy: '__proto__' })).toThrow(expect.objectContaining({ code: 'ERR_UNAVAILABLE' }));
  });
});
