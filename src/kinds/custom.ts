/**
 * Kinds that a tenant's own CRDs define.
 *
 * A custom object holds no reference that the proxy knows of: its group is mapped, its own names stay, its contents are
 * the tenant's. A CRD counts only when its label and the prefix of its group name the same tenant, and only once the
 * host has established it; until then the host itself answers 404.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
import { annotationOf } from '../k8s/meta.ts';
import { child, objects, text } from '../k8s/read.ts';
import { apiVersionOf, isObject, type JsonObject } from '../k8s/types.ts';
import { CONVERSION_MARK } from '../tenancy/host-names.ts';
import {
  TENANT_LABEL,
  type TenantId,
  type TenantName,
  tenantOf,
  toTenantName,
  type UpstreamName,
} from '../tenancy/names.ts';
import type { CellRule, Conversion, Kind, KindAtVersion, Subresource } from './kind.ts';
import { ALL, everywhere, OPEN, SCALE } from './row.ts';
import { byPriority } from './version-priority.ts';

/** What one CRD gives its tenant. */
export interface CustomKinds {
  readonly tenant: TenantId;
  /** Group, resource and kind in tenant terms. */
  readonly group: TenantName;
  readonly resource: string;
  readonly kind: string;
  /** Served versions only, the one that discovery names first at the front. */
  readonly versions: ReadonlyMap<string, KindAtVersion>;
}

/** Reads a CRD as upstream stores it; undefined when it is no tenant's, contradicts itself or is not established. */
export function readCustomKinds(crd: JsonObject): CustomKinds | undefined {
  const metadata = child(crd, 'metadata');
  const spec = child(crd, 'spec');
  // Accepted names are what the host serves; the wished ones may have lost to another CRD.
  const names = child(child(crd, 'status'), 'acceptedNames');
  const { group: upstreamGroup } = spec;
  const { plural: resource, kind } = names;
  const label = child(metadata, 'labels')[TENANT_LABEL];
  if (typeof upstreamGroup !== 'string' || typeof resource !== 'string' || typeof kind !== 'string') return undefined;
  const tenant = tenantOf(upstreamGroup as UpstreamName);
  if (tenant === undefined || tenant !== label || !isEstablished(crd)) return undefined;
  const group = toTenantName(tenant, upstreamGroup as UpstreamName);
  if (group === undefined) return undefined;

  const mark = annotationOf(crd, CONVERSION_MARK);
  const versions = new Map<string, KindAtVersion>();
  for (const [version, entry] of servedVersions(spec)) {
    versions.set(version, {
      kind: customKind({ group, resource, kind, namespaced: spec['scope'] === 'Namespaced' }, entry),
      class: 'native',
      version,
      upstreamRoot: `/apis/${upstreamGroup}/${version}`,
      upstreamResource: resource,
      upstreamApiVersion: apiVersionOf(upstreamGroup, version),
      ...(mark !== undefined && { conversion: conversionOf(mark, spec, entry) }),
    });
  }
  return { tenant, group, resource, kind, versions };
}

function servedVersions(spec: JsonObject): [string, JsonObject][] {
  return objects(spec, 'versions')
    .flatMap((entry): [string, JsonObject][] => {
      const { name, served } = entry;
      return typeof name === 'string' && served === true ? [[name, entry]] : [];
    })
    .sort(([a], [b]) => byPriority(a, b));
}

function conversionOf(mark: string, spec: JsonObject, version: JsonObject): Conversion {
  return {
    storedAs: storageVersion(spec),
    mark,
    columns: objects(version, 'additionalPrinterColumns'),
    schema: child(child(version, 'schema'), 'openAPIV3Schema'),
  };
}

function storageVersion(spec: JsonObject): string {
  return text(
    objects(spec, 'versions').find(({ storage }) => storage === true),
    'name',
  );
}

function customKind(names: Pick<Kind, 'group' | 'resource' | 'kind' | 'namespaced'>, version: JsonObject): Kind {
  return {
    ...names,
    classes: everywhere('native'),
    reason: 'defined by the tenant',
    verbs: ALL,
    refs: [],
    subresources: subresourcesOf(child(version, 'subresources')),
    // Selectable fields are the tenant's own contents.
    fieldSelectors: {},
    columns: columnsOf(version),
    custom: true,
  };
}

function subresourcesOf(declared: JsonObject): Record<string, Subresource> {
  const subresources: Record<string, Subresource> = {};
  if (isObject(declared['status'])) subresources['status'] = OPEN;
  if (isObject(declared['scale'])) subresources['scale'] = SCALE;
  return subresources;
}

/** Printer columns may print what only upstream knows: the namespace, the group, or a piece of metadata. */
function columnsOf(version: JsonObject): Record<string, CellRule> {
  const columns = new Map<string, CellRule | undefined>();
  for (const { name, jsonPath } of objects(version, 'additionalPrinterColumns')) {
    if (typeof name !== 'string' || typeof jsonPath !== 'string') continue;
    const key = name.toLowerCase();
    const rule = ruleOf(jsonPath);
    // Cells are found by the name of their column: of two that share one, neither is told from the other.
    const isShared = columns.has(key) && (rule !== undefined || columns.get(key) !== undefined);
    columns.set(key, isShared ? { cell: 'anything' } : rule);
  }
  // Names are the tenant's: a column called `__proto__` must become a key like any other.
  return Object.fromEntries([...columns].filter((entry): entry is [string, CellRule] => entry[1] !== undefined));
}

function ruleOf(jsonPath: string): CellRule | undefined {
  if (jsonPath === '.metadata.namespace') return { cell: 'namespace' };
  return isOwnText(jsonPath) ? undefined : { cell: 'anything' };
}

/** A field at the top, or of the metadata, and what follows it. A brace would begin a second path. */
const FIELD = /^\.(?:metadata\.)?(\w+)(?:[.[][^{}]*)?$/;
const OWN_METADATA =
  /^\.metadata\.(?:name|uid|generation|creationTimestamp|deletionTimestamp|(?:labels|annotations)(?:[.[].*)?)$/s;

/** True for a path that can only reach what the tenant wrote, or what is the same on both sides. */
function isOwnText(jsonPath: string): boolean {
  const field = FIELD.exec(jsonPath)?.[1];
  if (jsonPath.startsWith('.metadata')) return field !== undefined && OWN_METADATA.test(jsonPath);
  return field !== undefined && field !== 'apiVersion';
}

function isEstablished(crd: JsonObject): boolean {
  return objects(child(crd, 'status'), 'conditions').some(
    (condition) => condition['type'] === 'Established' && condition['status'] === 'True',
  );
}
