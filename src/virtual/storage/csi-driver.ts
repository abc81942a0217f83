/**
 * What kube-apiserver refuses in a CSIDriver, in its own words and order.
 * @see k8s.io/kubernetes pkg/apis/storage/validation/validation.go at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import { duplicate, type FieldProblem, invalidValue, notSupported } from '../../k8s/field-problems.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet, list, number, values, wordFaults, words } from '../field-checks.ts';

export const IMMUTABLE = 'field is immutable';
const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const MODES = ['Persistent', 'Ephemeral'];
const MIN_UPDATE_SECONDS = 10;
const MIN_EXPIRATION_SECONDS = 600;
const MAX_EXPIRATION_SECONDS = 2 ** 32;

export function csiDriverProblems(driver: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const spec = child(driver, 'spec');
  const modes = words(spec, 'volumeLifecycleModes');
  const period = number(spec, 'nodeAllocatableUpdatePeriodSeconds');
  const requests = list(spec, 'tokenRequests');
  const problems = [
    ...wordFaults('spec.fsGroupPolicy', spec['fsGroupPolicy'], GROUP_POLICIES),
    ...tokenRequestProblems(requests),
    ...modes
      .filter((mode) => !MODES.includes(mode))
      .map((mode) => notSupported('spec.volumeLifecycleModes', mode, MODES)),
  ];
  if (period !== undefined && period < MIN_UPDATE_SECONDS) {
    const detail = `must be greater than or equal to ${MIN_UPDATE_SECONDS} seconds`;
    problems.push(invalidValue('spec.nodeAllocatableUpdatePeriodSeconds', period, detail));
  }
  if (isSet(spec, 'serviceAccountTokenInSecrets') && requests.length === 0) {
    const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    const value = spec['serviceAccountTokenInSecrets'] === true;
    problems.push(invalidValue('spec.serviceAccountTokenInSecrets', value, detail));
  }
  return previous === undefined ? problems : [...problems, ...changeProblems(spec, child(previous, 'spec'))];
}

function changeProblems(spec: JsonObject, stored: JsonObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const attach = spec['attachRequired'] ?? null;
  if (attach !== (stored['attachRequired'] ?? null)) {
    problems.push(invalidValue('spec.attachedRequired', attach, IMMUTABLE));
  }
  const modes = values(spec, 'volumeLifecycleModes');
  if (!isDeepStrictEqual(modes, values(stored, 'volumeLifecycleModes'))) {
    problems.push(invalidValue('spec.volumeLifecycleModes', modes, IMMUTABLE));
  }
  return problems;
}

function tokenRequestProblems(requests: readonly JsonObject[]): FieldProblem[] {
  const audiences = requests.map((request) => text(request, 'audience'));
  return requests.flatMap((request, at) => {
    const path = `spec.tokenRequests[${at}]`;
    const audience = audiences[at] ?? '';
    if (audiences.indexOf(audience) < at) return [duplicate(`${path}.audience`, audience)];
    const seconds = number(request, 'expirationSeconds');
    const fault = seconds === undefined ? undefined : expirationFault(seconds);
    return fault === undefined ? [] : [invalidValue(`${path}.expirationSeconds`, seconds ?? 0, fault)];
  });
}

function expirationFault(seconds: number): string | undefined {
  if (seconds < MIN_EXPIRATION_SECONDS) return 'may not specify a duration less than 10 minutes';
  return seconds > MAX_EXPIRATION_SECONDS ? 'may not specify a duration larger than 2^32 seconds' : undefined;
}
