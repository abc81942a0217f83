import { describe, expect, it } from 'vitest';
import { required } from './field-problems.ts';
import { alreadyExistsText, invalidText, notFoundText } from './status-texts.ts';

const POD = { group: '', what: 'pods', name: 'web' };
const ROLE = { group: 'rbac.authorization.k8s.io', what: 'Role', name: 'reader' };

describe('texts about one object', () => {
  it('say that it is not there, or there already', () => {
    expect(notFoundText(POD)).toEqual({ message: 'pods "web" not found', details: { name: 'web', kind: 'pods' } });
    expect(alreadyExistsText({ group: 'apps', what: 'deployments', name: 'a"b' })).toEqual({
      message: 'deployments.apps "a\\"b" already exists',
      details: { name: 'a"b', group: 'apps', kind: 'deployments' },
    });
  });

  it('say what is wrong with it, once in a sentence and once as data', () => {
    const problem = required('rules[0].verbs');
    expect(invalidText(ROLE, [problem])).toEqual({
      message: 'Role.rbac.authorization.k8s.io "reader" is invalid: rules[0].verbs: Required value',
      details: { name: 'reader', group: 'rbac.authorization.k8s.io', kind: 'Role', causes: [problem] },
    });
    expect(invalidText(ROLE, [problem, required('a')]).message).toMatch(
      /invalid: \[rules\[0\]\.verbs: Required value, a: Required value\]$/,
    );
  });

  it('leave out what the object does not have', () => {
    const { message, details } = invalidText({ group: 'authorization.k8s.io', what: '', name: '' }, [required('spec')]);
    expect(message).toBe('.authorization.k8s.io "" is invalid: spec: Required value');
    expect(details).toEqual({ group: 'authorization.k8s.io', causes: [required('spec')] });
  });
});
