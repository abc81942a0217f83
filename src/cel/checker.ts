/**
 * Gives every node of a tree its type and every call its overloads, or says what is wrong in cel-go's words.
 * @see github.com/google/cel-go checker/checker.go at v0.26
 */
import { type CallNode, type Expr, type FoldNode, qualifiedName, type SelectNode, type StructNode } from './ast.ts';
import type { Environment, FunctionDeclaration, Overload } from './environment.ts';
import { CompileError, type Problem } from './problems.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  formatType,
  INT,
  isExactly,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  param,
  STRING,
  type Type,
  UINT,
  unwrapOptional,
} from './types.ts';
import { Bindings, mostGeneral, substitute } from './unify.ts';
import { type Constant, Uint } from './values.ts';

/** What is known of a tree that is sound. */
export interface Checked {
  readonly type: Type;
  /** By node: the full name of a variable or type that an ident, or a chain of selects, names. */
  readonly names: ReadonlyMap<number, string>;
  /** By node: what a call may call. `target` is false where the dots before the name belong to the function's name. */
  readonly calls: ReadonlyMap<number, { name: string; overloads: readonly Overload[]; target: boolean }>;
  /** By node; what is not known is any. */
  readonly types: ReadonlyMap<number, Type>;
}

/** Parts of a type: they double when maps are nested in their own keys. */
const MAX_TYPE_PARTS = 1_000;

/** @throws {CompileError} */
export function check(source: string, expr: Expr, environment: Environment): Checked {
  const checker = new Checker(environment);
  const type = checker.root(expr);
  if (checker.problems.length > 0) throw new CompileError(source, checker.problems);
  return { type, names: checker.names, calls: checker.calls, types: checker.types() };
}

class Checker {
  readonly problems: Problem[] = [];
  readonly names = new Map<number, string>();
  readonly calls = new Map<number, { name: string; overloads: readonly Overload[]; target: boolean }>();
  readonly #environment: Environment;
  readonly #scopes: Map<string, Type>[] = [];
  readonly #types = new Map<number, Type>();
  readonly #bindings = new Bindings();
  #parameters = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  root(expr: Expr): Type {
    return substitute(this.#bindings, this.#check(expr), true);
  }

  types(): ReadonlyMap<number, Type> {
    return new Map([...this.#types].map(([id, type]) => [id, substitute(this.#bindings, type, true)]));
  }

  #check(expr: Expr): Type {
    const type = this.#typeOf(expr);
    this.#types.set(expr.id, type);
    if (partsOf(type) <= MAX_TYPE_PARTS) return type;
    return this.#problem(expr, 'the type of the expression is too large');
  }

  #typeOf(expr: Expr): Type {
    switch (expr.is) {
      case 'const':
        return typeOfConstant(expr.value);
      case 'ident':
        return this.#ident(expr, expr.name) ?? this.#undeclared(expr, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list': {
        let element: Type | undefined;
        for (const [index, item] of expr.elements.entries()) {
          element = this.#join(element, this.#optionalItem(item, expr.optional.has(index)));
        }
        return listOf(element ?? this.#fresh());
      }
      case 'map': {
        let key: Type | undefined;
        let value: Type | undefined;
        for (const entry of expr.entries) {
          key = this.#join(key, this.#check(entry.key));
          value = this.#join(value, this.#optionalItem(entry.value, entry.optional));
        }
        return mapOf(key ?? this.#fresh(), value ?? this.#fresh());
      }
      case 'struct':
        return this.#struct(expr);
      case 'fold':
        return this.#fold(expr);
    }
  }

  /** The variable or type that the name means from here; noted for the node. */
  #ident({ id }: Expr, name: string): Type | undefined {
    if (!name.startsWith('.')) {
      const local = this.#scopes.findLast((scope) => scope.has(name))?.get(name);
      if (local !== undefined) {
        this.names.set(id, name);
        return local;
      }
    }
    const plain = name.replace(/^\./, '');
    const type = this.#environment.variables.get(plain) ?? this.#environment.types.get(plain);
    if (type !== undefined) this.names.set(id, plain);
    return type;
  }

  #select(expr: SelectNode): Type {
    const name = qualifiedName(expr);
    const named = name === undefined ? undefined : this.#ident(expr, name);
    if (named !== undefined) return named;
    const type = this.#field(expr, expr.operand, expr.field, false);
    return expr.test ? BOOL : substitute(this.#bindings, type);
  }

