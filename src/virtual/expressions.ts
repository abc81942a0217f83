/**
 * CEL expressions in virtual kinds: where they stand decides what they may use and what they must give. Whether one
 * compiles is judged by what the composition hands in.
 */
import type { FieldProblem } from '../k8s/field-problems.ts';

/**
 * What an expression is for.
 * - condition: of `matchConditions`; gives a bool
 * - variable: of `variables`; gives anything
 * - validation: gives a bool; message: gives a text; annotation: gives a text or null
 * - applyConfiguration: gives an Object; jsonPatch: gives a list of JSONPatch
 */
export type ExpressionUse =
  | 'condition'
  | 'variable'
  | 'validation'
  | 'message'
  | 'annotation'
  | 'applyConfiguration'
  | 'jsonPatch';

export interface Expression {
  readonly use: ExpressionUse;
  readonly text: string;
  /** True where `params` may be used. */
  readonly hasParams: boolean;
  /** True where `authorizer` may be used. */
  readonly hasAuthorizer: boolean;
  /** The expressions that may be used as `variables.<name>`, in their order; undefined where there are none to use. */
  readonly variables?: readonly NamedExpression[];
}

export interface NamedExpression {
  readonly name: string;
  readonly text: string;
}

/** What is wrong with an expression, in kube-apiserver's words (`compilation failed: ...`); undefined when it compiles. */
export type CompileExpression = (expression: Expression) => string | undefined;

/** The check of one expression as field problems. */
export type ExpressionCheck = (field: string, expression: Expression) => FieldProblem[];
