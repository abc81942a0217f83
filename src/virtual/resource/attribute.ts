/**
 * What kube-apiserver refuses in an attribute of a device.
 * @see k8s.io/kubernetes pkg/apis/resource/validation/validation.go (validateDeviceAttribute) at v1.36
 */
import { type FieldProblem, invalidValue, tooLong } from '../../k8s/field-problems.ts';
import { text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet } from '../field-checks.ts';

const MAX_BYTES = 64;
const VALUES = ['bool', 'int', 'string', 'version'];
/** @see https://semver.org, without a leading `v` */
const NUMBER = String.raw`(0|[1-9]\d*)`;
const PRE_RELEASE = String.raw`(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const BUILD = '[0-9a-zA-Z-]+';
const VERSION = new RegExp(
  String.raw`^${NUMBER}\.${NUMBER}\.${NUMBER}(-${PRE_RELEASE}(\.${PRE_RELEASE})*)?(\+${BUILD}(\.${BUILD})*)?$`,
);

export function attributeProblems(attribute: JsonObject, path: string): FieldProblem[] {
  const set = VALUES.filter((field) => isSet(attribute, field));
  const problems: FieldProblem[] = [];
  if (set.includes('string') && isTooLong(text(attribute, 'string'))) {
    problems.push(tooLong(`${path}.string`, MAX_BYTES));
  }
  if (set.includes('version')) {
    const version = text(attribute, 'version');
    const detail = 'must be a string compatible with semver.org spec 2.0.0';
    if (!VERSION.test(version)) problems.push(invalidValue(`${path}.version`, version, detail));
    if (isTooLong(version)) problems.push(tooLong(`${path}.version`, MAX_BYTES));
  }
  const detail = 'exactly one value must be specified';
  if (set.length === 0) problems.push(invalidValue(path, '', detail));
  else if (set.length > 1) problems.push(invalidValue(path, attribute, detail));
  return problems;
}

function isTooLong(value: string): boolean {
  return Buffer.byteLength(value) > MAX_BYTES;
}
