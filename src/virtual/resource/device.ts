/**
 * What kube-apiserver refuses in a device of a ResourceSlice, in its own words and order.
 * @see k8s.io/kubernetes pkg/apis/resource/validation/validation.go (validateDevice) at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import {
  duplicate,
  type FieldProblem,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from '../../k8s/field-problems.ts';
import { DNS_LABEL, DNS_SUBDOMAIN, labelValueProblem } from '../../k8s/name-rules.ts';
import { child, text } from '../../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { isSet, list, nameFaults, qualifiedNameFaults, requiredName, words } from '../field-checks.ts';
import { nodeSelectorProblems } from '../node-selector.ts';
import { attributeProblems } from './attribute.ts';
import { capacityProblems } from './capacity.ts';
import {
  LABEL_LENGTH,
  labelProblems,
  mapProblems,
  QUALIFIED_LENGTH,
  qualifiedProblems,
  setProblems,
} from './checks.ts';

const MAX_ENTRIES = 32;
const MAX_TAINTS = 16;
const MAX_COUNTERS = 32;
const MAX_CONSUMED = 2;
const MAX_CONDITIONS = 4;
const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];
const ONE_OF =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const NONE_OF =
  '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';

/** @param previous the device of this name as it is stored @param choosesNodes each device of the slice says its nodes */
export function deviceProblems(
  device: JsonObject,
  previous: JsonObject | undefined,
  choosesNodes: boolean,
  path: string,
): FieldProblem[] {
  const [attributes, capacity] = [child(device, 'attributes'), child(device, 'capacity')];
  const entries = Object.keys(attributes).length + Object.keys(capacity).length;
  const isShared = device['allowMultipleAllocations'] === true;
  const ofMap = (field: string) => ({
    max: Number.POSITIVE_INFINITY,
    keyLength: QUALIFIED_LENGTH,
    path: `${path}.${field}`,
  });
  const whole = (value: JsonValue) => (isObject(value) ? value : {});
  return [
    ...labelProblems(text(device, 'name'), `${path}.name`),
    ...(entries > MAX_ENTRIES
      ? [invalidValue(path, entries, `the total number of attributes and capacities must not exceed ${MAX_ENTRIES}`)]
      : []),
    ...mapProblems(attributes, ofMap('attributes'), qualifiedProblems, (value, at) =>
      attributeProblems(whole(value), at),
    ),
    ...mapProblems(capacity, ofMap('capacity'), qualifiedProblems, (value, at) =>
      capacityProblems(whole(value), isShared, at),
    ),
    ...taintsProblems(device, previous, `${path}.taints`),
    ...setProblems(
      list(device, 'consumesCounters'),
      MAX_CONSUMED,
      `${path}.consumesCounters`,
      consumedProblems,
      (one) => text(one, 'counterSet'),
    ),
    ...nodeProblems(device, choosesNodes, path),
    ...conditionProblems(device, path),
  ];
}

/** Counters by name, of a set or of what a device takes of one. */
export function counterProblems(of: JsonObject, path: string): FieldProblem[] {
  const counters = child(of, 'counters');
  if (Object.keys(counters).length === 0) return [required(`${path}.counters`)];
  const where = { max: MAX_COUNTERS, keyLength: LABEL_LENGTH, path: `${path}.counters` };
  // Any amount will do.
  return mapProblems(counters, where, labelProblems, () => []);
}

function consumedProblems(consumed: JsonObject, path: string): FieldProblem[] {
  return [
    ...requiredName(`${path}.counterSet`, text(consumed, 'counterSet'), DNS_LABEL),
    ...counterProblems(consumed, path),
  ];
}

function taintsProblems(device: JsonObject, previous: JsonObject | undefined, path: string): FieldProblem[] {
  const taints = list(device, 'taints');
  if (previous !== undefined && isDeepStrictEqual(list(previous, 'taints'), taints)) return [];
  if (taints.length > MAX_TAINTS) return [tooMany(path, taints.length, MAX_TAINTS)];
  return taints.flatMap((taint, at) => taintProblems(taint, `${path}[${at}]`));
}

