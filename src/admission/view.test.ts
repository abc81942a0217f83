import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import type { KindRegistry } from '../kinds/kind.ts';
import type { TenantId } from '../tenancy/names.ts';
import { createConfigurationView } from './view.ts';

/** As the real one does when it is asked about a tenant of which no more than the id is known. */
const kinds = new Proxy({} as KindRegistry, {
  get: () => () => {
    throw new Error('no policy file is named ""');
  },
});

function stored(metadata: JsonObject): JsonObject {
  return {
    apiVersion: 'virtual.kubeveil.dev/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: {
      name: 'acme--deny',
      labels: { 'kubeveil.dev/tenant': 'acme' },
      uid: '1',
      resourceVersion: '2',
      ...metadata,
    },
    spec: { validations: [{ expression: 'false' }] },
  };
}

const OWNER = { apiVersion: 'virtual.kubeveil.dev/v1', kind: 'ClusterRole', name: 'acme--owner', uid: '3' };

describe('a configuration of admission', () => {
  const view = createConfigurationView(kinds);

  it.each([
    ['nothing else', {}],
    ['owners', { ownerReferences: [OWNER] }],
    [
      'what was last applied, with owners',
      {
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(stored({ ownerReferences: [OWNER] })),
        },
      },
    ],
  ])('counts, with %s', (_what, metadata) => {
    const seen = view('acme' as TenantId, 'validatingadmissionpolicies', stored(metadata));
    expect(seen).toMatchObject({ metadata: { name: 'deny' }, spec: { validations: [{ expression: 'false' }] } });
  });

  it('of another tenant is none', () => {
    const foreign = stored({ labels: { 'kubeveil.dev/tenant': 'globex' } });
    expect(() => view('acme' as TenantId, 'validatingadmissionpolicies', foreign)).toThrow();
  });
});
