/** What every scenario is given, and what it must be. */
import type { Figure } from './figures.ts';
import type { Lab } from './lab.ts';

export interface Bench {
  /** Small numbers everywhere: shows that the scenario runs; its figures mean nothing. */
  readonly quick: boolean;
  /** How many tenants the scenarios of many tenants make. */
  readonly tenants: number;
  /** Where CPU profiles of the proxy go; none are taken when undefined. */
  readonly profileFolder: string | undefined;
  progress(line: string): void;
}

export interface Scenario {
  /** On the command line, and the name of its file of results. */
  readonly name: string;
  readonly title: string;
  run(lab: Lab, bench: Bench): Promise<Figure[]>;
}
