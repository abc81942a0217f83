/**
 * What kube-apiserver refuses in a PriorityLevelConfiguration, in its own words and order.
 * @see k8s.io/kubernetes pkg/apis/flowcontrol/validation/validation.go at v1.36
 */
import { type FieldProblem, forbiddenField, invalidValue, notSupported, required } from '../../k8s/field-problems.ts';
import { nameOf } from '../../k8s/meta.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet, number } from '../field-checks.ts';
import { fixedLevelProblems } from './fixed.ts';
import { flowConditionProblems } from './flow-schema.ts';

const TYPES = ['Exempt', 'Limited'];
const RESPONSES = ['Queue', 'Reject'];
const MAX_QUEUES = 10_000_000;
/** Bits of the hash by which requests are dealt to queues. */
const MAX_HASH_BITS = 60;

export function priorityLevelProblems(level: JsonObject): FieldProblem[] {
  const problems = specProblems(child(level, 'spec'), nameOf(level));
  return [...problems, ...fixedLevelProblems(level), ...flowConditionProblems(level)];
}

function specProblems(spec: JsonObject, name: string): FieldProblem[] {
  const type = text(spec, 'type');
  const problems: FieldProblem[] = [];
  if ((name === 'exempt') !== (type === 'Exempt')) {
    problems.push(invalidValue('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  if (type === 'Exempt') {
    if (isSet(spec, 'limited')) {
      problems.push(forbiddenField('spec.limited', 'must be nil if the type is not Limited'));
    }
    return [...problems, ...sharesProblems(child(spec, 'exempt'), 'spec.exempt')];
  }
  if (type === 'Limited') {
    if (isSet(spec, 'exempt')) problems.push(forbiddenField('spec.exempt', 'must be nil if the type is Limited'));
    if (isSet(spec, 'limited')) return [...problems, ...limitedProblems(child(spec, 'limited'), 'spec.limited')];
    return [...problems, required('spec.limited', 'must not be empty when type is Limited')];
  }
  return [...problems, type === '' ? required('spec.type') : notSupported('spec.type', type, TYPES)];
}

function limitedProblems(limited: JsonObject, path: string): FieldProblem[] {
  const borrowing = number(limited, 'borrowingLimitPercent') ?? 0;
  const [shares, percent] = [sharesProblem(limited, path), percentProblem(limited, path)];
  return [
    ...shares,
    ...responseProblems(child(limited, 'limitResponse'), `${path}.limitResponse`),
    ...percent,
    ...(borrowing < 0
      ? [invalidValue(`${path}.borrowingLimitPercent`, borrowing, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

function sharesProblems(of: JsonObject, path: string): FieldProblem[] {
  return [...sharesProblem(of, path), ...percentProblem(of, path)];
}

function sharesProblem(of: JsonObject, path: string): FieldProblem[] {
  const shares = number(of, 'nominalConcurrencyShares') ?? 0;
  if (shares >= 0) return [];
  return [invalidValue(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')];
}

function percentProblem(of: JsonObject, path: string): FieldProblem[] {
  const percent = number(of, 'lendablePercent') ?? 0;
  if (percent >= 0 && percent <= 100) return [];
  return [invalidValue(`${path}.lendablePercent`, percent, 'must be between 0 and 100, inclusive')];
}

function responseProblems(response: JsonObject, path: string): FieldProblem[] {
  const type = text(response, 'type');
  const hasQueuing = isSet(response, 'queuing');
  const field = `${path}.queuing`;
  if (type === 'Reject') {
    return hasQueuing ? [forbiddenField(field, 'must be nil if limited.limitResponse.type is not Limited')] : [];
  }
  if (type === 'Queue') {
    if (hasQueuing) return queuingProblems(child(response, 'queuing'), field);
    return [required(field, 'must not be empty if limited.limitResponse.type is Limited')];
  }
  return [type === '' ? required(`${path}.type`) : notSupported(`${path}.type`, type, RESPONSES)];
}

function queuingProblems(queuing: JsonObject, path: string): FieldProblem[] {
  const of = (key: string) => number(queuing, key) ?? 0;
  const [limit, queues, hand] = [of('queueLengthLimit'), of('queues'), of('handSize')];
  const problems: FieldProblem[] = [];
  if (limit <= 0) problems.push(invalidValue(`${path}.queueLengthLimit`, limit, 'must be positive'));
  if (queues <= 0) problems.push(invalidValue(`${path}.queues`, queues, 'must be positive'));
  else if (queues > MAX_QUEUES) {
    problems.push(invalidValue(`${path}.queues`, queues, `must not be greater than ${MAX_QUEUES}`));
  }
  const bits = Math.ceil(Math.log2(queues) * hand);
  if (hand <= 0) problems.push(invalidValue(`${path}.handSize`, hand, 'must be positive'));
  else if (hand > queues) {
    problems.push(invalidValue(`${path}.handSize`, hand, `should not be greater than queues (${queues})`));
  } else if (bits > MAX_HASH_BITS) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${MAX_HASH_BITS}`;
    problems.push(invalidValue(`${path}.handSize`, hand, detail));
  }
  return problems;
}
