/**
 * Answers the paths of discovery:
 *
 *   /api   /apis                     aggregated, or the list of versions or groups
 *   /apis/<group>
 *   /api/<version>   /apis/<group>/<version>
 *
 * A group, version or kind that the tenant does not have is 404 here as it is everywhere else.
 */
import { createHash } from 'node:crypto';
import { noSuchPath } from '../errors.ts';
import type { Accept, Reply } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Catalog } from './catalog.ts';
import { aggregated, apiGroup, apiGroupList, apiResourceList, apiVersions } from './documents.ts';

/** @returns undefined when the path is not one of discovery */
export function serveDiscovery(
  path: string,
  accept: Accept,
  ifNoneMatch: string | undefined,
  catalog: () => Catalog,
): Reply | undefined {
  const [, root, ...rest] = path.replace(/\/$/, '').split('/');
  if (root !== 'api' && root !== 'apis') return undefined;
  if (rest.length === 0) return withTag(top(root, accept, catalog()), ifNoneMatch);
  const [group, version, ...beyond] = root === 'api' ? ['', ...rest] : rest;
  const versions = catalog().get(group ?? '');
  if (versions === undefined || beyond.length > 0) throw noSuchPath('no-such-group');
  if (version === undefined) return { kind: 'object', status: 200, object: apiGroup(group ?? '', versions) };
  const found = versions.find((one) => one.version === version);
  if (found === undefined) throw noSuchPath('no-such-group');
  return { kind: 'object', status: 200, object: apiResourceList(group ?? '', found) };
}

function top(root: 'api' | 'apis', accept: Accept, catalog: Catalog): JsonObject {
  if (accept.as?.kind === 'APIGroupDiscoveryList') return aggregated(catalog, root === 'api', accept.as.version);
  return root === 'api' ? apiVersions(catalog) : apiGroupList(catalog);
}

/** The tag is of this tenant's document: nothing can be told from it of another's. */
function withTag(object: JsonObject, ifNoneMatch: string | undefined): Reply {
  const tag = `"${createHash('sha256').update(JSON.stringify(object)).digest('hex').toUpperCase().slice(0, 64)}"`;
  const headers = { etag: tag, vary: 'Accept' };
  if (ifNoneMatch === tag) return { kind: 'bytes', status: 304, contentType: '', bytes: new Uint8Array(), headers };
  return { kind: 'object', status: 200, object, headers };
}
