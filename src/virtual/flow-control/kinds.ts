/** The kinds of flowcontrol.apiserver.k8s.io. */
import { child } from '../../k8s/read.ts';
import { isObject, type JsonObject } from '../../k8s/types.ts';
import { number } from '../field-checks.ts';
import type { OwnKind } from '../own-kind.ts';
import { flowConditionProblems, flowSchemaProblems } from './flow-schema.ts';
import { priorityLevelProblems } from './priority-level.ts';

const SHARED = { group: 'flowcontrol.apiserver.k8s.io', unconditionalUpdate: true } as const;

export const FLOW_KINDS: readonly OwnKind[] = [
  {
    ...SHARED,
    resource: 'flowschemas',
    kind: 'FlowSchema',
    problems: flowSchemaProblems,
    statusProblems: flowConditionProblems,
    defaults: (schema) => notZero(schema['spec'], { matchingPrecedence: 1000 }),
  },
  {
    ...SHARED,
    resource: 'prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    problems: priorityLevelProblems,
    statusProblems: flowConditionProblems,
    defaults: (level) => {
      const response = child(child(child(level, 'spec'), 'limited'), 'limitResponse');
      notZero(response['queuing'], { queues: 64, handSize: 8, queueLengthLimit: 50 });
    },
  },
];

/** A number that is left out or zero is the default: Go does not tell the two apart here. */
function notZero(object: JsonObject[string] | undefined, defaults: Readonly<Record<string, number>>): void {
  if (!isObject(object)) return;
  for (const [key, value] of Object.entries(defaults)) {
    if (number(object, key) === 0) object[key] = value;
  }
}
