/**
 * What kube-apiserver refuses in the capacities of a device, and in how much of one may be asked for.
 * @see k8s.io/kubernetes pkg/apis/resource/validation/validation.go (validateRequestPolicy) at v1.36
 */
import { type FieldProblem, forbiddenField, invalidValue, required } from '../../k8s/field-problems.ts';
import { canonicalQuantity, parseQuantity, wholeQuantity } from '../../k8s/quantity.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet, words } from '../field-checks.ts';
import { setProblems } from './checks.ts';

const MAX_VALUES = 10;

interface Amount {
  /** As the API server prints it. */
  readonly text: string;
  readonly nanos: bigint;
}

/** @param isShared whether several claims may have a part of the device */
export function capacityProblems(capacity: JsonObject, isShared: boolean, path: string): FieldProblem[] {
  if (!isSet(capacity, 'requestPolicy')) return [];
  if (!isShared) return [forbiddenField(`${path}.requestPolicy`, 'allowMultipleAllocations must be true')];
  return policyProblems(child(capacity, 'requestPolicy'), amount(text(capacity, 'value')), `${path}.requestPolicy`);
}

function policyProblems(policy: JsonObject, all: Amount, path: string): FieldProblem[] {
  const values = words(policy, 'validValues');
  const hasRange = isSet(policy, 'validRange');
  if (values.length > 0 && hasRange) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbiddenField(path, detail)];
  }
  const field = values.length > 0 ? 'validValues' : 'validRange';
  if (values.length === 0 && !hasRange) return [];
  if (!isSet(policy, 'default')) return [required(`${path}.default`, `required when ${field} is defined`)];
  const chosen = amount(text(policy, 'default'));
  return values.length > 0
    ? valuesProblems(chosen, all, values.map(amount), `${path}.validValues`)
    : rangeProblems(chosen, all, child(policy, 'validRange'), `${path}.validRange`);
}

function valuesProblems(chosen: Amount, all: Amount, values: readonly Amount[], path: string): FieldProblem[] {
  const unsorted = values.flatMap((value, at) => {
    const before = values[at - 1];
    const isLess = before !== undefined && before.nanos > value.nanos;
    return isLess ? [invalidValue(`${path}[${at}]`, value.text, 'values must be sorted in ascending order')] : [];
  });
  const tooLarge = (value: Amount, field: string) =>
    value.nanos > all.nanos
      ? [invalidValue(field, value.text, `option is larger than capacity value: ${all.text}`)]
      : [];
  // Looked for while the values are, so not at all where there are too many.
  const isFound = values.length <= MAX_VALUES && values.some(({ nanos }) => nanos === chosen.nanos);
  const detail = 'default value is not valid according to the requestPolicy';
  return [
    ...unsorted,
    ...setProblems(values, MAX_VALUES, path, tooLarge, ({ nanos }) => String(wholeQuantity(nanos))),
    ...(isFound ? [] : [invalidValue(path, chosen.text, detail)]),
  ];
}

function rangeProblems(chosen: Amount, all: Amount, range: JsonObject, path: string): FieldProblem[] {
  if (!isSet(range, 'min')) return [required(`${path}.min`, 'required when validRange is defined')];
  const min = amount(text(range, 'min'));
  const max = isSet(range, 'max') ? amount(text(range, 'max')) : undefined;
  const problems: FieldProblem[] = [];
  const refuse = (field: string, value: Amount, detail: string, when: boolean) => {
    if (when) problems.push(invalidValue(`${path}.${field}`, value.text, detail));
  };
  refuse('min', min, `min is larger than capacity value: ${all.text}`, min.nanos > all.nanos);
  refuse('min', chosen, `default is less than min: ${min.text}`, chosen.nanos < min.nanos);
  if (max !== undefined) {
    refuse('max', min, `min is larger than max: ${max.text}`, min.nanos > max.nanos);
    refuse('max', max, `max is larger than capacity value: ${all.text}`, max.nanos > all.nanos);
    refuse('max', chosen, `default is more than max: ${max.text}`, chosen.nanos > max.nanos);
  }
  if (!isSet(range, 'step')) return problems;
  const step = amount(text(range, 'step'));
  const next = amountOf(min.nanos + step.nanos, text(range, 'min'));
  refuse('step', step, `one step ${next.text} is larger than capacity value: ${all.text}`, next.nanos > all.nanos);
  for (const value of max === undefined ? [chosen] : [chosen, max]) {
    const rest = (wholeQuantity(value.nanos) - wholeQuantity(min.nanos)) % wholeQuantity(step.nanos);
    refuse('step', value, `value is not a multiple of a given step (${step.text}) from (${min.text})`, rest !== 0n);
  }
  return problems;
}

function amount(written: string): Amount {
  return { text: canonicalQuantity(written), nanos: parseQuantity(written) ?? 0n };
}

/** In the units of another one. */
function amountOf(nanos: bigint, like: string): Amount {
  const unit = /i$/.test(like) ? 'Ki' : '';
  // A multiple of the unit prints as itself; anything else in decimal units, as it is printed in any case.
  const isWhole = unit !== '' && nanos % (1024n * 1_000_000_000n) === 0n;
  const written = isWhole ? `${nanos / (1024n * 1_000_000_000n)}Ki` : `${nanos}n`;
  return amount(written);
}
