/**
 * The syntax tree of an expression, after macros: what `parser.ts` makes, `checker.ts` gives types and `program.ts` runs.
 * Names of operators are the ones of CEL's own tree (`_+_`, `_?_:_`), because messages show them.
 *
 * @see https://github.com/google/cel-spec/blob/master/proto/cel/expr/syntax.proto
 */
import type { Constant } from './values.ts';

interface Node {
  /** Unique within one expression. */
  readonly id: number;
  /** Where it begins, in UTF-16 units. */
  readonly at: number;
}

export interface ConstNode extends Node {
  readonly is: 'const';
  readonly value: Constant;
}

export interface IdentNode extends Node {
  readonly is: 'ident';
  readonly name: string;
}

/** `a.b`, or `has(a.b)` when it only tests. */
export interface SelectNode extends Node {
  readonly is: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
}

/** `f(x)`, `a.f(x)`, and every operator. */
export interface CallNode extends Node {
  readonly is: 'call';
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListNode extends Node {
  readonly is: 'list';
  readonly elements: readonly Expr[];
  /** Indexes of `[?x]`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapNode extends Node {
  readonly is: 'map';
  readonly entries: readonly MapEntry[];
}

export interface FieldEntry extends Node {
  readonly field: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** `Object.spec{replicas: 1}` */
export interface StructNode extends Node {
  readonly is: 'struct';
  readonly type: string;
  readonly fields: readonly FieldEntry[];
}

/** What `all`, `map` and their like become. */
export interface FoldNode extends Node {
  readonly is: 'fold';
  readonly range: Expr;
  readonly variable: string;
  /** Of two variables the second: then the first is the index or the key. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr = ConstNode | IdentNode | SelectNode | CallNode | ListNode | MapNode | StructNode | FoldNode;

/** `a.b.c` when the expression is nothing but names joined by dots. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.is === 'ident') return expr.name;
  if (expr.is !== 'select' || expr.test) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
