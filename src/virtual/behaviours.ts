/**
 * What the proxy itself does for each virtual kind: the kind's defaults, its validation, strategic merge patch.
 *
 * A virtual kind of the table that has no entry here has no behaviour, and a test refuses that.
 *
 * @see docs/kinds.md for which kinds are virtual
 */
import { cloneJson } from '../codec/json.ts';
import { ApiError, type ErrorCode, invalid } from '../errors.ts';
import type { FieldProblem } from '../k8s/field-problems.ts';
import { nameOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { VirtualBehaviour, VirtualBehaviours } from '../ports.ts';
import { PatchError, type PatchFault } from './patch-directives.ts';
import type { PatchSchema } from './patch-schema.ts';
import patchSchemas from './patch-schemas.generated.json' with { type: 'json' };
import { clusterRoleBindingProblems, clusterRoleProblems, RBAC_GROUP } from './rbac-validation.ts';
import { applyStrategicMerge } from './strategic-merge.ts';

interface Own {
  readonly kind: string;
  readonly problems: (object: JsonObject, previous: JsonObject | undefined) => FieldProblem[];
  /** Fills in, in place, what the client may leave out. */
  readonly defaults?: (object: JsonObject) => void;
}

const OWN: ReadonlyMap<string, Own> = new Map<string, Own>([
  [`${RBAC_GROUP}/clusterroles`, { kind: 'ClusterRole', problems: clusterRoleProblems }],
  [
    `${RBAC_GROUP}/clusterrolebindings`,
    {
      kind: 'ClusterRoleBinding',
      problems: clusterRoleBindingProblems,
      defaults: bindingDefaults,
    },
  ],
]);
const SCHEMAS: ReadonlyMap<string, PatchSchema> = new Map(Object.entries(patchSchemas as Record<string, PatchSchema>));
const CODES: Readonly<Record<PatchFault, ErrorCode>> = {
  'bad-request': 'ERR_BAD_REQUEST',
  invalid: 'ERR_INVALID',
  internal: 'ERR_INTERNAL',
};

/** The behaviour of a virtual kind. */
export const virtualBehaviour: VirtualBehaviours = (group, resource) => {
  const key = `${group}/${resource}`;
  const own = OWN.get(key);
  const schema = SCHEMAS.get(key);
  return own === undefined || schema === undefined ? undefined : behaviour(group, own, schema);
};

function behaviour(group: string, own: Own, schema: PatchSchema): VirtualBehaviour {
  return {
    withDefaults(object) {
      const copy = cloneJson(object);
      dropNulls(copy);
      own.defaults?.(copy);
      return copy;
    },
    validate(object, previous) {
      const problems = own.problems(object, previous);
      if (problems.length === 0) return;
      throw invalid({ group, what: own.kind, name: nameOf(object) }, problems);
    },
    strategicMerge(current, patch) {
      try {
        return applyStrategicMerge(current, patch, schema);
      } catch (error) {
        if (error instanceof PatchError) throw new ApiError(CODES[error.fault], error.message, { cause: error });
        throw error;
      }
    },
  };
}

/** A native kind reads null as "absent" (`rules: null`); the schema of a custom resource refuses it. */
function dropNulls(value: JsonValue): void {
  if (Array.isArray(value)) value.forEach(dropNulls);
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (inner === null) delete value[key];
      else dropNulls(inner);
    }
  }
}

function bindingDefaults(binding: JsonObject): void {
  const { roleRef, subjects } = binding;
  if (isObject(roleRef)) withGroup(roleRef);
  for (const subject of Array.isArray(subjects) ? subjects : []) {
    if (isObject(subject) && (subject['kind'] === 'User' || subject['kind'] === 'Group')) withGroup(subject);
  }
}

function withGroup(reference: JsonObject): void {
  if (reference['apiGroup'] === undefined || reference['apiGroup'] === '') reference['apiGroup'] = RBAC_GROUP;
}
