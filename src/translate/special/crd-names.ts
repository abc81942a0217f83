/**
 * `spec.names` of a CRD. kubectl finds a kind by its short names, singular and categories, without its group: under the
 * tenant's own words, `kubectl get po` of the host's operator would find the tenant's objects, and `get all` would list
 * them. So upstream all three carry the tenant's prefix. Plural and kind are the API itself and stay; those of the
 * proxy's own kinds are refused.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 * @see k8s.io/apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go at v0.36
 */
import { invalidValue } from '../../k8s/field-problems.ts';
import { DNS_1035_LABEL } from '../../k8s/name-rules.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { OWN_KINDS } from '../../tenancy/host-names.ts';
import { prefixLength, type TenantName, type UpstreamName } from '../../tenancy/names.ts';
import { tooLong } from '../names-check.ts';
import type { Walk } from '../walk.ts';

const SINGULAR = 'singular';
const LISTS = ['shortNames', 'categories'] as const;

/** @throws {ApiError} ERR_INVALID for names of the proxy's own kinds, and for what would only pass with a prefix */
export function crdNamesUp(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  for (const field of ['plural', 'kind'] as const) refuseOwnKind(value, field, walk);
  fillSingular(value, walk);
  const singular = value[SINGULAR];
  if (typeof singular === 'string' && singular !== '') value[SINGULAR] = nameUp(singular, `.${SINGULAR}`, walk);
  for (const field of LISTS) {
    const list = value[field];
    if (!Array.isArray(list)) continue;
    value[field] = list.map((name, at) => (typeof name === 'string' ? nameUp(name, `.${field}[${at}]`, walk) : name));
  }
  return value;
}

/** Names that carry no prefix are shown as they are. */
export function crdNamesDown(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, SINGULAR)) value[SINGULAR] = nameDown(value[SINGULAR] ?? null, walk);
  for (const field of LISTS) {
    const list = value[field];
    if (Array.isArray(list)) value[field] = list.map((name) => nameDown(name, walk));
  }
  return value;
}

function refuseOwnKind(names: JsonObject, field: 'plural' | 'kind', walk: Walk): void {
  const value = names[field];
  if (typeof value !== 'string' || !OWN_KINDS.has(value.toLowerCase())) return;
  walk.refuse((at) => invalidValue(at, value, 'this name is reserved in this cluster'), `.${field}`);
}

/** Left out, it would become the kind in small letters upstream, without a prefix. */
function fillSingular(names: JsonObject, walk: Walk): void {
  if (walk.path !== 'spec.names') return;
  const { kind, singular } = names;
  const isEmpty = singular === undefined || singular === null || singular === '';
  if (walk.shape === 'whole') {
    if (isEmpty && typeof kind === 'string' && kind !== '') names[SINGULAR] = kind.toLowerCase();
  } else if (['$patch', '$retainKeys'].some((key) => Object.hasOwn(names, key))) walk.needsLive('a directive in it');
  else if (isEmpty && Object.hasOwn(names, SINGULAR)) walk.needsLive('no singular');
}

function nameUp(name: string, below: string, walk: Walk): string {
  // As the API server, which checks a singular in small letters.
  const problem = DNS_1035_LABEL.problem(below === `.${SINGULAR}` ? name.toLowerCase() : name);
  const max = DNS_1035_LABEL.max - prefixLength(walk.scope.tenant.id);
  const detail = problem ?? (name.length > max ? tooLong(max, name.length) : undefined);
  if (detail !== undefined) walk.refuse((at) => invalidValue(at, name, detail), below);
  const upstream = walk.scope.names.up(name as TenantName);
  walk.scope.renames.note(upstream, name);
  return upstream;
}

function nameDown(name: JsonValue, walk: Walk): JsonValue {
  if (typeof name !== 'string') return name;
  const mapped = walk.scope.names.down(name as UpstreamName);
  if (mapped === undefined) return name;
  walk.seen.set(name, mapped);
  return mapped;
}
