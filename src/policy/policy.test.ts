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
    ['/nodes', '', false],
    ['storage.k8s.io/storageclasses', 'slow', true],
    ['storage.k8s.io/storageclasses', 'other', false],
    ['networking.k8s.io/ingressclasses', 'any', true],
    ['networking.k8s.io/ingressclasses', 'system-any', true],
    ['node.k8s.io/runtimeclasses', 'any', false],
    ['/persistentvolumes', 'any', true],
  ] as const)('shares of %s %j: %s', (key, name, shared) => {
    expect(policy.shares(key, name)).toBe(shared);
  });

  it('knows what the file names itself', () => {
    expect(policy.lists('storage.k8s.io/storageclasses', 'slow')).toBe(true);
    expect(policy.lists('storage.k8s.io/storageclasses', 'other')).toBe(false);
    expect(policy.lists('networking.k8s.io/ingressclasses', 'any')).toBe(false);
  });

  it.each([
    ['all', 'system-node-critical', false],
    ['all', 'high', true],
    ['[system-node-critical]', 'system-node-critical', true],
    ['[system-node-critical]', 'system-cluster-critical', false],
    ['[]', 'system-node-critical', false],
  ] as const)('with priorityClasses: %s shares %s: %s', (setting, name, shared) => {
    const text = `apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\nshared: {priorityClasses: ${setting}}\n`;
    const some = createPolicies(new Map([['some', parsePolicy(text, 'x.yaml')]])).of({ policy: 'some' });
    expect(some.shares('scheduling.k8s.io/priorityclasses', name)).toBe(shared);
  });

  it('gives nothing to a tenant whose policy is not there', () => {
    expect(() => policies.of({ policy: 'gone' })).toThrow(expect.objectContaining({ code: 'ERR_UNAVAILABLE' }));
    expect(() => policies.of({ policy: '__proto__' })).toThrow(expect.objectContaining({ code: 'ERR_UNAVAILABLE' }));
  });
});
