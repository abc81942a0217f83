/**
 * The forms in which an API group stands in OpenAPI documents, and how one tenant's groups are mapped in them:
 *
 *   stable.example.com            in paths and x-kubernetes-group-version-kind
 *   com.example.stable.v1.Foo     in names of schemas and $ref (reversed)
 *   createStableExampleComV1Foo   in operationId and tags (camel case)
 *
 * Only these places are touched; descriptions and everything else that a CRD's author wrote stay to the byte.
 *
 * @see k8s.io/apiserver pkg/endpoints/openapi/openapi.go at v0.36
 */
import { child } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

export interface GroupNames {
  /** `acme--stable.example.com` */
  readonly upstream: string;
  /** `stable.example.com` */
  readonly tenant: string;
}

const GVK = 'x-kubernetes-group-version-kind';

/** The schema name in tenant terms; itself when it is of another group. */
export function schemaName(name: string, group: GroupNames): string {
  const reversed = `${reverse(group.upstream)}.`;
  return name.startsWith(reversed) ? `${reverse(group.tenant)}.${name.slice(reversed.length)}` : name;
}

/** Maps one operation, path item or schema, in place. */
export function renameIn(value: JsonValue, group: GroupNames): void {
  if (Array.isArray(value)) {
    for (const item of value) renameIn(item, group);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === '$ref' && typeof child === 'string') value[key] = ref(child, group);
    else if (key === 'operationId' && typeof child === 'string') value[key] = camel(child, group);
    else if (key === 'tags' && Array.isArray(child))
      value[key] = child.map((tag) => (typeof tag === 'string' ? camel(tag, group) : tag));
    else if (key === GVK) renameGvk(child, group);
    // What a CRD's author wrote may look like anything.
    else if (key !== 'default' && key !== 'enum' && key !== 'example') renameIn(child, group);
  }
}

function renameGvk(value: JsonValue, group: GroupNames): void {
  for (const gvk of Array.isArray(value) ? value : [value]) {
    if (isObject(gvk) && gvk['group'] === group.upstream) gvk['group'] = group.tenant;
  }
}

function ref(text: string, group: GroupNames): string {
  const slash = text.lastIndexOf('/') + 1;
  return text.slice(0, slash) + schemaName(text.slice(slash), group);
}

/** `createAcmeStableExampleComV1Foo`, `acmeStableExampleCom_v1`. */
function camel(text: string, group: GroupNames): string {
  const from = camelCase(group.upstream);
  const to = camelCase(group.tenant);
  return text.replace(from, to).replace(lowerFirst(from), lowerFirst(to));
}

/** As the API server does: letters after anything that is neither letter nor digit become capitals. */
function camelCase(group: string): string {
  return group
    .split(/[^a-zA-Z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** `stable.example.com` -> `com.example.stable` */
function reverse(group: string): string {
  return group.split('.').reverse().join('.');
}

/** Group, version and resource that an API path serves; undefined for `/apis/apps/` and the like. */
export function resourceOfPath(
  path: string,
): { group: string; version: string; resource: string; subresource: string } | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const [group, version] = core ? ['', parts[1]] : [parts[1], parts[2]];
  let rest = parts.slice(core ? 2 : 3);
  if (rest[0] === 'watch') rest = rest.slice(1);
  if (rest[0] === 'namespaces' && rest[1] === '{namespace}' && rest[2] !== undefined) rest = rest.slice(2);
  const [resource, , subresource] = rest;
  if (group === undefined || version === undefined || resource === undefined) return undefined;
  return { group, version, resource, subresource: subresource ?? '' };
}

/**
 * What a document keeps of its paths for one tenant, in tenant terms.
 * @param keep what of the item at a path, in tenant terms, the tenant has; undefined for nothing
 */
export function pathsOf(
  document: JsonObject,
  group: GroupNames | undefined,
  keep: (path: string, item: JsonValue) => JsonValue | undefined,
): JsonObject {
  const kept: JsonObject = {};
  for (const [path, item] of Object.entries(child(document, 'paths'))) {
    const shown = group === undefined ? path : path.replace(`/apis/${group.upstream}/`, `/apis/${group.tenant}/`);
    const own = keep(shown, item);
    if (own === undefined) continue;
    if (group !== undefined) renameIn(own, group);
    kept[shown] = own;
  }
  return kept;
}
