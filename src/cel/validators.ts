/**
 * What Kubernetes asks of a tree beyond its types: literals of one type of elements, and constants that can be read.
 * @see github.com/google/cel-go cel/validator.go, ext/formatting.go, interpreter/decorators.go at v0.26
 */
import type { CallNode, Expr } from './ast.ts';
import type { Checked } from './checker.ts';
import { EvaluationError } from './evaluation-error.ts';
import { compilePattern } from './pattern.ts';
import type { Problem } from './problems.ts';
import { checkFormat } from './std/format-check.ts';
import { parseDuration, parseInstant } from './time.ts';
import { DYN, formatType, isExactly, type Type, unwrapOptional } from './types.ts';

/** In the order of the tree. */
export function validate(expr: Expr, { types }: Checked): Problem[] {
  const problems: Problem[] = [];
  const typeOf = (node: Expr, isOptional = false): Type => {
    const type = types.get(node.id) ?? DYN;
    return isOptional ? (unwrapOptional(type) ?? DYN) : type;
  };
  const sameType = (first: Type, node: Expr, given: Type): boolean => {
    if (isExactly(first, given)) return true;
    problems.push({ at: node.at, message: `expected type '${formatType(first)}' but found '${formatType(given)}'` });
    return false;
  };
  const visit = (node: Expr, isInFormat: boolean): void => {
    if (node.is === 'list' && !isInFormat) {
      const given = node.elements.map((item, index) => typeOf(item, node.optional.has(index)));
      node.elements.every((item, index) => sameType(given[0] as Type, item, given[index] as Type));
    }
    if (node.is === 'map' && !isInFormat) {
      const [first] = node.entries;
      for (const { key, value, optional } of node.entries) {
        if (first === undefined) break;
        sameType(typeOf(first.key), key, typeOf(key));
        sameType(typeOf(first.value, first.optional), value, typeOf(value, optional));
      }
    }
    if (node.is === 'call') problems.push(...callProblems(node, typeOf));
    const isFormat = node.is === 'call' && node.name === 'format';
    for (const child of childrenOf(node)) visit(child, isInFormat || isFormat);
  };
  visit(expr, false);
  return problems;
}

function callProblems(node: CallNode, typeOf: (node: Expr) => Type): Problem[] {
  const [arg] = node.args;
  const text = arg?.is === 'const' && typeof arg.value === 'string' ? arg.value : undefined;
  if (node.name === 'format') return checkFormat(node, typeOf);
  if (arg === undefined || text === undefined) return [];
  const invalid = [{ at: arg.at, message: `invalid ${node.name} argument` }];
  if (node.name === 'duration') return parseDuration(text) === undefined ? invalid : [];
  if (node.name === 'timestamp') return parseInstant(text) === undefined ? invalid : [];
  return node.name === 'matches' && patternProblem(text) !== undefined ? invalid : [];
}

function patternProblem(text: string): string | undefined {
  try {
    compilePattern(text);
    return undefined;
  } catch (error) {
    if (error instanceof EvaluationError) return error.message;
    throw error;
  }
}

const CONVERSIONS = new Set([
  'bool',
  'bytes',
  'double',
  'int',
  'string',
  'uint',
  'duration',
  'timestamp',
  'dyn',
  'type',
]);

/** Calls with a constant that are worked out before any run; why the first of them fails. @param run runs one node */
export function constantProblem(expr: Expr, run: (node: Expr) => unknown): string | undefined {
  for (const child of childrenOf(expr)) {
    const problem = constantProblem(child, run);
    if (problem !== undefined) return problem;
  }
  if (expr.is !== 'call') return undefined;
  const [arg] = expr.args;
  if (expr.name === 'find' || expr.name === 'findAll') {
    return arg?.is === 'const' && typeof arg.value === 'string' ? patternProblem(arg.value) : undefined;
  }
  if (!CONVERSIONS.has(expr.name) || expr.target !== undefined || expr.args.length !== 1 || arg?.is !== 'const')
    return undefined;
  try {
    run(expr);
    return undefined;
  } catch (error) {
    if (error instanceof EvaluationError) return error.message;
    throw error;
  }
}

function childrenOf(node: Expr): readonly Expr[] {
  switch (node.is) {
    case 'const':
    case 'ident':
      return [];
    case 'select':
      return [node.operand];
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case 'list':
      return node.elements;
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'fold':
      return [node.range, node.init, node.condition, node.step, node.result];
  }
}
