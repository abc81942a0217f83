/**
 * CEL expressions in virtual kinds: where they stand decides what they may use and what they must give.
 * @see k8s.io/apiserver pkg/admission/plugin/cel/compile.go at v0.36
 */
import { compile, InvalidExpression } from '../cel/compile.ts';
import { admissionEnvironment } from '../cel/kubernetes/admission.ts';
import { JSON_PATCH_TYPE, OBJECT_TYPE } from '../cel/kubernetes/patch-types.ts';
import { BOOL, DYN, listOf, NULL, STRING, type Type } from '../cel/types.ts';
import { type FieldProblem, invalidValue } from '../k8s/field-problems.ts';

/** What an expression is for -> the types that it may give; any where there are none. */
const GIVES = {
  condition: [BOOL],
  variable: undefined,
  validation: [BOOL],
  message: [STRING],
  annotation: [STRING, NULL],
  applyConfiguration: [OBJECT_TYPE],
  jsonPatch: [listOf(JSON_PATCH_TYPE)],
} as const satisfies Record<string, readonly Type[] | undefined>;

export interface Expression {
  readonly use: keyof typeof GIVES;
  readonly text: string;
  /** True where `params` may be used. */
  readonly hasParams: boolean;
  /** Types of what may be used as `variables.<name>`; left out where `variables` is not known. */
  readonly variables?: ReadonlyMap<string, Type> | undefined;
}

/** What is wrong with an expression. */
export function expressionProblems(field: string, expression: Expression): FieldProblem[] {
  return typeOf(field, expression).problems;
}

/** The same, and the type that it gives: any, where that is not known. */
export function typeOf(field: string, expression: Expression): { type: Type; problems: FieldProblem[] } {
  const { use, text, hasParams, variables } = expression;
  const environment = admissionEnvironment({
    params: hasParams,
    authorizer: use !== 'message',
    patchTypes: use === 'applyConfiguration' || use === 'jsonPatch',
    ...(variables !== undefined && { variables }),
  });
  try {
    return { type: compile(text, environment, GIVES[use]).type, problems: [] };
  } catch (error) {
    if (!(error instanceof InvalidExpression)) throw error;
    return { type: DYN, problems: [invalidValue(field, text, error.message)] };
  }
}
