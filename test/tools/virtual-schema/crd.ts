/**
 * The host's CustomResourceDefinition behind a virtual kind: `clusterroles.virtual.kubeveil.dev`.
 *
 * Its schema comes from the native kind's own OpenAPI, so it accepts, prunes and merges as the native kind does, and
 * nothing on the host gives it meaning. Its defaults are those of `src/virtual/defaults.ts`. It has one version.
 * What the schema cannot say is in `src/virtual`; what must hold even without the proxy is added here as CEL.
 *
 * The files `deploy/60-virtual-*.yaml` are made of this by test/tools/virtual-crds.ts.
 */
import { isObject, type JsonObject } from '../../../src/k8s/types.ts';
import { type Kind, VIRTUAL_GROUP } from '../../../src/kinds/kind.ts';
import { type Defaults, defaultsOf } from '../../../src/virtual/defaults.ts';
import { inlined, schemaOfKind, schemasOf, structural } from './schema.ts';

/** What a kind's OpenAPI does not say of it. */
export interface CrdExtras {
  /** `additionalPrinterColumns`. */
  readonly columns: readonly JsonObject[];
  /** CEL rules by top-level property. */
  readonly rules: Readonly<Record<string, readonly JsonObject[]>>;
}

const AGE: JsonObject = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** For `kubectl get` on the host; a tenant's tables are made by the proxy. By `group/resource`. */
const EXTRAS: ReadonlyMap<string, CrdExtras> = new Map([
  [
    'rbac.authorization.k8s.io/clusterroles',
    // A date column would print an age: the native kind prints the time.
    { columns: [{ name: 'Created At', type: 'string', jsonPath: '.metadata.creationTimestamp' }], rules: {} },
  ],
  [
    'rbac.authorization.k8s.io/clusterrolebindings',
    {
      columns: [
        { name: 'Role', type: 'string', jsonPath: '.roleRef.name' },
        AGE,
        { name: 'Users', type: 'string', priority: 1, jsonPath: '.subjects[?(@.kind=="User")].name' },
        { name: 'Groups', type: 'string', priority: 1, jsonPath: '.subjects[?(@.kind=="Group")].name' },
        {
          name: 'ServiceAccounts',
          type: 'string',
          priority: 1,
          jsonPath: '.subjects[?(@.kind=="ServiceAccount")].name',
        },
      ],
      rules: { roleRef: [{ rule: 'self == oldSelf', message: 'cannot change roleRef' }] },
    },
  ],
  [
    'certificates.k8s.io/certificatesigningrequests',
    {
      columns: [
        AGE,
        { name: 'SignerName', type: 'string', jsonPath: '.spec.signerName' },
        { name: 'Requestor', type: 'string', jsonPath: '.spec.username' },
      ],
      rules: { spec: [{ rule: 'self == oldSelf', message: 'cannot change spec' }] },
    },
  ],
]);

/**
 * @param document the OpenAPI v3 document of the kind's group and version
 * @throws {Error} when the document lacks the kind or holds something that has no structural form
 */
export function makeVirtualCrd(kind: Kind, version: string, document: JsonObject): JsonObject {
  const schema = structural(inlined(schemaOfKind(document, kind.group, version, kind.kind), schemasOf(document)));
  setDefaults(schema, defaultsOf(kind.group, kind.resource));
  const extras = EXTRAS.get(`${kind.group}/${kind.resource}`) ?? { columns: [AGE], rules: {} };
  const properties = { ...(schema['properties'] as JsonObject), metadata: { type: 'object' } };
  for (const [name, rules] of Object.entries(extras.rules)) {
    const property = Object.hasOwn(properties, name) ? (properties as JsonObject)[name] : undefined;
    if (!isObject(property)) throw new Error(`${kind.kind} has no property ${name} to put a rule on`);
    (properties as JsonObject)[name] = { ...property, 'x-kubernetes-validations': [...rules] };
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.resource}.${VIRTUAL_GROUP}` },
    spec: {
      group: VIRTUAL_GROUP,
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      names: {
        plural: kind.resource,
        singular: kind.kind.toLowerCase(),
        kind: kind.kind,
        listKind: `${kind.kind}List`,
      },
      conversion: { strategy: 'None' },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { ...schema, properties } },
          ...(hasStatus(kind) ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: [...extras.columns],
          ...(kind.selectable === undefined
            ? {}
            : { selectableFields: kind.selectable.map((path) => ({ jsonPath: `.${path}` })) }),
        },
      ],
    },
  };
}

/** Whether the status is written apart from the rest upstream. */
function hasStatus({ subresources: { status } }: Kind): boolean {
  return status !== undefined && status.ofObject !== true;
}

/** Puts the kind's own defaults where they belong. @throws {Error} for a path that the schema does not have */
function setDefaults(schema: JsonObject, defaults: Defaults): void {
  for (const [path, value] of Object.entries(defaults)) {
    let at: JsonObject = schema;
    for (const step of path.split('.')) {
      at = below(at, 'properties', path);
      at = below(at, step.replace(/\[\]$/, ''), path);
      if (step.endsWith('[]')) at = below(at, 'items', path);
    }
    at['default'] = value;
  }
}

function below(schema: JsonObject, key: string, path: string): JsonObject {
  const inner = Object.hasOwn(schema, key) ? schema[key] : undefined;
  if (!isObject(inner)) throw new Error(`the schema has no ${path} to give a default`);
  return inner;
}