  #field(expr: Expr, operand: Expr, field: string, isOptional: boolean): Type {
    const given = substitute(this.#bindings, this.#check(operand));
    const inner = unwrapOptional(given);
    const type = this.#fieldOf(expr, inner ?? given, field);
    return inner !== undefined || isOptional ? optionalOf(type) : type;
  }

  #fieldOf(expr: Expr, type: Type, field: string): Type {
    switch (type.kind) {
      case 'map':
        return type.params[1] as Type;
      case 'struct':
        return this.#structField(expr, type.name, field);
      case 'param':
        this.#assign(DYN, type);
        return DYN;
      case 'dyn':
      case 'error':
        return DYN;
      default:
        this.#problem(expr, `type '${formatType(type)}' does not support field selection`);
        return DYN;
    }
  }

  #structField(expr: Expr, name: string, field: string): Type {
    const struct = this.#environment.structs(name);
    if (struct === undefined) return this.#problem(expr, `unexpected failed resolution of '${name}'`);
    return struct.field(field) ?? this.#problem(expr, `undefined field '${field}'`);
  }

  #call(expr: CallNode): Type {
    const { name, target, args } = expr;
    if (name === '_?._') return this.#optionalField(expr);
    const types = args.map((arg) => this.#check(arg));
    const prefix = target === undefined ? undefined : qualifiedName(target);
    const full = target === undefined ? name.replace(/^\./, '') : `${prefix?.replace(/^\./, '')}.${name}`;
    const namespaced = target !== undefined && prefix === undefined ? undefined : this.#environment.functions.get(full);
    if (namespaced?.overloads.some(({ member }) => !member)) {
      return this.#resolve(expr, namespaced, types, false);
    }
    if (target === undefined) return this.#undeclared(expr, full);
    const targetType = this.#check(target);
    const declared = this.#environment.functions.get(name);
    if (declared === undefined) return this.#undeclared(expr, name);
    return this.#resolve(expr, declared, [targetType, ...types], true);
  }

  #optionalField(expr: CallNode): Type {
    const [operand, field] = expr.args as [Expr, Expr];
    const name = field.is === 'const' && typeof field.value === 'string' ? field.value : '';
    return substitute(this.#bindings, this.#field(expr, operand, name, true));
  }

  #resolve(expr: CallNode, declared: FunctionDeclaration, given: readonly Type[], isMember: boolean): Type {
    const textOf = (type: Type): string => formatType(substitute(this.#bindings, type, true));
    if (['_&&_', '_||_'].includes(declared.name)) {
      const wrong = given.flatMap((type, at) => (this.#bindings.assign([type], [BOOL]) ? [] : [{ type, at }]));
      for (const { type, at } of wrong)
        this.#problem(expr.args[at] as Expr, `expected type 'bool' but found '${textOf(type)}'`);
      if (wrong.length > 0) return ERROR;
    }
    const matching: Overload[] = [];
    let result: Type | undefined;
    for (const overload of declared.overloads.filter(({ member }) => member === isMember)) {
      const [args, returned] = this.#instantiate(overload);
      if (!this.#bindings.assign(given, args)) continue;
      matching.push(overload);
      const type = substitute(this.#bindings, returned);
      if (result === undefined) result = type;
      else if (result.kind !== 'dyn' && !isExactly(type, result)) result = DYN;
    }
    if (result !== undefined) {
      this.calls.set(expr.id, { name: declared.name, overloads: matching, target: isMember });
      return result;
    }
    const [first, ...others] = given.map(textOf);
    const signature = isMember ? `${first}.(${others.join(', ')})` : `(${[first, ...others].join(', ')})`;
    return this.#problem(expr, `found no matching overload for '${declared.name}' applied to '${signature}'`);
  }

  /** The overload with parameters that nothing else uses. */
  #instantiate({ args, result }: Overload): [readonly Type[], Type] {
    const fresh = new Map<string, Type>();
    const replace = (type: Type): Type => {
      if (type.kind === 'param') {
        const known = fresh.get(type.name) ?? this.#fresh();
        fresh.set(type.name, known);
        return known;
      }
      return type.params.length === 0 ? type : { ...type, params: type.params.map(replace) };
    };
    return [args.map(replace), replace(result)];
  }

  #struct(expr: StructNode): Type {
    const name = expr.type.replace(/^\./, '');
    const struct = this.#environment.structs(name);
    const known = struct?.create === undefined ? undefined : struct;
    if (known === undefined) this.#undeclared(expr, name);
    for (const field of expr.fields) {
      const type = this.#optionalItem(field.value, field.optional);
      const expected = known?.field(field.field);
      if (known === undefined) continue;
      if (expected === undefined) this.#problem(field, `undefined field '${field.field}'`);
      else if (!this.#assign(expected, type)) {
        const words = `expected type of field '${field.field}' is '${formatType(expected)}' but provided type is '${formatType(type)}'`;
        this.#problem(field, words);
      }
    }
    return known?.type ?? ERROR;
  }

  #fold(expr: FoldNode): Type {
    const range = substitute(this.#bindings, this.#check(expr.range));
    const accumulated = this.#check(expr.init);
    const [first, second] = this.#elements(expr, range);
    this.#scopes.push(new Map([[expr.accumulator, accumulated]]));
    const variables = new Map([[expr.variable, first]]);
    if (expr.variable2 !== undefined) variables.set(expr.variable2, second);
    this.#scopes.push(variables);
    this.#expect(expr.condition, BOOL);
    this.#expect(expr.step, accumulated);
    this.#scopes.pop();
    const result = this.#check(expr.result);
    this.#scopes.pop();
    return substitute(this.#bindings, result);
  }

  /** Types of the first variable and of the second. */
  #elements({ range: node, variable2 }: FoldNode, range: Type): readonly [Type, Type] {
    const isPair = variable2 !== undefined;
    const [first = DYN, second = DYN] = range.params;
    switch (range.kind) {
      case 'list':
        return isPair ? [INT, first] : [first, DYN];
      case 'map':
        return [first, second];
      case 'dyn':
      case 'error':
        return [DYN, DYN];
      case 'param':
        this.#assign(DYN, range);
        return [DYN, DYN];
      default: {
        const words = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
        return [this.#problem(node, words), ERROR];
      }
    }
  }

  #expect(expr: Expr, type: Type): void {
    const given = this.#check(expr);
    if (!this.#assign(type, given)) this.#mismatch(expr, type, given);
  }

  /** Of `?x` the type of what is in it. */
  #optionalItem(expr: Expr, isOptional: boolean): Type {
    const type = this.#check(expr);
    if (!isOptional) return type;
    const inner = unwrapOptional(type);
    if (inner === undefined && type.kind !== 'dyn') this.#mismatch(expr, optionalOf(type), type);
    return inner ?? type;
  }

  /** Elements of a literal may differ here; where Kubernetes asks for one type, `validators.ts` finds it. */
  #join(previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current;
    return this.#assign(previous, current) ? mostGeneral(previous, current) : DYN;
  }

  #assign(from: Type, to: Type): boolean {
    return this.#bindings.assign([from], [to]);
  }

  #fresh(): Type {
    this.#parameters += 1;
    return param(`_var${this.#parameters - 1}`);
  }

  #mismatch(expr: Expr, expected: Type, given: Type): void {
    this.#problem(expr, `expected type '${formatType(expected)}' but found '${formatType(given)}'`);
  }

  #undeclared(expr: Expr, name: string): Type {
    return this.#problem(expr, `undeclared reference to '${name}' (in container '')`);
  }

  #problem({ at }: { readonly at: number }, message: string): Type {
    this.problems.push({ at, message });
    return ERROR;
  }
}

function typeOfConstant(value: Constant): Type {
  if (value === null) return NULL;
  if (value instanceof Uint) return UINT;
  if (value instanceof Uint8Array) return BYTES;
  const types = { boolean: BOOL, bigint: INT, number: DOUBLE, string: STRING } as const;
  return types[typeof value as keyof typeof types];
}

const partsByType = new WeakMap<Type, number>();

function partsOf(type: Type): number {
  if (type.params.length === 0) return 1;
  const known = partsByType.get(type);
  if (known !== undefined) return known;
  const parts = type.params.reduce((sum, inner) => sum + partsOf(inner), 1);
  partsByType.set(type, parts);
  return parts;
}
