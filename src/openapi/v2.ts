/**
 * OpenAPI v2: one document of everything, cut to what the tenant has. A definition that names no group of the tenant's
 * and is not Kubernetes' own is left out.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v2
 */
import { child } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { type GroupNames, renameIn, resourceOfPath, schemaName } from './group-names.ts';
import { withOperations } from './operations.ts';
import type { Offered } from './v3.ts';

const GVK = 'x-kubernetes-group-version-kind';

/** @param document the host's, which is changed */
export function openApiV2(document: JsonObject, offered: Offered, customGroups: readonly GroupNames[]): JsonObject {
  const byUpstream = new Map(customGroups.map((group) => [group.upstream, group]));
  const paths: JsonObject = {};
  for (const [path, whole] of Object.entries(child(document, 'paths'))) {
    const at = resourceOfPath(path);
    if (at === undefined) continue;
    const own = byUpstream.get(at.group);
    const verbs = offered.verbs(own?.tenant ?? at.group, at.version, at.resource, at.subresource);
    const item = verbs && withOperations(whole, verbs);
    if (item === undefined) continue;
    if (own === undefined) {
      if (offered.groupVersion(at.group, at.version)?.custom !== false) continue;
      paths[path] = item;
    } else {
      renameIn(item, own);
      paths[path.replace(`/apis/${own.upstream}/`, `/apis/${own.tenant}/`)] = item;
    }
  }

  const definitions: JsonObject = {};
  for (const [name, schema] of Object.entries(child(document, 'definitions'))) {
    const own = groupsOf(schema)
      .map((group) => byUpstream.get(group))
      .find((group) => group !== undefined);
    if (own !== undefined) {
      renameIn(schema, own);
      definitions[schemaName(name, own)] = schema;
    } else if (isHostDefinition(name)) {
      definitions[name] = schema;
    }
  }
  return { ...document, paths, definitions };
}

/**
 * Kubernetes' own types are compiled in; a CRD's name may begin like theirs, but holds a separator or another root. Usages
 * are a kind that the proxy answers.
 */
function isHostDefinition(name: string): boolean {
  const isBuiltIn = /^(io\.k8s\.(api|apimachinery|apiextensions-apiserver|kube-aggregator)|dev\.kubeveil\.usage)\./;
  return isBuiltIn.test(name) && !name.includes('--');
}

function groupsOf(schema: JsonValue): string[] {
  const gvks = isObject(schema) ? schema[GVK] : undefined;
  return (Array.isArray(gvks) ? gvks : []).flatMap((gvk) =>
    isObject(gvk) && typeof gvk['group'] === 'string' ? [gvk['group']] : [],
  );
}
