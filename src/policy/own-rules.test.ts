import { describe, expect, it } from 'vitest';
import { objects, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { PolicyError, parsePolicy } from './load.ts';
import { createPolicies } from './policy.ts';

const HEAD = 'apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\n';
const OWNER = `rules:
  - name: pods-have-owners
    kinds: [pods, deployments.apps]
    expression: "'owner' in object.metadata.?labels.orValue({})"
    message: every pod says whose it is, in the label owner
`;

function problems(rules: string): readonly string[] {
  try {
    parsePolicy(HEAD + rules, 'x.yaml');
  } catch (error) {
    if (error instanceof PolicyError) return error.problems;
    throw error;
  }
  return [];
}

const rule = (said: Record<string, unknown>) =>
  `rules: [${JSON.stringify({ name: 'a', kinds: ['pods'], expression: 'true', message: 'no', ...said })}]`;

describe('rules of a policy file', () => {
  it('are read', () => {
    expect(parsePolicy(HEAD + OWNER, 'x.yaml').rules).toEqual([
      {
        name: 'pods-have-owners',
        kinds: ['pods', 'deployments.apps'],
        expression: "'owner' in object.metadata.?labels.orValue({})",
        message: 'every pod says whose it is, in the label owner',
      },
    ]);
    expect(parsePolicy(HEAD, 'x.yaml').rules).toEqual([]);
  });

  it.each([
    ["object.metadata.name.startsWith(variables.tenant + '-')"],
    ["request.operation != 'UPDATE' || object.spec == oldObject.spec"],
    ["variables.shownNamespace == 'web' && namespaceObject.metadata.labels.size() > 0"],
    ["cidr('10.0.0.0/8').containsIP('10.0.0.1') && quantity('1Gi').isGreaterThan(quantity('1Mi')) // and no more"],
  ])('may say %s', (expression) => {
    expect(problems(rule({ expression }))).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no rule', { expression: 'object.spec.' }, /rules\[0\]\.expression: Syntax error/],
    ['not true or false', { expression: '1 + 1' }, /rules\[0\]\.expression: must evaluate to bool but got int/],
    ['of unknown things', { expression: 'thing == 1' }, /rules\[0\]\.expression: undeclared reference to 'thing'/],
    ['of unknown variables', { expression: "variables.user == 'a'" }, /rules\[0\]\.expression: undefined field 'user'/],
    [
      'of wrong types',
      { expression: 'variables.tenant + 1 == 2' },
      /rules\[0\]\.expression: found no matching overload/,
    ],
    ['of parameters', { expression: 'params == null' }, /undeclared reference to 'params'/],
    ['too long', { expression: `true ${' '.repeat(9_000)}` }, /must be at most 8192 characters/],
    ['of no kind', { kinds: [] }, /rules\[0\]\.kinds: must name a kind/],
    [
      'of a kind that there is not',
      { kinds: ['things'] },
      /"things" is no kind that kubeveil knows: write it as kubectl/,
    ],
    ['of a kind without namespace', { kinds: ['nodes'] }, /"nodes" has no objects in namespaces of the host/],
    [
      'of a kind that is virtual',
      { kinds: ['clusterroles.rbac.authorization.k8s.io'] },
      /has no objects in namespaces/,
    ],
    ['of a question', { kinds: ['localsubjectaccessreviews.authorization.k8s.io'] }, /has no objects in namespaces/],
    ['without words', { message: '' }, /rules\[0\]\.message: must be one line of words/],
    [
      'that the API server might have said',
      { message: 'over the cost limit of your team' },
      /rules\[0\]\.message: must not sound/,
    ],
    ['that name the proxy', { message: 'see kubeveil-rules in the wiki' }, /rules\[0\]\.message: must not sound/],
    ['of two lines', { message: 'a\nb' }, /rules\[0\]\.message: must be one line of words/],
    ['without a name', { name: 'No Name' }, /rules\[0\]\.name: must be lower-case letters/],
    ['of something else', { action: 'Warn' }, /rules\[0\]\.action: there is no such setting/],
  ])('that are %s are refused', (_what, said, why) => {
    expect(problems(rule(said))).toEqual([expect.stringMatching(/^x\.yaml:3:\d+: /)]);
    expect(problems(rule(said))[0]).toMatch(why);
  });

  it('have names of their own', () => {
    const twice = `${OWNER}${OWNER.slice('rules:\n'.length)}`;
    expect(problems(twice)).toEqual(['x.yaml:8:11: rules[1].name: there are two rules named pods-have-owners']);
  });

  it.each<[string, string, string]>([
    ['plain', 'expression: object.kind == thing', '6:32'],
    ['quoted', 'expression: "object.kind == thing"', '6:33'],
    ['in one quote', "expression: 'object.kind == thing'", '6:33'],
    ['folded', 'expression: >-\n      object.kind ==\n      thing', '8:7'],
    ['a block', 'expression: |\n      object.kind ==\n        thing', '8:9'],
  ])('that are wrong are found in the file, %s', (_how, line, at) => {
    const file = `rules:\n  - name: a\n    kinds: [pods]\n    ${line}\n    message: no\n`;
    expect(problems(file)).toEqual([
      `x.yaml:${at}: rules[0].expression: undeclared reference to 'thing' (in container '')`,
    ]);
  });
});

describe('the host’s policy with the rules of all files', () => {
  const policies = createPolicies(
    new Map([
      ['default', parsePolicy(HEAD, 'x')],
      ['own', parsePolicy(HEAD + OWNER, 'x')],
    ]),
  );
  const validations = objects(policies.rulesPolicy, 'validations');

  it('knows every policy, and refuses namespaces of one that it does not know', () => {
    expect(text(validations[0], 'expression')).toBe("variables.policy in ['default', 'own']");
  });

  it('has each rule for the namespaces of its policy and its kinds alone', () => {
    expect(validations.slice(1)).toEqual([
      {
        expression:
          "variables.policy != 'own' || !(variables.kind in ['/pods', 'apps/deployments']) || ('owner' in object.metadata.?labels.orValue({})\n)",
        message: 'every pod says whose it is, in the label owner',
        reason: 'Forbidden',
      } satisfies JsonObject,
    ]);
  });

  it('is for namespaces of policies that have rules', () => {
    expect(policies.of({ policy: 'own' }).guards('acme' as never).hasRules).toBe(true);
    expect(policies.of({ policy: 'default' }).guards('acme' as never).hasRules).toBe(false);
  });

  it('takes an Event for one, whichever of its groups it is written by', () => {
    const files = new Map([['default', parsePolicy(HEAD + rule({ kinds: ['events'] }), 'x')]]);
    const [, own] = objects(createPolicies(files).rulesPolicy, 'validations');
    expect(text(own, 'expression')).toContain("['/events', 'events.k8s.io/events']");
  });
});
