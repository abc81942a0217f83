/**
 * What kube-apiserver refuses in a ResourceSlice, in its own words and order, and what it makes of one.
 * @see k8s.io/kubernetes pkg/apis/resource/validation/validation.go and pkg/registry/resource/resourceslice/strategy.go at
 *   v1.36
 */
import { type FieldProblem, invalidValue, required, tooLong } from '../../k8s/field-problems.ts';
import { nameOf } from '../../k8s/meta.ts';
import { DNS_LABEL, DNS_SUBDOMAIN } from '../../k8s/name-rules.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { age, type CellsByKind } from '../cells.ts';
import { isSet, list, nameFaults, number, requiredName } from '../field-checks.ts';
import { nodeSelectorProblems, shownTerm } from '../node-selector.ts';
import type { OwnKind } from '../own-kind.ts';
import { IMMUTABLE } from '../storage/csi-driver.ts';
import { driverNameProblems } from '../storage/csi-node.ts';
import { setProblems } from './checks.ts';
import { counterProblems, deviceProblems, named } from './device.ts';

const GROUP = 'resource.k8s.io';
const MAX_POOL = 253;
const MAX_DEVICES = 128;
const MAX_DEVICES_OF_MORE = 64;
const MAX_SETS = 8;
const CHOICES = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'];
const ONE_OF = `exactly one of ${CHOICES.map((field) => `\`${field}\``).join(', ')} is required`;

export const RESOURCE_KINDS: readonly OwnKind[] = [
  {
    group: GROUP,
    resource: 'resourceslices',
    kind: 'ResourceSlice',
    unconditionalUpdate: true,
    problems: resourceSliceProblems,
    defaults: dropSwitchedOff,
  },
];

export const RESOURCE_CELLS: CellsByKind = [
  [
    `${GROUP}/resourceslices`,
    (slice, nowMs) => {
      const spec = child(slice, 'spec');
      const pool = text(child(spec, 'pool'), 'name');
      return [nameOf(slice), text(spec, 'nodeName'), text(spec, 'driver'), pool, age(slice, nowMs)];
    },
  ],
];

/** Fields of features that are off unless somebody switches them on: the API server drops them. */
function dropSwitchedOff(slice: JsonObject): void {
  for (const device of list(child(slice, 'spec'), 'devices')) {
    delete device['nodeAllocatableResourceMappings'];
    for (const attribute of Object.values(child(device, 'attributes')) as JsonObject[]) {
      for (const field of ['bools', 'ints', 'strings', 'versions']) delete attribute?.[field];
    }
    // When a taint was added is filled in by who reads it for the first time.
    for (const taint of list(device, 'taints')) taint['timeAdded'] ??= new Date().toISOString().replace(/\.\d+/, '');
  }
}

function resourceSliceProblems(slice: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const spec = child(slice, 'spec');
  const before = previous && child(previous, 'spec');
  const devices = list(spec, 'devices');
  const counterSets = list(spec, 'sharedCounters');
  const hasMore = devices.some((device) => isFull(device, 'taints') || isFull(device, 'consumesCounters'));
  const stored = new Map(list(before ?? {}, 'devices').map((device) => [text(device, 'name'), device]));
  const choosesNodes = spec['perDeviceNodeSelection'] === true;
  return [
    ...driverNameProblems(text(spec, 'driver'), 'spec.driver'),
    ...poolProblems(child(spec, 'pool'), 'spec.pool'),
    ...(before === undefined ? [] : changeProblems(spec, before)),
    ...nodeProblems(spec),
    ...(isSet(spec, 'sharedCounters') && isSet(spec, 'devices')
      ? [invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed')]
      : []),
    ...setProblems(
      devices,
      hasMore ? MAX_DEVICES_OF_MORE : MAX_DEVICES,
      'spec.devices',
      (device, path) => deviceProblems(device, stored.get(text(device, 'name')), choosesNodes, path),
      (device) => text(device, 'name'),
    ),
    ...setProblems(counterSets, MAX_SETS, 'spec.sharedCounters', counterSetProblems, (set) => text(set, 'name')),
  ];
}

function isFull(device: JsonObject, field: string): boolean {
  return list(device, field).length > 0;
}

function poolProblems(pool: JsonObject, path: string): FieldProblem[] {
  const name = text(pool, 'name');
  const [count, generation] = [number(pool, 'resourceSliceCount') ?? 0, number(pool, 'generation') ?? 0];
  const problems: FieldProblem[] = [];
  if (name === '') problems.push(required(`${path}.name`));
  else {
    if (name.length > MAX_POOL) problems.push(tooLong(`${path}.name`, MAX_POOL));
    for (const part of name.split('/')) problems.push(...nameFaults(`${path}.name`, part, DNS_SUBDOMAIN));
  }
  if (count <= 0) problems.push(invalidValue(`${path}.resourceSliceCount`, count, 'must be greater than zero'));
  if (generation < 0) {
    problems.push(invalidValue(`${path}.generation`, generation, 'must be greater than or equal to zero'));
  }
  return problems;
}

function changeProblems(spec: JsonObject, before: JsonObject): FieldProblem[] {
  const pool = text(child(spec, 'pool'), 'name');
  const node = spec['nodeName'] ?? null;
  return [
    ...(pool === text(child(before, 'pool'), 'name') ? [] : [invalidValue('spec.pool.name', pool, IMMUTABLE)]),
    ...(text(spec, 'driver') === text(before, 'driver')
      ? []
      : [invalidValue('spec.driver', text(spec, 'driver'), IMMUTABLE)]),
    ...(node === (before['nodeName'] ?? null) ? [] : [invalidValue('spec.nodeName', node, IMMUTABLE)]),
  ];
}

function nodeProblems(spec: JsonObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const name = text(spec, 'nodeName');
  if (name !== '') problems.push(...nameFaults('spec.nodeName', name, DNS_SUBDOMAIN));
  else if (isSet(spec, 'nodeName')) {
    problems.push(invalidValue('spec.nodeName', name, 'must be either unset or set to a non-empty string'));
  }
  if (isSet(spec, 'nodeSelector')) {
    const selector = child(spec, 'nodeSelector');
    const terms = list(selector, 'nodeSelectorTerms');
    problems.push(...nodeSelectorProblems(selector, 'spec.nodeSelector'));
    if (terms.length !== 1) {
      const detail = 'must have exactly one node selector term';
      problems.push(invalidValue('spec.nodeSelector.nodeSelectorTerms', terms.map(shownTerm), detail));
    }
  }
  for (const field of ['allNodes', 'perDeviceNodeSelection']) {
    if (isSet(spec, field) && spec[field] !== true) {
      problems.push(invalidValue(`spec.${field}`, false, 'must be either unset or set to true'));
    }
  }
  const set = CHOICES.filter((field) => (field === 'nodeSelector' ? isSet(spec, field) : Boolean(spec[field])));
  if (set.length === 0) problems.push(required('spec', ONE_OF));
  else if (set.length > 1) problems.push(invalidValue('spec', named(set), `${ONE_OF}, but multiple fields are set`));
  return problems;
}

function counterSetProblems(set: JsonObject, path: string): FieldProblem[] {
  return [...requiredName(`${path}.name`, text(set, 'name'), DNS_LABEL), ...counterProblems(set, path)];
}
