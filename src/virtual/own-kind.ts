/** What the native API server does for one virtual kind beyond its schema. Objects are in the tenant's terms. */
import type { FieldProblem } from '../k8s/field-problems.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Asks, VirtualWrite } from '../ports.ts';

export interface OwnKind {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  /** @param previous the object as stored, on an update */
  readonly problems: (object: JsonObject, previous: JsonObject | undefined, subresource: string) => FieldProblem[];
  /** The same of an update of `status`, of which the rest is not looked at. */
  readonly statusProblems?: (object: JsonObject, previous: JsonObject | undefined) => FieldProblem[];
  /** Sets, in place, what is not the client's to say: what the API server calls a strategy. */
  readonly prepare?: (object: JsonObject, write: VirtualWrite) => void;
  /** Why admission that is built into the API server refuses a write that is in order; asked last. */
  readonly refusal?: (object: JsonObject, write: VirtualWrite, may: Asks) => string | undefined;
  /** Fills in, in place, what depends on other fields: what does not is in `defaults.ts`. */
  readonly defaults?: (object: JsonObject) => void;
  /** True where an update may leave out the version that it is made from. */
  readonly unconditionalUpdate: boolean;
}
