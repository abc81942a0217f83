/**
 * Which type may stand where another is expected, and what type parameters then mean.
 * @see github.com/google/cel-go checker/types.go at v0.26
 */
import { DYN, isExactly, type Type } from './types.ts';

/** What type parameters stand for. Parameters of one expression all have names of their own. */
export class Bindings {
  readonly #types = new Map<string, Type>();
  /** What was set since a trial began, to be taken back when it fails. */
  #trial: Array<readonly [name: string, before: Type | undefined]> = [];

  get(name: string): Type | undefined {
    return this.#types.get(name);
  }

  set(name: string, type: Type): void {
    this.#trial.push([name, this.#types.get(name)]);
    this.#types.set(name, type);
  }

  /** May each of these stand for its counterpart? What parameters then mean is kept only if so. */
  assign(from: readonly Type[], to: readonly Type[]): boolean {
    this.#trial = [];
    if (areAssignable(this, from, to)) return true;
    for (const [name, before] of this.#trial.toReversed()) {
      if (before === undefined) this.#types.delete(name);
      else this.#types.set(name, before);
    }
    return false;
  }
}

/** Replaces parameters by what they stand for; unbound ones stay, or become dyn. */
export function substitute(bindings: Bindings, type: Type, unboundIsDyn = false): Type {
  if (type.kind === 'param') {
    const bound = bindings.get(type.name);
    if (bound !== undefined) return substitute(bindings, bound, unboundIsDyn);
    return unboundIsDyn ? DYN : type;
  }
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((inner) => substitute(bindings, inner, unboundIsDyn)) };
}

/** Of two types of which one may stand for the other, the one that says less. */
export function mostGeneral(a: Type, b: Type): Type {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === 'param') return true;
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((inner, index) => isLessSpecific(inner, b.params[index] as Type));
}

function areAssignable(bindings: Bindings, from: readonly Type[], to: readonly Type[]): boolean {
  return from.length === to.length && from.every((type, index) => isAssignable(bindings, type, to[index] as Type));
}

function isAssignable(bindings: Bindings, a: Type, b: Type): boolean {
  if (b.kind === 'param') {
    const [valid, bound] = tryBind(bindings, a, b);
    if (valid || bound) return valid;
  }
  if (a.kind === 'param') return tryBind(bindings, b, a)[0];
  if (isDyn(a) || isDyn(b)) return true;
  if (a.kind === 'null') return isNullable(b);
  if (b.kind === 'null') return isNullable(a);
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'type':
      return true;
    case 'list':
    case 'map':
    case 'opaque':
      return a.name === b.name && areAssignable(bindings, a.params, b.params);
    default:
      return a.name === b.name;
  }
}

/** @returns whether `type` may be what the parameter stands for, and whether it stood for something before */
function tryBind(bindings: Bindings, type: Type, parameter: Type): readonly [valid: boolean, bound: boolean] {
  if (isExactly(type, parameter)) return [true, true];
  const bound = bindings.get(parameter.name);
  if (bound !== undefined) {
    if (isExactly(type, bound)) return [true, true];
    if (!isAssignable(bindings, type, bound)) return [false, true];
    const general = mostGeneral(type, bound);
    if (isFreeOf(bindings, parameter, general)) bindings.set(parameter.name, general);
    return [true, true];
  }
  if (!isFreeOf(bindings, parameter, type)) return [false, false];
  bindings.set(parameter.name, type);
  return [true, false];
}

/** The occurs check: a parameter never stands for something that it is in itself. */
function isFreeOf(bindings: Bindings, parameter: Type, type: Type): boolean {
  if (isExactly(parameter, type)) return false;
  if (type.kind === 'param') {
    const bound = bindings.get(type.name);
    return bound === undefined || isFreeOf(bindings, parameter, bound);
  }
  return type.params.every((inner) => isFreeOf(bindings, parameter, inner));
}

function isNullable({ kind }: Type): boolean {
  return ['null', 'opaque', 'struct', 'timestamp', 'duration'].includes(kind);
}

function isDyn({ kind }: Type): boolean {
  return kind === 'dyn' || kind === 'error';
}
