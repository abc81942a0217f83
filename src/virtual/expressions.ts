/**
 * CEL expressions in virtual kinds: where they stand decides what they may use and what they must give.
 * @see k8s.io/apiserver pkg/admission/plugin/cel/compile.go at v0.36
 */
import { InvalidExpression } from '../cel/compile.ts';
import { compileFor, type ExpressionUse } from '../cel/kubernetes/uses.ts';
import { DYN, type Type } from '../cel/types.ts';
import { type FieldProblem, invalidValue } from '../k8s/field-problems.ts';

export interface Expression extends ExpressionUse {
  readonly text: string;
}

/** What is wrong with an expression. */
export function expressionProblems(field: string, expression: Expression): FieldProblem[] {
  return typeOf(field, expression).problems;
}

/** The same, and the type that it gives: any, where that is not known. */
export function typeOf(field: string, expression: Expression): { type: Type; problems: FieldProblem[] } {
  const { text } = expression;
  try {
    return { type: compileFor(text, expression).type, problems: [] };
  } catch (error) {
    if (!(error instanceof InvalidExpression)) throw error;
    const problem = error.isInternal
      ? { field, reason: 'InternalError', message: `Internal error: ${error.message}` }
      : invalidValue(field, text, error.message);
    return { type: DYN, problems: [problem] };
  }
}
