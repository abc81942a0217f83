/**
 * What the proxy must know of a virtual kind's fields, for strategic merge patches and to tell a value of a wrong type:
 * `patch-schemas.generated.json`, which test/tools cuts out of their OpenAPI schemas.
 *
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/#notes-on-the-strategic-merge-patch
 */

/** One field. `fields` is there for an object with known fields, `items` for a list, neither for a map or a scalar. */
export interface PatchSchema {
  readonly fields?: Readonly<Record<string, PatchSchema>>;
  readonly items?: PatchSchema;
  /** Of a map: what its values are, where that is worth a check. */
  readonly values?: PatchSchema;
  /** Of JSON Schema: `string`, `integer`, ...; left out where more than one will do. */
  readonly type?: string;
  /** `int32`, `byte` or `date-time`: what is read more narrowly than its type. */
  readonly format?: string;
  /** As `x-kubernetes-patch-strategy` has it: `merge`, `replace`, `retainKeys`, or two of them. */
  readonly strategy?: string;
  readonly mergeKey?: string;
}
