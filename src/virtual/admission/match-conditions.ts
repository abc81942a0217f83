/**
 * Conditions in CEL that a request must meet for a webhook or policy to be asked.
 * @see k8s.io/kubernetes pkg/apis/admissionregistration/validation/validation.go (validateMatchConditions) at v1.36
 */
import { duplicate, type FieldProblem, required, tooMany } from '../../k8s/field-problems.ts';
import { text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { expressionProblems } from '../expressions.ts';
import { list, qualifiedNameFaults } from '../field-checks.ts';

const MAX = 64;

/** @param owner the webhook or the policy's spec. @param hasParams true where `params` may be used */
export function matchConditionProblems(owner: JsonObject, path: string, hasParams: boolean): FieldProblem[] {
  const conditions = list(owner, 'matchConditions');
  const names = conditions.map((condition) => text(condition, 'name'));
  const problems = conditions.length > MAX ? [tooMany(path, conditions.length, MAX)] : [];
  conditions.forEach((condition, at) => {
    const [name, expression] = [text(condition, 'name'), text(condition, 'expression').trim()];
    const field = `${path}[${at}]`;
    if (expression === '') problems.push(required(`${field}.expression`));
    else {
      const use = { use: 'condition', text: expression, hasParams } as const;
      problems.push(...expressionProblems(`${field}.expression`, use));
    }
    if (name === '') problems.push(required(`${field}.name`));
    else {
      problems.push(...qualifiedNameFaults(`${field}.name`, name));
      if (names.indexOf(name) < at) problems.push(duplicate(`${field}.name`, name));
    }
  });
  return problems;
}
