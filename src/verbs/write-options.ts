/**
 * The options of a write, as the API server checks them before it looks at the object: of kinds that the proxy checks
 * itself it would otherwise be the object that is refused.
 *
 * @see k8s.io/apimachinery pkg/apis/meta/v1/validation/validation.go (ValidateCreateOptions and the like) at v0.36
 */
import { invalid } from '../errors.ts';
import { type FieldProblem, notSupported, required } from '../k8s/field-problems.ts';
import type { JsonValue } from '../k8s/types.ts';
import type { Call } from './call.ts';

const KINDS: ReadonlyMap<string, string> = new Map([
  ['create', 'CreateOptions'],
  ['update', 'UpdateOptions'],
  ['patch', 'PatchOptions'],
]);
const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];
const APPLY = 'application/apply-patch+yaml';

/** @throws {ApiError} ERR_INVALID, in the API server's words */
export function checkWriteOptions({ info: { verb, query }, body }: Pick<Call, 'info' | 'body'>): void {
  const what = KINDS.get(verb);
  if (what === undefined) return;
  const problems: FieldProblem[] = [];
  if (body?.contentType === APPLY && (query.get('fieldManager') ?? '') === '') {
    problems.push(required('fieldManager', 'is required for apply patch'));
  }
  const dryRun = query.get('dryRun') ?? '';
  if (dryRun !== '') problems.push(...dryRunProblems([dryRun]));
  const validation = query.get('fieldValidation') ?? '';
  if (!VALIDATIONS.includes(validation)) problems.push(notSupported('fieldValidation', validation, VALIDATIONS));
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', what, name: '' }, problems);
}

/** @param runs as the options have them: a list, of which the query gives one */
export function dryRunProblems(runs: readonly JsonValue[]): FieldProblem[] {
  if (runs.every((run) => run === 'All')) return [];
  const message = `Unsupported value: ${JSON.stringify(runs)}: supported values: "All"`;
  return [{ field: 'dryRun', reason: 'FieldValueNotSupported', message }];
}
