/**
 * What an expression may name: variables, functions and types. An environment is data that libraries are folded into;
 * it never changes once it is made.
 */
import { type Type, typeOf } from './types.ts';
import type { Value } from './values.ts';

/** What a function is told of the run that calls it. */
export interface CallContext {
  /** Counts work that the cost of a call does not cover. @throws {CostExceeded} */
  spend(cost: number): void;
}

export interface Overload {
  readonly id: string;
  /** Called as `x.f(y)`; its first argument is then `x`. */
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  /** @throws {EvaluationError} */
  readonly run: (args: readonly Value[], context: CallContext) => Value;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** In the cost units of cel-go; left out: the default of its kind. */
  readonly cost?: ((args: readonly Value[], result: Value, overload: string) => number) | undefined;
}

/** Structs that expressions may read or make. */
export interface StructType {
  readonly type: Type;
  /** The type of a field; undefined when there is none. */
  field(name: string): Type | undefined;
  /** Makes one of it; left out for structs that are only read. @throws {EvaluationError} */
  readonly create?: ((fields: ReadonlyMap<string, Value>) => Value) | undefined;
}

/** Looks a struct up by its name. Where names are endless, by rule. */
export type StructTypes = (name: string) => StructType | undefined;

export interface Library {
  readonly functions?: readonly FunctionDeclaration[];
  readonly types?: readonly Type[];
  readonly structs?: StructTypes;
  readonly variables?: Readonly<Record<string, Type>>;
}

export interface Environment {
  readonly variables: ReadonlyMap<string, Type>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  /** Names that are types: `int`, `kubernetes.Quantity`. */
  readonly types: ReadonlyMap<string, Type>;
  readonly structs: StructTypes;
}

const EMPTY: Environment = { variables: new Map(), functions: new Map(), types: new Map(), structs: () => undefined };

/** The base with everything of the libraries. Overloads of one function from several libraries add up. */
export function extend(base: Environment | undefined, ...libraries: readonly Library[]): Environment {
  const { variables, functions, types, structs } = base ?? EMPTY;
  const draft = { variables: new Map(variables), functions: new Map(functions), types: new Map(types) };
  let lookUp = structs;
  for (const library of libraries) {
    for (const [name, type] of Object.entries(library.variables ?? {})) draft.variables.set(name, type);
    for (const type of library.types ?? []) draft.types.set(type.name, typeOf(type));
    for (const declared of library.functions ?? [])
      draft.functions.set(declared.name, merge(draft.functions, declared));
    if (library.structs !== undefined) lookUp = either(library.structs, lookUp);
  }
  return { ...draft, structs: lookUp };
}

function merge(known: ReadonlyMap<string, FunctionDeclaration>, more: FunctionDeclaration): FunctionDeclaration {
  const before = known.get(more.name);
  if (before === undefined) return more;
  return { name: more.name, overloads: [...before.overloads, ...more.overloads], cost: more.cost ?? before.cost };
}

function either(first: StructTypes, second: StructTypes): StructTypes {
  return (name) => first(name) ?? second(name);
}
