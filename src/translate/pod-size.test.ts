import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { JsonObject } from '../k8s/types.ts';
import { toUpstream } from './object.ts';
import { patchToUpstream } from './patch.ts';
import { MOST_CONTAINERS } from './pod-size.ts';

const scope = scopeOf('acme');
const PODS = kindAt(scope, '/pods');
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `c${index}`, image: 'i' }));
const pod = (spec: JsonObject): JsonObject => ({ metadata: { name: 'p' }, spec });
const TYPES = ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'].map(
  (type) => `application/${type}`,
);

describe('the containers of a pod', () => {
  it.each(['containers', 'initContainers', 'ephemeralContainers'])('are bounded in %s', (list) => {
    const refused = {
      status: 422,
      message: `Pod "p" is invalid: spec.${list}: Too many: 1001: must have at most 1000 items`,
    };
    expect(toUpstream(pod({ [list]: many(MOST_CONTAINERS) }), PODS, scope)).toHaveProperty('spec');
    expect(() => toUpstream(pod({ [list]: many(MOST_CONTAINERS + 1) }), PODS, scope)).toThrow(
      expect.objectContaining(refused),
    );
    for (const type of TYPES) {
      expect(patchToUpstream(pod({ [list]: many(MOST_CONTAINERS) }), type, PODS, scope, '', 'p')).toHaveProperty(
        'spec',
      );
      expect(() => patchToUpstream(pod({ [list]: many(MOST_CONTAINERS + 1) }), type, PODS, scope, '', 'p')).toThrow(
        expect.objectContaining(refused),
      );
    }
  });

  it('are bounded together', () => {
    const spec = { containers: many(600), initContainers: many(401) };
    expect(() => toUpstream(pod(spec), PODS, scope)).toThrow(/spec.initContainers: Too many: 1001/);
  });

  it('are not counted where they are no lists, and in other kinds', () => {
    expect(toUpstream(pod({ containers: 'x' }), PODS, scope)).toMatchObject({ spec: { containers: 'x' } });
    const deployment = { spec: { containers: many(MOST_CONTAINERS + 1) } };
    expect(toUpstream(deployment, kindAt(scope, 'apps/deployments'), scope)).toHaveProperty('spec');
  });
});
