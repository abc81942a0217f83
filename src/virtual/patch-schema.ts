/**
 * What strategic merge patch must know of a kind's fields: `patch-schemas.generated.json`, which test/tools cuts out of
 * their OpenAPI schemas.
 *
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/#notes-on-the-strategic-merge-patch
 */

/** One field. `fields` is there for an object with known fields, `items` for a list, neither for a map or a scalar. */
export interface PatchSchema {
  readonly fields?: Readonly<Record<string, PatchSchema>>;
  readonly items?: PatchSchema;
  /** As `x-kubernetes-patch-strategy` has it: `merge`, `replace`, `retainKeys`, or two of them. */
  readonly strategy?: string;
  readonly mergeKey?: string;
}
