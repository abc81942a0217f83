/**
 * From a checked tree to functions that run it. What a run costs is counted as cel-go counts it.
 *
 * Errors are thrown; `&&`, `||`, folds and the accumulator of a fold are where they can be absorbed, as in CEL.
 *
 * @see github.com/google/cel-go interpreter/planner.go, interpretable.go at v0.26
 */
import { access, hasField } from './access.ts';
import type { CallNode, Expr, FoldNode, ListNode, MapNode, SelectNode, StructNode } from './ast.ts';
import type { Checked } from './checker.ts';
import { ACCESS_COST, LIST_COST, MAP_COST, STRUCT_COST } from './cost.ts';
import type { Environment, Overload } from './environment.ts';
import { EvaluationError, noSuchOverload } from './evaluation-error.ts';
import { fold } from './fold.ts';
import type { Step } from './run.ts';
import { fits, runtimeType } from './runtime-type.ts';
import { textOf } from './text.ts';
import { nameOfType } from './types.ts';
import { ListValue, MapValue, Optional, TypeValue, type Value } from './values.ts';

export function plan(expr: Expr, checked: Checked, environment: Environment): Step {
  return new Planner(checked, environment).plan(expr);
}

/** Result texts above the cost of their making are paid for: they can be much longer than what they are made of. */
const PER_RESULT_CHARACTER = 0.05;

class Planner {
  readonly #checked: Checked;
  readonly #environment: Environment;
  /** Names of folds from the outermost in, by place. */
  readonly #locals: string[] = [];

  constructor(checked: Checked, environment: Environment) {
    this.#checked = checked;
    this.#environment = environment;
  }

  plan(expr: Expr): Step {
    switch (expr.is) {
      case 'const': {
        const { value } = expr;
        return () => value;
      }
      case 'ident':
        return this.#variable(this.#checked.names.get(expr.id) ?? expr.name, expr.name.startsWith('.'));
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'fold':
        return this.#fold(expr);
    }
  }

  #variable(name: string, isGlobal = false): Step {
    const place = isGlobal ? -1 : this.#locals.lastIndexOf(name);
    if (place >= 0) {
      return (run) => {
        run.spend(ACCESS_COST);
        const value = run.locals[place] as Value | EvaluationError;
        if (value instanceof EvaluationError) throw value;
        return value;
      };
    }
    const type = this.#environment.types.get(name)?.params[0];
    const named = type === undefined || this.#environment.variables.has(name) ? undefined : new TypeValue(type);
    return (run) => {
      run.spend(ACCESS_COST);
      const value = named ?? run.variables(name);
      if (value === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
      return value;
    };
  }

