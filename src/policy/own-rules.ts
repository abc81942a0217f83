/**
 * Rules of the operator's own in a policy file: expressions of CEL that an object must meet, with the words for whoever
 * writes one that does not. The host holds them (rules-policy.ts), so here they are checked as its API server would: what it
 * does not take is a fault of the file.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import { z } from 'zod';
import { InvalidExpression } from '../cel/compile.ts';
import { compileFor } from '../cel/kubernetes/uses.ts';
import { CompileError } from '../cel/problems.ts';
import { STRING } from '../cel/types.ts';
import { splitResource } from '../kinds/resource-name.ts';
import { kindOf } from '../kinds/table.ts';
import { isShownAsItIs } from '../tenancy/refusal-words.ts';

/** What an expression may name besides `object`, `oldObject`, `request` and `namespaceObject`: `variables.tenant`. */
const RULE_VARIABLES = new Map([
  ['tenant', STRING],
  ['shownNamespace', STRING],
]);
const MOST_RULES = 100;
const LONGEST = 8 * 1024;

const name = z
  .string()
  .regex(
    /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
    'must be lower-case letters, digits and dashes, such as pods-have-owners',
  );

/** Kinds of which the host keeps objects in tenants' namespaces. */
const ruleKind = z.string().superRefine((text, context) => {
  const { group, resource } = splitResource(text);
  const kind = kindOf(group, resource);
  const said = JSON.stringify(text);
  if (kind === undefined) {
    context.addIssue(`${said} is no kind that kubeveil knows: write it as kubectl does, such as deployments.apps`);
  } else if (!kind.namespaced || kind.answeredBy === 'proxy' || !Object.values(kind.classes).includes('native')) {
    context.addIssue(`${said} has no objects in namespaces of the host, so no rule of the host can speak of it`);
  }
});

/** `params.at` is the place in the expression, in UTF-16 units: load.ts finds it in the file. */
const expression = z
  .string()
  .max(LONGEST, `must be at most ${LONGEST} characters`)
  .superRefine((text, context) => {
    try {
      compileFor(text, { use: 'validation', hasParams: false, variables: RULE_VARIABLES });
    } catch (error) {
      if (!(error instanceof InvalidExpression)) throw error;
      const { cause } = error;
      const problems = cause instanceof CompileError ? cause.problems : [{ at: 0, message: error.message }];
      for (const { at, message } of problems.slice(0, 10)) {
        context.addIssue({ code: 'custom', message, params: { at } });
      }
    }
  });

const message = z
  .string()
  .regex(/^\S[^\r\n]{0,1023}$/, 'must be one line of words for whoever is refused, of at most 1024 characters')
  .refine(
    isShownAsItIs,
    'must not sound like the API server or name what is the proxy’s: it would be shown as other words',
  );

const rule = z.strictObject({ name, kinds: z.array(ruleKind).min(1, 'must name a kind'), expression, message });

export type OwnRule = z.output<typeof rule>;

export const ownRules = z
  .array(rule)
  .max(MOST_RULES, `must be at most ${MOST_RULES} rules`)
  .superRefine((rules, context) => {
    const seen = new Set<string>();
    for (const [index, { name: own }] of rules.entries()) {
      if (seen.has(own))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: `there are two rules named ${own}` });
      seen.add(own);
    }
  })
  .default([]);
