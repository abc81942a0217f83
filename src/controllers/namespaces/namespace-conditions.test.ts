import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../k8s/types.ts';
import { remainingFinalizers, remainingKinds, remainingWords } from './namespace-conditions.ts';

function namespace(type: string, message: string, status = 'True'): JsonObject {
  return { status: { conditions: [{ type, status, message }] } };
}

/** Adds that some kind could not be listed. */
function blind(object: JsonObject): JsonObject {
  const failure = { type: 'NamespaceDeletionContentFailure', status: 'True', message: 'failed to list' };
  const { conditions } = object['status'] as { conditions: JsonObject[] };
  return { status: { conditions: [...conditions, failure] } };
}

describe('what is left in a namespace', () => {
  const content = (message: string, status?: string) => namespace('NamespaceContentRemaining', message, status);
  const bindings = 'rolebindings.rbac.authorization.k8s.io has 2 resource instances';

  it.each([
    [bindings, [{ resource: 'rolebindings', group: 'rbac.authorization.k8s.io' }]],
    [
      `pods. has 1 resource instances, ${bindings}, foos.acme--example.com has 12 resource instances`,
      [
        { resource: 'pods', group: '' },
        { resource: 'rolebindings', group: 'rbac.authorization.k8s.io' },
        { resource: 'foos', group: 'acme--example.com' },
      ],
    ],
  ])('is of the kinds that the controller names: %s', (text, kinds) => {
    expect(remainingKinds(content(`Some resources are remaining: ${text}`))).toEqual(kinds);
  });

  it.each([
    ['a condition that no longer holds', content(`Some resources are remaining: ${bindings}`, 'False')],
    ['another condition', namespace('NamespaceDeletionContentFailure', `Some resources are remaining: ${bindings}`)],
    ['words it does not know', content(`Remaining: ${bindings}`)],
    ['a kind in words it does not know', content(`Some resources are remaining: ${bindings}, and more`)],
    ['a message that was cut', content('Some resources are remaining: ')],
    ['nothing said yet', {}],
    ['a kind that could not be looked at', blind(content(`Some resources are remaining: ${bindings}`))],
  ])('is not known with %s', (_title, object) => {
    expect(remainingKinds(object)).toBeUndefined();
  });

  it('tells the finalizers that hold it', () => {
    const message =
      'Some content in the namespace has finalizers remaining: example.com/a in 1 resource instances, kubeveil.dev/guard in 2 resource instances';
    expect(remainingFinalizers(namespace('NamespaceFinalizersRemaining', message))).toEqual([
      'example.com/a',
      'kubeveil.dev/guard',
    ]);
    expect(remainingFinalizers({})).toEqual([]);
  });

  it('is told in the controller’s words', () => {
    expect(remainingWords(content(`Some resources are remaining: ${bindings}`))).toBe(
      `Some resources are remaining: ${bindings}`,
    );
    expect(remainingWords(content(`Some resources are remaining: ${bindings}`, 'False'))).toBe('');
  });
});
