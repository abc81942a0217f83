/**
 * Expressions of admission by what they are for: which variables they may use, what they must give.
 * @see k8s.io/kubernetes pkg/apis/admissionregistration/validation/validation.go at v1.36
 */
import { compile, type Program } from '../compile.ts';
import { BOOL, listOf, NULL, STRING, type Type } from '../types.ts';
import { admissionEnvironment } from './admission.ts';
import { JSON_PATCH_TYPE, OBJECT_TYPE } from './patch-types.ts';

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

export interface ExpressionUse {
  readonly use: keyof typeof GIVES;
  /** True where `params` may be used. */
  readonly hasParams: boolean;
  /** Types of what may be used as `variables.<name>`; left out where `variables` is not known. */
  readonly variables?: ReadonlyMap<string, Type> | undefined;
}

/** @throws {InvalidExpression} in the API server's words */
export function compileFor(text: string, { use, hasParams, variables }: ExpressionUse): Program {
  const environment = admissionEnvironment({
    params: hasParams,
    authorizer: use !== 'message',
    patchTypes: use === 'applyConfiguration' || use === 'jsonPatch',
    ...(variables !== undefined && { variables }),
  });
  return compile(text, environment, GIVES[use]);
}
