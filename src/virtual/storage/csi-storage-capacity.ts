/**
 * What kube-apiserver refuses in a CSIStorageCapacity, in its own words and order.
 * @see k8s.io/kubernetes pkg/apis/storage/validation/validation.go at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import { type FieldProblem, invalidValue } from '../../k8s/field-problems.ts';
import { DNS_SUBDOMAIN } from '../../k8s/name-rules.ts';
import { canonicalQuantity, parseQuantity } from '../../k8s/quantity.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet, nameFaults } from '../field-checks.ts';
import { selectorProblems } from '../label-selector.ts';
import { IMMUTABLE } from './csi-driver.ts';

export function csiStorageCapacityProblems(capacity: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const amount = text(capacity, 'capacity');
  const problems = [
    ...selectorProblems(child(capacity, 'nodeTopology'), 'nodeTopology'),
    ...nameFaults('storageClassName', text(capacity, 'storageClassName'), DNS_SUBDOMAIN),
  ];
  if (isSet(capacity, 'capacity') && (parseQuantity(amount) ?? 0n) < 0n) {
    problems.push(invalidValue('capacity', canonicalQuantity(amount), 'must be greater than or equal to 0'));
  }
  return previous === undefined ? problems : [...problems, ...changeProblems(capacity, previous)];
}

function changeProblems(capacity: JsonObject, previous: JsonObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!isDeepStrictEqual(capacity['nodeTopology'] ?? null, previous['nodeTopology'] ?? null)) {
    problems.push(invalidValue('nodeTopology', capacity['nodeTopology'] ?? null, IMMUTABLE));
  }
  const name = text(capacity, 'storageClassName');
  if (name !== text(previous, 'storageClassName')) problems.push(invalidValue('storageClassName', name, IMMUTABLE));
  return problems;
}

/** Amounts are given back in the form in which the API server writes them. */
export function canonicalCapacity(capacity: JsonObject): void {
  for (const field of ['capacity', 'maximumVolumeSize']) {
    const amount = capacity[field];
    if (typeof amount === 'string') capacity[field] = canonicalQuantity(amount);
    else if (typeof amount === 'number') capacity[field] = canonicalQuantity(String(amount));
  }
}
