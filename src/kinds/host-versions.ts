/**
 * Which versions of which resources the host serves, read from its discovery.
 *
 * The table says what a kind is, the host says in which versions it exists: a tenant is offered what both know, so a
 * host of another minor release needs no other table.
 *
 * @see k8s.io/api apidiscovery/v2/types.go at v0.36
 */
import { child, objects, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';

/** group -> version -> resources, without subresources. The core group is `''`. */
export type HostVersions = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/**
 * Reads the aggregated discovery documents of `/api` and `/apis` (`APIGroupDiscoveryList`). A group whose API service
 * does not answer comes marked stale, without resources or with those last seen; both are taken as they stand.
 *
 * @throws {TypeError} when a document is of another kind: nothing may then be concluded from it.
 */
export function readHostVersions(...documents: readonly JsonObject[]): HostVersions {
  const groups = new Map<string, Map<string, Set<string>>>();
  for (const document of documents) {
    if (document['kind'] !== 'APIGroupDiscoveryList') {
      throw new TypeError(
        `discovery answered ${JSON.stringify(document['kind'])} instead of an APIGroupDiscoveryList: is the host older than 1.30?`,
      );
    }
    for (const item of objects(document, 'items')) {
      const group = text(child(item, 'metadata'), 'name');
      const versions = groups.get(group) ?? new Map<string, Set<string>>();
      groups.set(group, versions);
      for (const version of objects(item, 'versions')) {
        if (typeof version['version'] === 'string') versions.set(version['version'], resourcesOf(version));
      }
    }
  }
  return groups;
}

function resourcesOf(version: JsonObject): Set<string> {
  const names = objects(version, 'resources').map((resource) => resource['resource']);
  return new Set(names.filter((name) => typeof name === 'string'));
}
