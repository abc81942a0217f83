/**
 * Compiles expressions for whoever has any: admission, match conditions, claim rules. The one door to this folder.
 *
 *   const program = compile(text, environment, [BOOL]);
 *   const { value, cost } = program.run(variables, budget);
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/
 */
import type { Expr } from './ast.ts';
import { type Checked, check } from './checker.ts';
import { type Environment, extend, type Library } from './environment.ts';
import { parse } from './parser.ts';
import { CompileError } from './problems.ts';
import { plan } from './program.ts';
import { type Budget, RunState, type Variables } from './run.ts';
import { STANDARD } from './standard.ts';
import { isExactly, nameOfType, type Type } from './types.ts';
import { constantProblem, validate } from './validators.ts';
import type { Value } from './values.ts';

export interface Program {
  /** What it evaluates to, as far as it is known before it runs. */
  readonly type: Type;
  /**
   * @throws {EvaluationError} when the expression fails
   * @throws {CostExceeded} when it costs more than the budget allows
   */
  run(variables: Variables, budget: Budget): { value: Value; cost: number };
}

/** What the API server says of an expression that it does not take. */
export class InvalidExpression extends Error {
  /** The API server speaks of a fault of its own, although it is the expression's. */
  readonly isInternal: boolean;

  constructor(message: string, options: ErrorOptions & { isInternal?: boolean } = {}) {
    super(message, options);
    this.name = 'InvalidExpression';
    this.isInternal = options.isInternal ?? false;
  }
}

/** Kubernetes' own libraries, and these: variables, types, functions. */
export function environmentWith(...libraries: readonly Library[]): Environment {
  return extend(STANDARD, ...libraries);
}

/**
 * @param allowed types that the expression may evaluate to; any when left out
 * @throws {InvalidExpression} in the API server's words: `compilation failed: ERROR: ...`, `must evaluate to bool but got int`
 */
export function compile(expression: string, environment: Environment, allowed?: readonly Type[]): Program {
  try {
    const tree = parse(expression);
    const checked = check(expression, tree, environment);
    const problems = validate(tree, checked);
    if (problems.length > 0) throw new CompileError(expression, problems);
    refuseType(checked.type, allowed);
    const step = plan(tree, checked, environment);
    refuseConstants(tree, checked, environment);
    return {
      type: checked.type,
      run: (variables, budget) => {
        const state = new RunState(variables, budget);
        return { value: step(state), cost: state.cost };
      },
    };
  } catch (error) {
    if (error instanceof CompileError) {
      throw new InvalidExpression(`compilation failed: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/** Whether an expression is sound, and of which type, without making a program of it: in cel-go's words. */
export function expressionProblem(expression: string, environment: Environment): { type: Type } | { problem: string } {
  try {
    const tree = parse(expression);
    const checked = check(expression, tree, environment);
    const problems = validate(tree, checked);
    if (problems.length > 0) throw new CompileError(expression, problems);
    return { type: checked.type };
  } catch (error) {
    if (error instanceof CompileError) return { problem: error.message };
    throw error;
  }
}

/** Constants are converted once, when the program is made. */
function refuseConstants(tree: Expr, checked: Checked, environment: Environment): void {
  const run = (node: Expr) =>
    plan(node, checked, environment)(new RunState(() => undefined, { cost: 1_000, ms: 1_000 }));
  const problem = constantProblem(tree, run);
  if (problem !== undefined)
    throw new InvalidExpression(`program instantiation failed: ${problem}`, { isInternal: true });
}

function refuseType(type: Type, allowed: readonly Type[] | undefined): void {
  if (allowed === undefined || allowed.some((one) => isExactly(one, type))) return;
  const names = allowed.map(nameOfType);
  const wanted = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`;
  throw new InvalidExpression(`must evaluate to ${wanted} but got ${nameOfType(type)}`);
}
