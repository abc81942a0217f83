/**
 * DeleteOptions of a request, which stand in its body or else in its query: the API server reads the query only where
 * there is no body. Whatever the proxy adds to them, it must have read both.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/delete.go and k8s.io/apimachinery
 *   pkg/apis/meta/v1/validation/validation.go (ValidateDeleteOptions) at v0.36
 */

import { ApiError, invalid } from '../errors.ts';
import type { Query } from '../exchange.ts';
import { type FieldProblem, invalidValue, notSupported } from '../k8s/field-problems.ts';
import { isOn } from '../k8s/query.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { Call } from './call.ts';
import { integerParameter } from './list-options.ts';

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

function problemsOf({ propagationPolicy: policy, orphanDependents, dryRun }: JsonObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (typeof policy === 'string') {
    if (typeof orphanDependents === 'boolean') {
      const why = 'orphanDependents and deletionPropagation cannot be both set';
      problems.push(invalidValue('propagationPolicy', policy, why));
    }
    if (!POLICIES.includes(policy)) problems.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  const runs: readonly JsonValue[] = Array.isArray(dryRun) ? dryRun : [];
  if (runs.some((run) => run !== 'All')) {
    const message = `Unsupported value: ${JSON.stringify(runs)}: supported values: "All"`;
    problems.push({ field: 'dryRun', reason: 'FieldValueNotSupported', message });
  }
  return problems;
}
