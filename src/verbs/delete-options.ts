/**
 * DeleteOptions of a request, which stand in its body or else in its query: the API server reads the query only where
 * there is no body. Whatever the proxy adds to them, it must have read both.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/delete.go and k8s.io/apimachinery
 *   pkg/apis/meta/v1/validation/validation.go (ValidateDeleteOptions) at v0.36
 */

import { rawNumberText } from '../codec/json.ts';
import { goType } from '../codec/type-meta.ts';
import { ApiError, invalid } from '../errors.ts';
import type { Query } from '../exchange.ts';
import { type FieldProblem, invalidValue, notSupported } from '../k8s/field-problems.ts';
import { isOn } from '../k8s/query.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { Call } from './call.ts';
import { integerParameter } from './list-options.ts';
import { dryRunProblems } from './write-options.ts';

const KIND = 'DeleteOptions';
const GRACE = 'gracePeriodSeconds';
const FIELDS = [GRACE, 'preconditions', 'orphanDependents', 'propagationPolicy', 'dryRun'] as const;
const POLICIES = ['Foreground', 'Background', 'Orphan'];

/**
 * Those of the body, made anew from the fields that there are, whatever apiVersion the client wrote above them; undefined
 * when the request has none.
 * @throws {ApiError} ERR_BAD_REQUEST
 */
export function bodyOptions(call: Call): JsonObject | undefined {
  const document = call.body?.document;
  if (document === undefined) return undefined;
  if (!isObject(document)) throw new ApiError('ERR_BAD_REQUEST', 'the body of a DELETE must be a DeleteOptions object');
  const { kind = KIND, apiVersion = 'v1' } = document;
  if (kind !== KIND && kind !== '') {
    throw new ApiError(
      'ERR_BAD_REQUEST',
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}: a DELETE takes ${KIND}`,
    );
  }
  const options: JsonObject = { apiVersion: 'v1', kind: KIND };
  for (const name of FIELDS) {
    const value = document[name];
    if (value !== undefined) options[name] = value;
  }
  return options;
}

/**
 * All that the request says, for a deletion that the proxy carries out object by object.
 * @throws {ApiError} ERR_BAD_REQUEST, ERR_INVALID, in the API server's words
 */
export function deleteOptionsOf(call: Call): JsonObject {
  const options = bodyOptions(call) ?? queryOptions(call.info.query);
  checkTypes(options);
  const problems = problemsOf(options);
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', what: KIND, name: '' }, problems);
  return options;
}

function queryOptions(query: Query): JsonObject {
  const options: JsonObject = { apiVersion: 'v1', kind: KIND };
  if ((query.get(GRACE) ?? '') !== '') options[GRACE] = integerParameter(query, GRACE);
  if (query.has('orphanDependents')) options['orphanDependents'] = isOn(query, 'orphanDependents');
  const policy = query.get('propagationPolicy');
  if (policy !== undefined) options['propagationPolicy'] = policy;
  const dryRun = query.get('dryRun');
  if (dryRun !== undefined) options['dryRun'] = [dryRun];
  return options;
}

const GO_TYPES: ReadonlyMap<string, readonly [type: string, isOne: (value: JsonValue) => boolean]> = new Map([
  [GRACE, ['int64', (value) => Number.isInteger(value) || rawNumberText(value) !== undefined]],
  ['orphanDependents', ['bool', (value) => typeof value === 'boolean']],
  ['propagationPolicy', ['v1.DeletionPropagation', (value) => typeof value === 'string']],
  ['dryRun', ['[]string', isTexts]],
  ['preconditions', ['v1.Preconditions', (value) => isObject(value) && Object.values(value).every(isText)]],
]);

/** @throws {ApiError} ERR_BAD_REQUEST for what upstream, of whom it is not asked, would not decode */
function checkTypes(options: JsonObject): void {
  for (const [name, [type, isOne]] of GO_TYPES) {
    const value = options[name] ?? null;
    if (value === null || isOne(value)) continue;
    const message = `json: cannot unmarshal ${goType(value)} into Go struct field DeleteOptions.${name} of type ${type}`;
    throw new ApiError('ERR_BAD_REQUEST', message);
  }
}

function isText(value: JsonValue | undefined): boolean {
  return value === null || typeof value === 'string';
}

function isTexts(value: JsonValue): boolean {
  return Array.isArray(value) && value.every(isText);
}

function problemsOf({ propagationPolicy: policy, orphanDependents, dryRun }: JsonObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (typeof policy === 'string') {
    if (typeof orphanDependents === 'boolean') {
      const why = 'orphanDependents and deletionPropagation cannot be both set';
      problems.push(invalidValue('propagationPolicy', policy, why));
    }
    if (!POLICIES.includes(policy)) problems.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  return [...problems, ...dryRunProblems(Array.isArray(dryRun) ? dryRun : [])];
}
