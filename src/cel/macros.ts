/**
 * Macros: calls that become other trees before anything is checked. `has`, the comprehensions with one variable and
 * with two, `cel.bind`'s kin for optionals.
 *
 * No macro copies one of its parts: nested, copies would grow with the power of the depth.
 *
 * @see github.com/google/cel-go parser/macro.go, ext/comprehensions.go, cel/library.go (optMap) at v0.26
 */
import type { CallNode, Expr, FoldNode } from './ast.ts';
import { SyntaxProblem } from './lexer.ts';
import type { NodeFactory } from './node-factory.ts';

const ACCUMULATOR = '@result';
const RESERVED_ACCUMULATOR = '__result__';

interface Expansion {
  readonly at: number;
  readonly target: Expr;
  readonly args: readonly Expr[];
  readonly make: NodeFactory;
}

/** What a comprehension does with each element. */
type FoldParts = Pick<FoldNode, 'init' | 'condition' | 'step' | 'result'>;

/**
 * The tree that the call stands for; undefined when it is no macro.
 * @throws {SyntaxProblem}
 */
export function expandMacro(call: CallNode, make: NodeFactory): Expr | undefined {
  const { name, target, args, at } = call;
  if (target === undefined) return name === 'has' && args.length === 1 ? has(at, args[0] as Expr, make) : undefined;
  const key = `${name}/${args.length}`;
  const expand = RECEIVER_MACROS.get(key);
  return expand?.({ at, target, args, make });
}

function has(at: number, arg: Expr, make: NodeFactory): Expr {
  if (arg.is !== 'select') throw new SyntaxProblem({ at: arg.at, message: 'invalid argument to has() macro' });
  return make.select(at, arg.operand, arg.field, true);
}

/** @param body the predicate, or [filter,] transform */
type Body = (expansion: Expansion, body: readonly Expr[], variables: readonly string[]) => FoldParts;

/** One iteration variable; `complaint` is what is said of one that is no name. */
function oneVariable(body: Body, complaint: string) {
  return (expansion: Expansion): Expr => {
    const { at, target, args, make } = expansion;
    const variable = variableOf(args[0] as Expr, complaint);
    const parts = body(expansion, args.slice(1), [variable]);
    return make.fold(at, { range: target, variable, variable2: undefined, accumulator: ACCUMULATOR, ...parts });
  };
}

function twoVariables(body: Body) {
  return (expansion: Expansion): Expr => {
    const { at, target, args, make } = expansion;
    const [first, second] = args as [Expr, Expr];
    const [variable, variable2] = [first, second].map((arg) => nameOf(arg, 'argument must be a simple name')) as [
      string,
      string,
    ];
    if (variable === variable2) {
      throw new SyntaxProblem({ at: second.at, message: `duplicate variable name: ${variable}` });
    }
    refuseAccumulator(variable, first);
    refuseAccumulator(variable2, second);
    const parts = body(expansion, args.slice(2), [variable, variable2]);
    return make.fold(at, { range: target, variable, variable2, accumulator: ACCUMULATOR, ...parts });
  };
}

function variableOf(arg: Expr, complaint: string): string {
  const name = nameOf(arg, complaint);
  refuseAccumulator(name, arg);
  return name;
}

function nameOf(arg: Expr, complaint: string): string {
  if (arg.is !== 'ident') throw new SyntaxProblem({ at: arg.at, message: complaint });
  return arg.name;
}

function refuseAccumulator(name: string, { at }: Expr): void {
  if (name !== ACCUMULATOR && name !== RESERVED_ACCUMULATOR) return;
  throw new SyntaxProblem({ at, message: 'iteration variable overwrites accumulator variable' });
}

const all: Body = ({ at, make }, [predicate]) => ({
  init: make.constant(at, true),
  condition: make.call(at, '@not_strictly_false', [make.ident(at, ACCUMULATOR)]),
  step: make.call(at, '_&&_', [make.ident(at, ACCUMULATOR), predicate as Expr]),
  result: make.ident(at, ACCUMULATOR),
});

const exists: Body = ({ at, make }, [predicate]) => ({
  init: make.constant(at, false),
  condition: make.call(at, '@not_strictly_false', [make.call(at, '!_', [make.ident(at, ACCUMULATOR)])]),
  step: make.call(at, '_||_', [make.ident(at, ACCUMULATOR), predicate as Expr]),
  result: make.ident(at, ACCUMULATOR),
});

const existsOne: Body = ({ at, make }, [predicate]) => ({
  init: make.constant(at, 0n),
  condition: make.constant(at, true),
  step: make.call(at, '_?_:_', [
    predicate as Expr,
    make.call(at, '_+_', [make.ident(at, ACCUMULATOR), make.constant(at, 1n)]),
    make.ident(at, ACCUMULATOR),
  ]),
  result: make.call(at, '_==_', [make.ident(at, ACCUMULATOR), make.constant(at, 1n)]),
});

