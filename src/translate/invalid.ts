/**
 * 422 as kube-apiserver shapes it, in the tenant's terms: one sentence, and the same as data in `details.causes`.
 *
 * @see k8s.io/apimachinery pkg/api/errors/errors.go (NewInvalid) and pkg/util/validation/field/errors.go at v0.36
 */
import { ApiError } from '../errors.ts';
import type { KindAtVersion } from '../kinds/kind.ts';

export type ProblemReason =
  | 'FieldValueInvalid'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueRequired';

export interface FieldProblem {
  /** `metadata.name`, `spec.rules[0].host`. */
  readonly field: string;
  readonly reason: ProblemReason;
  /** The value, in tenant terms; not told for Forbidden and Required. */
  readonly value?: string;
  readonly detail: string;
}

const TEXT: Record<ProblemReason, string> = {
  FieldValueInvalid: 'Invalid value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotFound: 'Not found',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueRequired: 'Required value',
};

/** The refusal of an object of this kind; `name` as the tenant gave it, or empty. */
export function invalid(at: KindAtVersion, name: string, problems: readonly FieldProblem[]): ApiError {
  const { group, kind } = at.kind;
  const causes = problems.map((problem) => ({
    reason: problem.reason,
    message: sentence(problem),
    field: problem.field,
  }));
  const texts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const qualified = group === '' ? kind : `${kind}.${group}`;
  return new ApiError('ERR_INVALID', `${qualified} ${JSON.stringify(name)} is invalid: ${all}`, {
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind, causes },
  });
}

/**
 * 422 for a JSON patch that cannot be applied, as kube-apiserver words it: it never says which operation failed.
 * @param cause for the log
 */
export function unappliable(cause: string): ApiError {
  return new ApiError('ERR_INVALID', 'the server rejected our request due to an error in our request', {
    details: {},
    cause,
  });
}

function sentence({ reason, value, detail }: FieldProblem): string {
  const quoted = value === undefined ? '' : `: ${JSON.stringify(value)}`;
  return `${TEXT[reason]}${quoted}${detail === '' ? '' : `: ${detail}`}`;
}
