/**
 * What kube-apiserver refuses in a CSINode, in its own words and order.
 * @see k8s.io/kubernetes pkg/apis/storage/validation/validation.go at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import { duplicate, type FieldProblem, invalidValue, required, tooLong } from '../../k8s/field-problems.ts';
import { DNS_SUBDOMAIN, nameProblems } from '../../k8s/name-rules.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { list, number, qualifiedNameFaults, words } from '../field-checks.ts';
import { IMMUTABLE } from './csi-driver.ts';

const MAX_DRIVER_NAME = 63;
const MAX_NODE_ID = 192;

export function csiNodeProblems(node: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const drivers = driversOf(node);
  const names = drivers.map((driver) => text(driver, 'name'));
  const problems = drivers.flatMap((driver, at) => {
    const path = `spec.drivers[${at}]`;
    const name = names[at] ?? '';
    return [
      ...driverNameProblems(name, `${path}.name`),
      ...nodeIdProblems(text(driver, 'nodeID'), `${path}.nodeID`),
      ...countProblems(driver, `${path}.allocatable.count`),
      ...(names.indexOf(name) < at ? [duplicate(`${path}.name`, name)] : []),
      ...topologyProblems(words(driver, 'topologyKeys'), path),
    ];
  });
  if (previous === undefined) return problems;
  for (const stored of driversOf(previous)) {
    for (const driver of drivers) {
      if (text(stored, 'name') !== text(driver, 'name')) continue;
      if (!isDeepStrictEqual(fixed(driver), fixed(stored))) {
        problems.push(invalidValue('spec.drivers', fixed(driver), IMMUTABLE));
      }
    }
  }
  return problems;
}

/** Also of what attaches volumes. */
export function driverNameProblems(name: string, field: string): FieldProblem[] {
  if (name === '') return [required(field)];
  return [
    ...(name.length > MAX_DRIVER_NAME ? [tooLong(field, MAX_DRIVER_NAME)] : []),
    ...nameProblems(name.toLowerCase(), DNS_SUBDOMAIN).map((why) => invalidValue(field, name, why)),
  ];
}

function driversOf(node: JsonObject): JsonObject[] {
  return list(child(node, 'spec'), 'drivers');
}

/** What of a driver can never change. */
function fixed(driver: JsonObject): JsonObject {
  const { allocatable: _allocatable, ...rest } = driver;
  return rest;
}

function nodeIdProblems(id: string, field: string): FieldProblem[] {
  if (id === '') return [required(field)];
  return id.length > MAX_NODE_ID ? [invalidValue(field, id, `must be ${MAX_NODE_ID} characters or less`)] : [];
}

function countProblems(driver: JsonObject, field: string): FieldProblem[] {
  const count = number(child(driver, 'allocatable'), 'count') ?? 0;
  return count < 0 ? [invalidValue(field, count, 'must be greater than or equal to 0')] : [];
}

function topologyProblems(keys: readonly string[], path: string): FieldProblem[] {
  return keys.flatMap((key, at) => [
    ...(key === '' ? [required(path)] : []),
    ...(keys.indexOf(key) < at ? [duplicate(path, key)] : []),
    ...qualifiedNameFaults(path, key),
  ]);
}
