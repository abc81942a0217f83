/**
 * Runs a comprehension. Its accumulator may be an error, which a later turn can absorb; a list or map that it collects
 * into is its own until it is done, so that collecting makes no copies.
 *
 * @see github.com/google/cel-go interpreter/interpretable.go (evalFold) at v0.26
 */
import { EvaluationError } from './evaluation-error.ts';
import type { RunState, Step } from './run.ts';
import { runtimeType } from './runtime-type.ts';
import { ListValue, MapValue, type Value } from './values.ts';

export interface Fold {
  readonly range: Step;
  readonly init: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  /** Of the accumulator among the locals; the variables come after it. */
  readonly place: number;
  /** Two variables: index or key, and value. */
  readonly isPair: boolean;
}

/** Of one turn, besides what its steps cost: it keeps long loops of nothing within the time. */
const TURN_WORK = 5;

export function fold({ range, init, condition, step, result, place, isPair }: Fold): Step {
  return (run) => {
    const turns = turnsOver(range(run), isPair);
    const { locals } = run;
    const start = attempt(init, run);
    const isCollecting = start instanceof ListValue || start instanceof MapValue;
    // A literal may be run again, and what it gave must not be shared then.
    if (isCollecting) start.collecting = true;
    locals[place] = start;
    for (const [first, second] of turns) {
      run.work(TURN_WORK);
      locals[place + 1] = first;
      if (isPair) locals[place + 2] = second;
      if (condition(run) === false) break;
      locals[place] = attempt(step, run);
    }
    if (isCollecting) start.collecting = false;
    return result(run);
  };
}

function attempt(step: Step, run: RunState): Value | EvaluationError {
  try {
    return step(run);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

function* turnsOver(range: Value, isPair: boolean): Generator<readonly [Value, Value]> {
  if (range instanceof ListValue) {
    for (const [index, item] of range.items.entries()) yield isPair ? [BigInt(index), item] : [item, item];
  } else if (range instanceof MapValue) {
    for (const key of range.keys()) yield [key, range.get(key) ?? null];
  } else {
    throw new EvaluationError(`got '${runtimeType(range).name}', expected iterable type`);
  }
}
