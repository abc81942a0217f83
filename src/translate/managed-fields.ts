/**
 * `metadata.managedFields`: who set what. The group of each entry is mapped, and the keys of `fieldsV1` that hold a
 * reference: `f:<map key>`, `k:{...}` (list items by their keys) and `v:...` (values of sets). What names the proxy's
 * own labels, annotations and finalizers is not shown. An entry of a foreign group is left out.
 *
 * @see sigs.k8s.io/structured-merge-diff/v6 fieldpath/serialize-pe.go
 */
import { parseJson, stringifyJson } from '../codec/json.ts';
import { apiVersionOf, isObject, type JsonObject, type JsonValue, splitApiVersion } from '../k8s/types.ts';
import { VIRTUAL_GROUP } from '../kinds/kind.ts';
import { OWN_PREFIX } from '../tenancy/names.ts';
import { groupToTenant, groupToUpstream } from './targets/group.ts';
import { isBlank, type Node } from './tree.ts';
import type { Walk } from './walk.ts';

export function managedFieldsUp(value: JsonValue, references: Node, walk: Walk): JsonValue {
  if (!Array.isArray(value)) return value;
  for (const entry of value) {
    if (!isObject(entry)) continue;
    const { apiVersion } = entry;
    if (typeof apiVersion === 'string') entry['apiVersion'] = versionUp(apiVersion, walk);
    if (isObject(entry['fieldsV1'])) entry['fieldsV1'] = mapFields(entry['fieldsV1'], references, walk);
  }
  return value;
}

export function managedFieldsDown(value: JsonValue, references: Node, walk: Walk): JsonValue {
  if (!Array.isArray(value)) return value;
  return value.filter((entry) => {
    if (!isObject(entry) || typeof entry['apiVersion'] !== 'string') return false;
    const apiVersion = versionDown(entry['apiVersion'], walk);
    if (apiVersion === undefined) return false;
    entry['apiVersion'] = apiVersion;
    if (isObject(entry['fieldsV1'])) {
      const wasBlank = Object.keys(entry['fieldsV1']).length === 0;
      hideOwn(entry['fieldsV1']);
      for (const field of walk.at.kind.unowned ?? []) delete entry['fieldsV1'][`f:${field}`];
      // Who set nothing but what is the proxy's own, or nobody's, set nothing that the tenant sees.
      if (!wasBlank && Object.keys(entry['fieldsV1']).length === 0) return false;
      entry['fieldsV1'] = mapFields(entry['fieldsV1'], references, walk);
    }
    return true;
  });
}

function versionUp(apiVersion: string, { at, scope }: Walk): string {
  const [group, version] = splitApiVersion(apiVersion);
  if (at.class !== 'virtual' || group !== at.kind.group) return apiVersionOf(groupToUpstream(group, scope), version);
  return version === at.version ? at.upstreamApiVersion : apiVersionOf(VIRTUAL_GROUP, version);
}

function versionDown(apiVersion: string, { at, scope }: Walk): string | undefined {
  if (at.class === 'virtual') {
    const [group, version] = splitApiVersion(apiVersion);
    if (group !== VIRTUAL_GROUP) return undefined;
    return apiVersionOf(at.kind.group, apiVersion === at.upstreamApiVersion ? at.version : version);
  }
  const [group, version] = splitApiVersion(apiVersion);
  const mapped = groupToTenant(group, scope);
  return mapped === undefined ? undefined : apiVersionOf(mapped, version);
}

/** Takes labels, annotations and finalizers of ours out of `f:metadata`, and that if nothing else is in it. */
function hideOwn(whole: JsonObject): void {
  const metadata = whole['f:metadata'];
  if (!isObject(metadata)) return;
  for (const [field, mark] of [
    ['f:labels', 'f:'],
    ['f:annotations', 'f:'],
    ['f:finalizers', 'v:"'],
  ] as const) {
    const fields = metadata[field];
    if (!isObject(fields)) continue;
    const own = Object.keys(fields).filter((key) => key.startsWith(mark + OWN_PREFIX));
    for (const key of own) delete fields[key];
    if (own.length > 0 && Object.keys(fields).every((key) => key === '.')) delete metadata[field];
  }
  if (Object.keys(metadata).length === 0) delete whole['f:metadata'];
}

function mapFields(fields: JsonObject, node: Node, walk: Walk): JsonObject {
  if (isBlank(node)) return fields;
  if (node.target?.is === 'namespaceSelector') return withoutOwnLabels(fields);
  const entries = Object.entries(fields).map(([key, below]): [string, JsonValue] => {
    const [mapped, next] = mapKey(key, node, walk);
    return [mapped, next !== undefined && isObject(below) ? mapFields(below, next, walk) : below];
  });
  return Object.fromEntries(entries);
}

/** The key as the other side names it, and the node of what is below it. */
function mapKey(key: string, node: Node, walk: Walk): [key: string, below: Node | undefined] {
  const mark = key.slice(0, 2);
  const rest = key.slice(2);
  if (mark === 'f:') {
    const below = node.fields.get(rest) ?? node.values;
    if (node.keys === undefined) return [key, below];
    const mapped = walk.step(`[${rest}]`, rest, { fields: new Map(), target: node.keys });
    return [`f:${typeof mapped === 'string' ? mapped : rest}`, below];
  }
  if ((mark === 'k:' || mark === 'v:') && node.items !== undefined && !isBlank(node.items)) {
    return [mark + stringifyJson(walk.step('[]', parseJson(rest), node.items)), node.items];
  }
  return [key, node.items];
}

function withoutOwnLabels(fields: JsonObject): JsonObject {
  const labels = fields['f:matchLabels'];
  if (!isObject(labels)) return fields;
  const own = Object.keys(labels).filter((key) => key.startsWith(`f:${OWN_PREFIX}`));
  for (const key of own) delete labels[key];
  if (own.length > 0 && Object.keys(labels).every((key) => key === '.')) delete fields['f:matchLabels'];
  return fields;
}
