/**
 * What the proxy itself does for each virtual kind: the kind's defaults, its validation, strategic merge patch.
 *
 * A virtual kind of the table that has no entry here has no behaviour, and a test refuses that.
 *
 * @see docs/kinds.md for which kinds are virtual
 */
import { cloneJson } from '../codec/json.ts';
import { ApiError, invalid } from '../errors.ts';
import { type FieldProblem, invalidValue } from '../k8s/field-problems.ts';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';
import type { VirtualBehaviour, VirtualBehaviours } from '../ports.ts';
import { ADMISSION_KINDS } from './admission/kinds.ts';
import { API_SERVICE_KINDS } from './api-services.ts';
import { CERTIFICATE_KINDS } from './certificates/kind.ts';
import { checkTypes } from './decode.ts';
import { defaultsOf, fillIn } from './defaults.ts';
import { words } from './field-checks.ts';
import { FLOW_KINDS } from './flow-control/kinds.ts';
import { NETWORKING_KINDS } from './networking.ts';
import type { OwnKind } from './own-kind.ts';
import type { PatchSchema } from './patch-schema.ts';
import patchSchemas from './patch-schemas.generated.json' with { type: 'json' };
import { RBAC_KINDS } from './rbac-validation.ts';
import { RESOURCE_KINDS } from './resource/resource-slice.ts';
import { STORAGE_KINDS } from './storage/kinds.ts';
import { mergeStrategic } from './strategic-merge.ts';

const OWN: ReadonlyMap<string, OwnKind> = new Map(
  [
    ...RBAC_KINDS,
    ...ADMISSION_KINDS,
    ...FLOW_KINDS,
    ...API_SERVICE_KINDS,
    ...STORAGE_KINDS,
    ...NETWORKING_KINDS,
    ...CERTIFICATE_KINDS,
    ...RESOURCE_KINDS,
  ].map((own) => [`${own.group}/${own.resource}`, own]),
);
const SCHEMAS: ReadonlyMap<string, PatchSchema> = new Map(Object.entries(patchSchemas as Record<string, PatchSchema>));

/** The behaviour of a virtual kind. */
export const virtualBehaviour: VirtualBehaviours = (group, resource) => {
  const key = `${group}/${resource}`;
  const own = OWN.get(key);
  const schema = SCHEMAS.get(key);
  return own === undefined || schema === undefined ? undefined : behaviour(own, schema);
};

function behaviour(own: OwnKind, schema: PatchSchema): VirtualBehaviour {
  const { group, resource, kind, unconditionalUpdate } = own;
  return {
    unconditionalUpdate,
    withDefaults(object) {
      checkTypes(object, schema);
      const copy = cloneJson(object);
      fillNulls(copy);
      dropNulls(copy);
      own.defaults?.(copy);
      fillIn(copy, defaultsOf(group, resource));
      return copy;
    },
    forApply(patch) {
      const copy = cloneJson(patch);
      dropNulls(copy);
      own.defaults?.(copy);
      return copy;
    },
    prepares: own.prepare !== undefined,
    prepare(object, write) {
      own.prepare?.(object, write);
    },
    admit(object, write, may) {
      const why = own.refusal?.(object, write, may);
      if (why === undefined) return;
      const name = nameOf(object);
      const message = `${resource}.${group} ${goQuote(name)} is forbidden: ${why}`;
      throw new ApiError('ERR_FORBIDDEN', message, { why: 'admission', details: { group, kind: resource, name } });
    },
    validate(object, previous, subresource) {
      const problems =
        subresource === 'status'
          ? (own.statusProblems?.(object, previous) ?? [])
          : [...finalizerProblems(object, group), ...own.problems(object, previous, subresource)];
      if (problems.length > 0) throw invalid({ group, what: kind, name: nameOf(object) }, problems);
    },
    strategicMerge(current, patch) {
      return mergeStrategic(current, patch, schema);
    },
  };
}

/** Groups whose validation does not look at finalizers so closely. */
const TAKES_ANY_FINALIZER = new Set(['admissionregistration.k8s.io', 'apiregistration.k8s.io']);
const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** @see k8s.io/kubernetes pkg/apis/core/validation/validation.go (ValidateFinalizerName) at v1.36 */
function finalizerProblems(object: JsonObject, group: string): FieldProblem[] {
  if (TAKES_ANY_FINALIZER.has(group)) return [];
  return words(metadataOf(object), 'finalizers').flatMap((name, at) => {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return [];
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalidValue(`metadata.finalizers[${at}]`, name, detail)];
  });
}

/** In maps of texts it reads null as an empty one. */
function fillNulls(object: JsonObject): void {
  const metadata = object['metadata'];
  for (const map of isObject(metadata) ? [metadata['labels'], metadata['annotations']] : []) {
    if (!isObject(map ?? null)) continue;
    for (const [key, value] of Object.entries(map as JsonObject)) if (value === null) (map as JsonObject)[key] = '';
  }
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
