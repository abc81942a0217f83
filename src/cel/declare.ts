/** Short forms in which libraries declare their functions. */
import type { CallContext, FunctionDeclaration, Overload } from './environment.ts';
import type { Type } from './types.ts';
import type { Value } from './values.ts';

/**
 * The implementation is written with the types that its overload declares, which are made sure of before it is called.
 * biome-ignore lint/suspicious/noExplicitAny: the table of types, not the compiler, says what the arguments are
 */
export type Run = (...args: any[]) => Value;

/** `f(x)` */
export function overload(id: string, args: readonly Type[], result: Type, run: Run): Overload {
  return { id, member: false, args, result, run: (values) => run(...values) };
}

/** `x.f(y)` */
export function member(id: string, args: readonly Type[], result: Type, run: Run): Overload {
  return { id, member: true, args, result, run: (values) => run(...values) };
}

/** Both ways of calling. */
export function both(id: string, args: readonly Type[], result: Type, run: Run): Overload[] {
  return [overload(id, args, result, run), member(`${id}_member`, args, result, run)];
}

/** One that says itself what more it costs than a call does. */
export function spending(base: Overload, run: (args: readonly Value[], context: CallContext) => Value): Overload {
  return { ...base, run };
}

export function declare(
  name: string,
  overloads: readonly Overload[],
  cost?: FunctionDeclaration['cost'],
): FunctionDeclaration {
  return { name, overloads, cost };
}