  #select(expr: SelectNode): Step {
    const name = this.#checked.names.get(expr.id);
    if (name !== undefined) return this.#variable(name);
    const operand = this.plan(expr.operand);
    const { field } = expr;
    if (expr.test) return (run) => hasField(operand(run), field);
    return (run) => {
      const value = operand(run);
      run.spend(ACCESS_COST);
      return access(value, field);
    };
  }

  #call(expr: CallNode): Step {
    const { name, args } = expr;
    if (name === '_&&_' || name === '_||_') return this.#logic(name === '_||_', args as [Expr, Expr]);
    if (name === '_?_:_') return this.#conditional(args as [Expr, Expr, Expr]);
    if (name === '@not_strictly_false') return this.#notStrictlyFalse(args[0] as Expr);
    if (name === '_[_]' || name === '_?._' || name === '_[?_]') return this.#access(expr);
    const call = this.#checked.calls.get(expr.id);
    if (call === undefined) throw new Error(`the call of ${name} was not checked`);
    const [target] = call.target && expr.target !== undefined ? [expr.target] : [];
    if (target !== undefined && (name === 'or' || name === 'orValue') && args.length === 1) {
      return this.#optionalOr(name, target, args[0] as Expr);
    }
    const given = (target === undefined ? args : [target, ...args]).map((arg) => this.plan(arg));
    return this.#function(call.name, call.overloads, given);
  }

  #function(name: string, overloads: readonly Overload[], given: readonly Step[]): Step {
    const cost = this.#environment.functions.get(name)?.cost;
    return (run) => {
      const values = given.map((step) => step(run));
      const overload = overloads.find(({ args }) => args.every((type, index) => fits(values[index] as Value, type)));
      if (overload === undefined) throw noOverload(name, values);
      const result = overload.run(values, run);
      run.spend(cost === undefined ? 1 : cost(values, result, overload.id));
      if (typeof result === 'string' && result.length > 100) run.spend(result.length * PER_RESULT_CHARACTER);
      return result;
    };
  }

  #access({ name, args }: CallNode): Step {
    const [operand, key] = args.map((arg) => this.plan(arg)) as [Step, Step];
    const overloads = this.#environment.functions.get(name)?.overloads ?? [];
    const isOptional = name !== '_[_]';
    return (run) => {
      const value = operand(run);
      const index = key(run);
      run.spend(ACCESS_COST);
      if (!isOptional) return access(value, index);
      return (overloads[0] as Overload).run([value, index], run);
    };
  }

  /** One side that decides makes up for an error on the other. */
  #logic(decisive: boolean, [left, right]: readonly [Expr, Expr]): Step {
    const steps = [this.plan(left), this.plan(right)];
    return (run) => {
      let problem: EvaluationError | undefined;
      for (const step of steps) {
        try {
          const value = step(run);
          if (value === decisive) return decisive;
          if (typeof value !== 'boolean') problem ??= noSuchOverload();
        } catch (error) {
          if (!(error instanceof EvaluationError)) throw error;
          problem ??= error;
        }
      }
      if (problem !== undefined) throw problem;
      return !decisive;
    };
  }

  #conditional(args: readonly [Expr, Expr, Expr]): Step {
    const [condition, yes, no] = args.map((arg) => this.plan(arg)) as [Step, Step, Step];
    return (run) => {
      const value = condition(run);
      if (typeof value !== 'boolean') throw noSuchOverload();
      return (value ? yes : no)(run);
    };
  }

  #notStrictlyFalse(arg: Expr): Step {
    const step = this.plan(arg);
    return (run) => {
      run.spend(1);
      try {
        return step(run) !== false;
      } catch (error) {
        if (error instanceof EvaluationError) return true;
        throw error;
      }
    };
  }

  /** What stands after `or` is run only when it is needed. */
  #optionalOr(name: 'or' | 'orValue', target: Expr, arg: Expr): Step {
    const [first, other] = [this.plan(target), this.plan(arg)];
    return (run) => {
      const value = first(run);
      if (!(value instanceof Optional)) throw noOverload(name, [value]);
      if (value.value !== undefined) return name === 'or' ? value : value.value;
      const instead = other(run);
      if (name === 'or' && !(instead instanceof Optional)) throw noOverload(name, [value, instead]);
      return instead;
    };
  }

  #list({ elements, optional }: ListNode): Step {
    const steps = elements.map((element) => this.plan(element));
    return (run) => {
      const items = steps.map((step, index) =>
        optional.has(index) ? optionalEntry(`[${index}]`, step(run)) : step(run),
      );
      run.spend(LIST_COST);
      return new ListValue(items.filter((item) => item !== undefined));
    };
  }

  #map({ entries }: MapNode): Step {
    const steps = entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    return (run) => {
      const map = new MapValue();
      for (const { key, value, optional } of steps) {
        const name = key(run);
        const given = optional ? optionalEntry(textOf(name), value(run)) : value(run);
        if (given !== undefined) setEntry(map, name, given);
      }
      run.spend(MAP_COST);
      return map;
    };
  }

  #struct(expr: StructNode): Step {
    const create = this.#environment.structs(expr.type.replace(/^\./, ''))?.create;
    if (create === undefined) throw new Error(`the struct ${expr.type} was not checked`);
    const steps = expr.fields.map(({ field, value, optional }) => ({ field, value: this.plan(value), optional }));
    return (run) => {
      const fields = new Map<string, Value>();
      for (const { field, value, optional } of steps) {
        const given = optional ? optionalEntry(field, value(run)) : value(run);
        if (given !== undefined) fields.set(field, given);
      }
      run.spend(STRUCT_COST);
      return create(fields);
    };
  }

  #fold(expr: FoldNode): Step {
    const range = this.plan(expr.range);
    const init = this.plan(expr.init);
    const place = this.#locals.push(expr.accumulator) - 1;
    this.#locals.push(expr.variable);
    if (expr.variable2 !== undefined) this.#locals.push(expr.variable2);
    const [condition, step] = [this.plan(expr.condition), this.plan(expr.step)];
    this.#locals.length = place + 1;
    const result = this.plan(expr.result);
    this.#locals.length = place;
    return fold({ range, init, condition, step, result, place, isPair: expr.variable2 !== undefined });
  }
}

/** Undefined for none, which leaves the entry out. */
function optionalEntry(name: string, value: Value): Value | undefined {
  if (value instanceof Optional) return value.value;
  throw new EvaluationError(`cannot initialize optional entry '${name}' from non-optional value ${textOf(value)}`);
}

function setEntry(map: MapValue, key: Value, value: Value): void {
  try {
    map.set(key, value);
  } catch {
    throw new EvaluationError(`unsupported key type: ${nameOfType(runtimeType(key))}`);
  }
}

/** Operators, and what belongs to the language itself: of these cel-go does not say what they were called with. */
const PLAIN = /^(?:_.+_|[!-]_|contains|startsWith|endsWith|matches|size)$/;

function noOverload(name: string, values: readonly Value[]): EvaluationError {
  if (PLAIN.test(name)) return noSuchOverload();
  const types = values.map((value) => runtimeType(value).name);
  return new EvaluationError(`no such overload: ${name}(${types.join(', ')})`);
}
