/** What every scenario is given, and what it must be. */
import type { Figure } from './figures.ts';
import type { Lab } from './lab.ts';

export interface Bench {
  /** Small numbers everywhere: shows that the scenario runs; its figures mean nothing. */
  readonly quick: boolean;
  /** How many tenants the scenarios of many tenants make. */
  readonly tenants: number;
  /** How many nodes the scenario of a large cluster makes. */
  readonly nodes: number;
  /** Where CPU profiles of the proxy go; none are taken when undefined. */
  readonly profileFolder: string | undefined;
  progress(line: string): void;
}

interface Named {
  /** On the command line, and the name of its file of results. */
  readonly name: string;
  readonly title: string;
}

/** Measures the proxy in front of a control plane. */
export interface LabScenario extends Named {
  run(lab: Lab, bench: Bench): Promise<Figure[]>;
}

/** Measures a part of the proxy by itself, in the process of the bench. */
export interface PartScenario extends Named {
  runAlone(bench: Bench): Promise<Figure[]>;
}

export type Scenario = LabScenario | PartScenario;
