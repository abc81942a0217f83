import { describe, expect, it } from 'vitest';
import { isTenants } from './tenant-removal.ts';

describe('finalizers that are stripped when a tenant goes', () => {
  it.each(['example.com/x', 'foregrounddeletion.example.com/x', 'notkubernetes.io/x', 'kubernetes.io.example.com/x'])(
    '%s is',
    (finalizer) => {
      expect(isTenants(finalizer)).toBe(true);
    },
  );
  it.each([
    'kubernetes',
    'foregroundDeletion',
    'orphan',
    'kubernetes.io/pvc-protection',
    'batch.kubernetes.io/job-tracking',
    'resource.k8s.io/x',
    'kubeveil.dev/guard',
  ])('%s is not', (finalizer) => {
    expect(isTenants(finalizer)).toBe(false);
  });
});
