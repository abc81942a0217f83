import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../k8s/types.ts';
import { onlyBindingsRemain, remainingFinalizers } from './namespace-conditions.ts';

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

  it('is only guards when the controller names RoleBindings alone', () => {
    expect(onlyBindingsRemain(content(`Some resources are remaining: ${bindings}`))).toBe(true);
  });
  it.each([
    ['something else too', content(`Some resources are remaining: pods. has 1 resource instances, ${bindings}`)],
    ['something else after it', content(`Some resources are remaining: ${bindings}, pods. has 1 resource instances`)],
    ['a condition that no longer holds', content(`Some resources are remaining: ${bindings}`, 'False')],
    ['another condition', namespace('NamespaceDeletionContentFailure', `Some resources are remaining: ${bindings}`)],
    ['words it does not know', content(`Remaining: ${bindings}`)],
    ['nothing said yet', {}],
    ['a kind that could not be looked at', blind(content(`Some resources are remaining: ${bindings}`))],
  ])('is not known to be only guards with %s', (_title, object) => {
    expect(onlyBindingsRemain(object)).toBe(false);
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
});
