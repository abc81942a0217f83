/** What a scenario finds: figures, each with its goal and a word on how it was made. */

export type Unit = 'µs' | 'ms' | 's' | 'KiB' | 'ratio' | 'MiB' | 'requests' | 'watches' | 'events/s';

export interface Figure {
  /** Unique in its scenario, and the same from run to run. */
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** The most that the design allows. A figure without a goal explains another. */
  readonly goal?: number;
  /** What was measured, over how much, and what the value is of it. */
  readonly how: string;
  /** The value of each round, where there are rounds: shows how steady the figure is. */
  readonly rounds?: readonly number[];
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  readonly kubernetes: string;
}

export interface Result {
  readonly scenario: string;
  readonly date: string;
  readonly machine: Machine;
  /** Average number of programs that wanted a core in the minute before: much above 0 means a disturbed run. */
  readonly loadBefore: number;
  readonly figures: readonly Figure[];
}

/** Of programs that want a core; above it, figures are of the other programs as much as of the proxy. */
const DISTURBING_LOAD = 0.5;

export function isDisturbed(loadBefore: number): boolean {
  return loadBefore > DISTURBING_LOAD;
}

/** Three significant digits say all that a measurement on a shared machine can. */
export function shown(value: number, unit: Unit): string {
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
  return unit === 'ratio' ? text : `${text} ${unit}`;
}

/** @returns `met`, `missed`, or nothing where there is no goal */
export function verdict({ value, goal }: Figure): string {
  if (goal === undefined) return '';
  return value <= goal ? 'met' : 'missed';
}
