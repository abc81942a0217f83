/**
 * The environments of admission: match conditions, validations, mutations and their variables.
 *
 *   compile(text, admissionEnvironment({ authorizer: true }), [BOOL])
 *
 * @see k8s.io/apiserver pkg/admission/plugin/cel/compile.go at v0.36
 */
import { environmentWith } from '../compile.ts';
import { type Environment, extend, type Library, type StructType, type StructTypes } from '../environment.ts';
import { BOOL, DYN, INT, listOf, mapOf, STRING, structOf, TIMESTAMP, type Type } from '../types.ts';
import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from './authorizer.ts';
import { JSON_PATCH_LIBRARY } from './lists.ts';
import { PATCH_STRUCTS } from './patch-types.ts';
import type { SchemaTypes } from './schema-types.ts';

/** What an expression of admission may name besides the object and the request. */
export interface AdmissionVariables {
  /** Of any type, or of this one. */
  readonly params?: boolean | SchemaTypes;
  /** `alone`: without `authorizer.requestResource`. */
  readonly authorizer?: boolean | 'alone';
  /** Of what type `object` and `oldObject` are; any when left out. */
  readonly object?: SchemaTypes;
  /** `Object{}` and `JSONPatch{}`, of mutations. */
  readonly patchTypes?: boolean;
  /** Of the policy, `variables.name`, by name; those that stand before the expression. */
  readonly variables?: ReadonlyMap<string, Type>;
}

const TEXTS = listOf(STRING);
const GROUP_VERSION = { group: STRING, version: STRING };

/** Fields by struct. */
const STRUCTS: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  'kubernetes.GroupVersionKind': { ...GROUP_VERSION, kind: STRING },
  'kubernetes.GroupVersionResource': { ...GROUP_VERSION, resource: STRING },
  'kubernetes.UserInfo': { username: STRING, uid: STRING, groups: TEXTS, extra: mapOf(STRING, TEXTS) },
  'kubernetes.AdmissionRequest': {
    kind: structOf('kubernetes.GroupVersionKind'),
    resource: structOf('kubernetes.GroupVersionResource'),
    subResource: STRING,
    requestKind: structOf('kubernetes.GroupVersionKind'),
    requestResource: structOf('kubernetes.GroupVersionResource'),
    requestSubResource: STRING,
    name: STRING,
    namespace: STRING,
    operation: STRING,
    userInfo: structOf('kubernetes.UserInfo'),
    dryRun: BOOL,
    options: DYN,
  },
  'kubernetes.NamespaceMetadata': {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: TEXTS,
  },
  'kubernetes.NamespaceSpec': { finalizers: TEXTS },
  'kubernetes.NamespaceCondition': {
    status: STRING,
    type: STRING,
    lastTransitionTime: TIMESTAMP,
    message: STRING,
    reason: STRING,
  },
  'kubernetes.NamespaceStatus': { conditions: listOf(structOf('kubernetes.NamespaceCondition')), phase: STRING },
  'kubernetes.Namespace': {
    metadata: structOf('kubernetes.NamespaceMetadata'),
    spec: structOf('kubernetes.NamespaceSpec'),
    status: structOf('kubernetes.NamespaceStatus'),
  },
};

const structs: StructTypes = (name) => {
  const fields = Object.hasOwn(STRUCTS, name) ? STRUCTS[name] : undefined;
  return fields === undefined ? undefined : readOnly(name, fields);
};

const VARIABLES = 'kubernetes.variables';

const BASE = environmentWith({
  structs,
  variables: {
    object: DYN,
    oldObject: DYN,
    namespaceObject: structOf('kubernetes.Namespace'),
    request: structOf('kubernetes.AdmissionRequest'),
  },
});

export function admissionEnvironment(given: AdmissionVariables): Environment {
  const { params = false, authorizer = false, patchTypes = false, object, variables } = given;
  return extend(
    BASE,
    typed(['params'], params),
    typed(['object', 'oldObject'], object ?? false),
    authorizer === false ? {} : { variables: { authorizer: AUTHORIZER_TYPE } },
    authorizer === true ? { variables: { 'authorizer.requestResource': RESOURCE_CHECK_TYPE } } : {},
    patchTypes ? { ...JSON_PATCH_LIBRARY, structs: PATCH_STRUCTS } : {},
    variables === undefined ? {} : policyVariables(variables),
  );
}

/** @param of true for any type, false for no such variables */
function typed(names: readonly string[], of: boolean | SchemaTypes): Library {
  if (of === false) return {};
  const { type, structs } = of === true ? { type: DYN, structs: undefined } : of;
  const variables = Object.fromEntries(names.map((name) => [name, type]));
  return structs === undefined ? { variables } : { variables, structs };
}

function policyVariables(variables: ReadonlyMap<string, Type>) {
  // Looked up, not copied: there is an environment for each variable, with all those before it.
  const type: StructType = { type: structOf(VARIABLES), field: (name) => variables.get(name) };
  return {
    variables: { variables: type.type },
    structs: ((name) => (name === VARIABLES ? type : undefined)) satisfies StructTypes,
  };
}

function readOnly(name: string, fields: Readonly<Record<string, Type>>): StructType {
  return { type: structOf(name), field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined) };
}
