/**
 * The options of a list, a watch or the deletion of a collection, checked as the API server checks them: upstream is not
 * always asked with the client's own, since a list over all namespaces is many requests and a continue token is sealed.
 *
 * @see k8s.io/apimachinery pkg/apis/meta/internalversion/validation/validation.go and defaults.go at v0.36
 */
import { ApiError, invalid } from '../errors.ts';
import type { Query } from '../exchange.ts';
import { type FieldProblem, forbiddenField, notSupported } from '../k8s/field-problems.ts';
import type { Call } from './call.ts';

const MATCH = 'resourceVersionMatch';
const NOT_OLDER = 'NotOlderThan';
const EXACT = 'Exact';
const INT64 = /^[+-]?\d{1,18}$/;

interface Options {
  readonly match: string;
  readonly version: string;
  readonly isContinued: boolean;
  readonly wantsInitialEvents: boolean;
}

/** @throws {ApiError} ERR_BAD_REQUEST, ERR_INVALID, in the API server's words */
export function checkListOptions({ info: { query, verb } }: Pick<Call, 'info'>): void {
  for (const name of ['limit', 'timeoutSeconds']) integerParameter(query, name);
  const options = {
    match: query.get(MATCH) ?? '',
    version: query.get('resourceVersion') ?? '',
    isContinued: (query.get('continue') ?? '') !== '',
    wantsInitialEvents: query.has('sendInitialEvents'),
  };
  const problems = verb === 'watch' ? watchProblems(withDefaults(options)) : listProblems(options);
  if (problems.length > 0) throw invalid({ group: 'meta.k8s.io', what: 'ListOptions', name: '' }, problems);
}

/**
 * A parameter that is an integer; 0 when it was not given.
 * @throws {ApiError} ERR_BAD_REQUEST
 */
export function integerParameter(query: Query, name: string): number {
  const text = query.get(name) ?? '';
  if (text === '') return 0;
  if (INT64.test(text)) return Number(text);
  throw new ApiError('ERR_BAD_REQUEST', `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** A watch that begins at "now" or "any" has initial events. */
function withDefaults(options: Options): Options {
  const { match, version, wantsInitialEvents } = options;
  if (wantsInitialEvents || match !== '' || (version !== '' && version !== '0')) return options;
  return { ...options, match: NOT_OLDER, wantsInitialEvents: true };
}

function listProblems({ match, version, isContinued, wantsInitialEvents }: Options): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (match !== '') {
    if (version === '') problems.push(forbidden(`${MATCH} is forbidden unless resourceVersion is provided`));
    if (isContinued) problems.push(forbidden(`${MATCH} is forbidden when continue is provided`));
    if (match !== EXACT && match !== NOT_OLDER) problems.push(notSupported(MATCH, match, [EXACT, NOT_OLDER, '']));
    if (match === EXACT && version === '0')
      problems.push(forbidden(`${MATCH} "exact" is forbidden for resourceVersion "0"`));
  }
  if (wantsInitialEvents) {
    problems.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return problems;
}

function watchProblems({ match, isContinued, wantsInitialEvents }: Options): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (wantsInitialEvents && match !== NOT_OLDER) {
    problems.push(forbidden(`sendInitialEvents requires setting ${MATCH} to ${NOT_OLDER}`));
  }
  if (match === '') return problems;
  if (!wantsInitialEvents)
    problems.push(forbidden(`${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
  if (match !== NOT_OLDER) problems.push(notSupported(MATCH, match, [NOT_OLDER]));
  if (isContinued) problems.push(forbidden(`${MATCH} is forbidden when continue is provided`));
  return problems;
}

function forbidden(detail: string): FieldProblem {
  return forbiddenField(MATCH, detail);
}