function taintProblems(taint: JsonObject, path: string): FieldProblem[] {
  const [value, effect] = [text(taint, 'value'), text(taint, 'effect')];
  const valueProblem = labelValueProblem(value);
  const problems = qualifiedNameFaults(`${path}.key`, text(taint, 'key'));
  if (valueProblem !== undefined) problems.push(invalidValue(`${path}.value`, value, valueProblem));
  if (effect === '') problems.push(required(`${path}.effect`));
  else if (!EFFECTS.includes(effect)) problems.push(notSupported(`${path}.effect`, effect, EFFECTS));
  return problems;
}

function nodeProblems(device: JsonObject, choosesNodes: boolean, path: string): FieldProblem[] {
  const fields = ['nodeName', 'nodeSelector', 'allNodes'].filter((field) => isSet(device, field));
  if (!choosesNodes) return fields.length === 0 ? [] : [invalidValue(path, null, NONE_OF)];
  const problems: FieldProblem[] = [];
  const name = text(device, 'nodeName');
  if (fields.includes('nodeName')) {
    if (name === '') problems.push(invalidValue(`${path}.nodeName`, name, 'must not be empty'));
    else problems.push(...nameFaults(`${path}.nodeName`, name, DNS_SUBDOMAIN));
  }
  if (fields.includes('nodeSelector')) {
    problems.push(...nodeSelectorProblems(child(device, 'nodeSelector'), `${path}.nodeSelector`));
  }
  if (fields.includes('allNodes') && device['allNodes'] !== true) {
    problems.push(invalidValue(`${path}.allNodes`, false, 'must be either unset or set to true'));
  }
  const set = fields.filter(
    (field) => (field !== 'nodeName' || name !== '') && (field !== 'allNodes' || device[field] === true),
  );
  if (set.length === 0) problems.push(required(path, ONE_OF));
  else if (set.length > 1) problems.push(invalidValue(path, named(set), ONE_OF));
  return problems;
}

/** `{`nodeName`, `allNodes`}`, as the API server tells which fields are set. */
export function named(fields: readonly string[]): string {
  return `{${fields.map((field) => `\`${field}\``).join(', ')}}`;
}

function conditionProblems(device: JsonObject, path: string): FieldProblem[] {
  const [of, failure] = ['bindingConditions', 'bindingFailureConditions'] as const;
  const [conditions, failures] = [words(device, of), words(device, failure)];
  const each = (field: string, items: readonly string[]) =>
    items.length > MAX_CONDITIONS
      ? [tooMany(`${path}.${field}`, items.length, MAX_CONDITIONS)]
      : items.flatMap((item, at) => qualifiedNameFaults(`${path}.${field}[${at}]`, item));
  const twice = (field: string, items: readonly string[], at: number) =>
    items.indexOf(items[at] ?? '') < at ? [duplicate(`${path}.${field}[${at}]`, items[at] ?? '')] : [];
  const overlap = 'bindingFailureConditions must not overlap with bindingConditions';
  const missing = (field: string, items: readonly string[], other: string, others: readonly string[]) =>
    items.length === 0 && others.length > 0
      ? [invalidValue(`${path}.${field}`, device[field] ?? null, `${field} are required to use ${other}`)]
      : [];
  return [
    ...each(of, conditions),
    ...each(failure, failures),
    ...conditions.flatMap((_item, at) => twice(of, conditions, at)),
    ...failures.flatMap((item, at) => [
      ...twice(failure, failures, at),
      ...(conditions.includes(item) ? [invalidValue(`${path}.${failure}[${at}]`, item, overlap)] : []),
    ]),
    ...missing(of, conditions, failure, failures),
    ...missing(failure, failures, of, conditions),
  ];
}
