/**
 * How kinds of flowcontrol.apiserver.k8s.io are printed.
 * @see k8s.io/kubernetes pkg/printers/internalversion/printers.go at v1.36
 */
import { nameOf } from '../../k8s/meta.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { age, type CellsByKind } from '../cells.ts';
import { isSet, list, number } from '../field-checks.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const NONE = '<none>';

export const FLOW_CELLS: CellsByKind = [
  [`${GROUP}/flowschemas`, flowSchema],
  [`${GROUP}/prioritylevelconfigurations`, priorityLevel],
];

function flowSchema(schema: JsonObject, nowMs: number) {
  const spec = child(schema, 'spec');
  const dangling = list(child(schema, 'status'), 'conditions').find(({ type }) => type === 'Dangling');
  return [
    nameOf(schema),
    text(child(spec, 'priorityLevelConfiguration'), 'name'),
    number(spec, 'matchingPrecedence') ?? 0,
    isSet(spec, 'distinguisherMethod') ? text(child(spec, 'distinguisherMethod'), 'type') : NONE,
    age(schema, nowMs),
    dangling === undefined ? '?' : text(dangling, 'status'),
  ];
}

function priorityLevel(level: JsonObject, nowMs: number) {
  const spec = child(level, 'spec');
  const limited = child(spec, 'limited');
  const response = child(limited, 'limitResponse');
  const queued = (key: string) => (isSet(response, 'queuing') ? (number(child(response, 'queuing'), key) ?? 0) : NONE);
  return [
    nameOf(level),
    text(spec, 'type'),
    isSet(spec, 'limited') ? (number(limited, 'nominalConcurrencyShares') ?? 0) : NONE,
    queued('queues'),
    queued('handSize'),
    queued('queueLengthLimit'),
    age(level, nowMs),
  ];
}
