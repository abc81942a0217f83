/** What the native API server does for one virtual kind beyond its schema. Objects are in the tenant's terms. */
import type { FieldProblem } from '../k8s/field-problems.ts';
import type { JsonObject } from '../k8s/types.ts';

export interface OwnKind {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  /** @param previous the object as stored, on an update */
  readonly problems: (object: JsonObject, previous: JsonObject | undefined) => FieldProblem[];
  /** The same of an update of `status`, of which the rest is not looked at. */
  readonly statusProblems?: (object: JsonObject, previous: JsonObject | undefined) => FieldProblem[];
  /** Fills in, in place, what depends on other fields: what does not is in `defaults.ts`. */
  readonly defaults?: (object: JsonObject) => void;
  /** True where an update may leave out the version that it is made from. */
  readonly unconditionalUpdate: boolean;
}
