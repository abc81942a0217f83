/**
 * What an expression of a tenant's may be where the host runs it: rules of a CRD, selectors of devices. The host bounds
 * what a run costs, but not everything that it takes: the result of `replace` and of `format` counts nothing, a chain of
 * `optMap` and a map whose keys are maps double with each step when they are compiled, and a quantity is read digit by
 * digit. One expression of each ends kube-apiserver or kube-scheduler 1.36, which all tenants share.
 *
 * So these are bounded by what can be seen in the text. It is a bound, not an estimate: what is far from any use is
 * refused, and of what is near it nothing.
 *
 * @see k8s.io/apiserver pkg/cel/library/cost.go, github.com/google/cel-go cel/macro.go (optMap) at v0.26
 */
import type { CallNode, Expr } from './ast.ts';
import { tokens } from './lexer.ts';
import { parse } from './parser.ts';
import { CompileError } from './problems.ts';

/** How much larger a text may become, by all calls of an expression together. */
const MAX_GROWTH = 64;
const MAX_DOUBLINGS = 4;
const MAX_PRECISION = 100;
const SANE_QUANTITY = /^[^eE]{0,100}(?:[eE][+-]?\d{0,3}[a-zA-Z]?)?$/;

/** What is wrong with it; undefined when the host may run it. */
export function boundsProblem(expression: string): string | undefined {
  let tree: Expr;
  try {
    tree = parse(expression);
  } catch (error) {
    // The host's parser would say the same.
    if (error instanceof CompileError) return `compilation failed: ${error.message}`;
    throw error;
  }
  if (optionalMaps(expression) > MAX_DOUBLINGS) {
    return `more than ${MAX_DOUBLINGS} calls of optMap() and optFlatMap() in one expression: split it`;
  }
  const found = new Findings();
  found.visit(tree, false);
  return found.problem();
}

/** Macros, which the tree does not show. */
function optionalMaps(expression: string): number {
  const all = tokens(expression);
  return all.filter(
    ({ kind, text }, at) =>
      kind === 'name' && (text === 'optMap' || text === 'optFlatMap') && all[at + 1]?.text === '(',
  ).length;
}

class Findings {
  #growth = 1;
  #keys = 0;
  #problem: string | undefined;

  visit(expr: Expr, isLoop: boolean): void {
    switch (expr.is) {
      case 'call':
        this.#call(expr, isLoop);
        if (expr.target !== undefined) this.visit(expr.target, isLoop);
        for (const arg of expr.args) this.visit(arg, isLoop);
        break;
      case 'select':
        this.visit(expr.operand, isLoop);
        break;
      case 'list':
        for (const element of expr.elements) this.visit(element, isLoop);
        break;
      case 'map':
        for (const { key, value } of expr.entries) {
          if (key.is !== 'const') this.#keys += 1;
          this.visit(key, isLoop);
          this.visit(value, isLoop);
        }
        break;
      case 'struct':
        for (const { value } of expr.fields) this.visit(value, isLoop);
        break;
      case 'fold': {
        // A fold over nothing only names a value.
        const inside = isLoop || !(expr.range.is === 'list' && expr.range.elements.length === 0);
        this.visit(expr.range, isLoop);
        this.visit(expr.init, isLoop);
        for (const part of [expr.condition, expr.step, expr.result]) this.visit(part, inside);
        break;
      }
      default:
    }
  }

  problem(): string | undefined {
    if (this.#problem !== undefined) return this.#problem;
    if (this.#keys > MAX_DOUBLINGS) return `more than ${MAX_DOUBLINGS} keys of maps that are no constants: split it`;
    if (this.#growth <= MAX_GROWTH) return undefined;
    return `replace() and format() could make a text more than ${MAX_GROWTH} times as long: replace by shorter texts`;
  }

  #call({ name, target, args }: CallNode, isLoop: boolean): void {
    if (name === 'replace') this.#replace(args);
    else if (name === 'format' && target !== undefined && args.length > 0) this.#format(target, isLoop);
    else if (name === 'quantity' || name === 'isQuantity') {
      const text = constantText(args[0]);
      if (text === undefined || !SANE_QUANTITY.test(text))
        this.#problem ??= `${name}() can only be used with a constant, and one with a short exponent`;
    }
  }

  #replace([old, next]: readonly Expr[]): void {
    const by = constantText(next);
    if (by === undefined) {
      this.#problem ??= 'replace() can only replace by a constant text';
      return;
    }
    // Of an empty text there is one before each character; so there may be of one that is not known.
    const was = constantText(old) ?? '';
    this.#growth *= was === '' ? by.length + 1 : Math.max(1, by.length / was.length);
  }

  #format(target: Expr, isLoop: boolean): void {
    const pattern = constantText(target);
    if (pattern === undefined) {
      this.#problem ??= 'format() can only be used with a constant text';
      return;
    }
    const verbs = pattern.match(/%[^%a-zA-Z]*[a-zA-Z]/g) ?? [];
    if (isLoop && verbs.length > 0) this.#problem ??= 'format() cannot be used inside a loop';
    if (verbs.some((verb) => Number(/\d+/.exec(verb)?.[0] ?? 0) > MAX_PRECISION))
      this.#problem ??= `format() can only be used with a precision of at most ${MAX_PRECISION}`;
    this.#growth *= Math.max(1, verbs.length);
  }
}

function constantText(expr: Expr | undefined): string | undefined {
  return expr?.is === 'const' && typeof expr.value === 'string' ? expr.value : undefined;
}