/** `map` and `transformList`: what is collected, of those that a filter before it lets pass. */
const collect: Body = (expansion, body) => {
  const { at, make } = expansion;
  const item = body.at(-1) as Expr;
  const step = make.call(at, '_+_', [make.ident(at, ACCUMULATOR), make.list(at, [item])]);
  return folded(expansion, make.list(at, []), step, body.length === 2 ? body[0] : undefined);
};

const filter: Body = (expansion, [predicate], [variable]) => {
  const { at, make } = expansion;
  const item = make.ident(at, variable as string);
  const step = make.call(at, '_+_', [make.ident(at, ACCUMULATOR), make.list(at, [item])]);
  return folded(expansion, make.list(at, []), step, predicate);
};

const transformMap: Body = (expansion, body, [key]) => {
  const { at, make } = expansion;
  const value = body.at(-1) as Expr;
  const step = make.call(at, 'cel.@mapInsert', [make.ident(at, ACCUMULATOR), make.ident(at, key as string), value]);
  return folded(expansion, make.map(at, []), step, body.length === 2 ? body[0] : undefined);
};

const transformMapEntry: Body = (expansion, body) => {
  const { at, make } = expansion;
  const step = make.call(at, 'cel.@mapInsert', [make.ident(at, ACCUMULATOR), body.at(-1) as Expr]);
  return folded(expansion, make.map(at, []), step, body.length === 2 ? body[0] : undefined);
};

function folded({ at, make }: Expansion, init: Expr, step: Expr, predicate: Expr | undefined): FoldParts {
  const accumulator = () => make.ident(at, ACCUMULATOR);
  return {
    init,
    condition: make.constant(at, true),
    step: predicate === undefined ? step : make.call(at, '_?_:_', [predicate, step, accumulator()]),
    result: accumulator(),
  };
}

/** `optional.optMap(x, f(x))`: a fold over nothing, whose accumulator is the variable. */
function optionalMap(name: string, wraps: boolean) {
  return ({ at, target, args, make }: Expansion): Expr => {
    const variable = nameOf(args[0] as Expr, `${name}() variable name must be a simple identifier`);
    const held = '@optional';
    const bind = (accumulator: string, init: Expr, result: Expr): Expr =>
      make.fold(at, {
        range: make.list(at, []),
        variable: '#unused',
        variable2: undefined,
        accumulator,
        init,
        condition: make.constant(at, false),
        step: make.ident(at, accumulator),
        result,
      });
    const value = bind(variable, make.call(at, 'value', [], make.ident(at, held)), args[1] as Expr);
    return bind(
      held,
      target,
      make.call(at, '_?_:_', [
        make.call(at, 'hasValue', [], make.ident(at, held)),
        wraps ? make.call(at, 'optional.of', [value]) : value,
        make.call(at, 'optional.none', []),
      ]),
    );
  };
}

/** `list.sortBy(x, key(x))`: the keys are worked out beside the list, which is named but once. */
function sortBy({ at, target, args, make }: Expansion): Expr {
  const input = '@__sortBy_input__';
  const keys = oneVariable(collect, 'argument is not an identifier')({ at, target: make.ident(at, input), args, make });
  return make.fold(at, {
    range: make.list(at, []),
    variable: '#unused',
    variable2: undefined,
    accumulator: input,
    init: target,
    condition: make.constant(at, false),
    step: make.ident(at, input),
    result: make.call(at, '@sortByAssociatedKeys', [keys], make.ident(at, input)),
  });
}

const RECEIVER_MACROS: ReadonlyMap<string, (expansion: Expansion) => Expr> = new Map([
  ['all/2', oneVariable(all, 'argument must be a simple name')],
  ['exists/2', oneVariable(exists, 'argument must be a simple name')],
  ['exists_one/2', oneVariable(existsOne, 'argument must be a simple name')],
  ['existsOne/2', oneVariable(existsOne, 'argument must be a simple name')],
  ['map/2', oneVariable(collect, 'argument is not an identifier')],
  ['map/3', oneVariable(collect, 'argument is not an identifier')],
  ['filter/2', oneVariable(filter, 'argument is not an identifier')],
  ['all/3', twoVariables(all)],
  ['exists/3', twoVariables(exists)],
  ['existsOne/3', twoVariables(existsOne)],
  ['transformList/3', twoVariables(collect)],
  ['transformList/4', twoVariables(collect)],
  ['transformMap/3', twoVariables(transformMap)],
  ['transformMap/4', twoVariables(transformMap)],
  ['transformMapEntry/3', twoVariables(transformMapEntry)],
  ['transformMapEntry/4', twoVariables(transformMapEntry)],
  ['sortBy/2', sortBy],
  ['optMap/2', optionalMap('optMap', true)],
  ['optFlatMap/2', optionalMap('optFlatMap', false)],
]);
