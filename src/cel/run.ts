/**
 * What one run of an expression may cost, in the units of cel-go, and how long it may take. Nothing else happens in the
 * process while an expression runs, so both are hard limits: an expression of one tenant never holds up another for
 * longer.
 */
import type { CallContext } from './environment.ts';
import { CostExceeded, type EvaluationError } from './evaluation-error.ts';
import type { Value } from './values.ts';

/** Units between two looks at the clock: well below a millisecond of work. */
const UNITS_BETWEEN_LOOKS = 2_000;

/** Variables by name; undefined for one that is not there. */
export type Variables = (name: string) => Value | undefined;

/** A node of the tree, ready to run. */
export type Step = (run: RunState) => Value;

export interface Budget {
  readonly cost: number;
  /** Of CPU. */
  readonly ms: number;
}

export class RunState implements CallContext {
  readonly variables: Variables;
  /** Variables of folds, by the place that the planner gave them. */
  readonly locals: Array<Value | EvaluationError> = [];
  readonly #budget: Budget;
  readonly #startedAt = process.threadCpuUsage();
  #cost = 0;
  #nextLook = UNITS_BETWEEN_LOOKS;
  #work = 0;

  constructor(variables: Variables, budget: Budget) {
    this.variables = variables;
    this.#budget = budget;
  }

  get cost(): number {
    return this.#cost;
  }

  /** What this thread has worked since the run began: a busy machine makes no expression fail. */
  cpuMs(): number {
    const { user, system } = process.threadCpuUsage(this.#startedAt);
    return (user + system) / 1000;
  }

  spend(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#budget.cost) throw new CostExceeded();
    this.work(cost);
  }

  /** Counts what takes time and costs nothing, such as a turn of a fold. */
  work(units: number): void {
    this.#work += units;
    if (this.#work < this.#nextLook) return;
    this.#nextLook = this.#work + UNITS_BETWEEN_LOOKS;
    if (this.cpuMs() > this.#budget.ms) throw new CostExceeded();
  }
}
