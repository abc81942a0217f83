/**
 * OpenAPI v3: an index of group versions, and one document for each.
 *
 *   /openapi/v3
 *   /openapi/v3/api/v1   /openapi/v3/apis/<group>/<version>
 *
 * Only groups of the tenant's catalog are in the index, under hashes of our own, so that none of upstream's tells of a
 * change elsewhere.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3
 */

import { createHash } from 'node:crypto';
import { readObject } from '../codec/json.ts';
import { ApiError, noSuchPath } from '../errors.ts';
import { child } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { Upstream } from '../ports.ts';
import type { TenantName, TenantNames } from '../tenancy/names.ts';
import { type GroupNames, pathsOf, renameIn, resourceOfPath, schemaName } from './group-names.ts';

/** What a tenant has, as far as OpenAPI asks. */
export interface Offered {
  readonly names: TenantNames;
  /** `isCustom` undefined: the tenant has no such group version. */
  groupVersion(group: string, version: string): { custom: boolean } | undefined;
  resource(group: string, version: string, resource: string, subresource: string): boolean;
}

interface Index {
  readonly paths: ReadonlyMap<string, string>;
}

export class OpenApiV3 {
  readonly #upstream: Upstream;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  /** The index in tenant terms. */
  async index(offered: Offered): Promise<JsonObject> {
    const { paths } = await this.#index();
    const shown: JsonObject = {};
    for (const [path, url] of paths) {
      const tenantPath = pathToTenant(path, offered);
      if (tenantPath === undefined) continue;
      const hash = createHash('sha256')
        .update(`${offered.names.tenant}\n${url}`)
        .digest('hex')
        .toUpperCase()
        .slice(0, 64);
      shown[tenantPath] = { serverRelativeURL: `/openapi/v3/${tenantPath}?hash=${hash}` };
    }
    return { paths: shown };
  }

  /** The document of one group version. @param path `apis/stable.example.com/v1`, in tenant terms */
  async document(path: string, offered: Offered): Promise<JsonObject> {
    const [root, first, second] = path.split('/');
    const [group, version] = root === 'api' ? ['', first] : [first, second];
    const known = group !== undefined && version !== undefined ? offered.groupVersion(group, version) : undefined;
    if (known === undefined || group === undefined) throw noSuchPath('no-such-group');
    const names: GroupNames | undefined = known.custom
      ? { upstream: offered.names.up(group as TenantName), tenant: group }
      : undefined;
    const document = await this.#fetch(
      names === undefined ? `/openapi/v3/${path}` : `/openapi/v3/apis/${names.upstream}/${version}`,
    );
    return toTenantDocument(document, names, offered);
  }

  async #index(): Promise<Index> {
    const document = await this.#fetch('/openapi/v3');
    const paths = new Map<string, string>();
    for (const [path, entry] of Object.entries(child(document, 'paths'))) {
      if (isObject(entry)) paths.set(path, String(entry['serverRelativeURL']));
    }
    return { paths };
  }

  async #fetch(path: string): Promise<JsonObject> {
    const answer = await this.#upstream.request({
      identity: { as: 'reader' },
      method: 'GET',
      path,
      accept: 'application/json',
    });
    if (answer.status === 404) throw noSuchPath('no-such-group');
    if (answer.status !== 200)
      throw new ApiError('ERR_UNAVAILABLE', 'the OpenAPI document cannot be read at the moment; try again');
    return readObject(answer.body);
  }
}

/** `apis/acme--stable.example.com/v1` -> `apis/stable.example.com/v1`; undefined when it is not the tenant's. */
function pathToTenant(path: string, offered: Offered): string | undefined {
  const parts = path.split('/');
  if (parts[0] === 'api' && parts.length === 2)
    return offered.groupVersion('', parts[1] ?? '') === undefined ? undefined : path;
  const [root, group, version] = parts;
  if (root !== 'apis' || group === undefined || version === undefined || parts.length !== 3) return undefined;
  const own = offered.names.down(group as never);
  if (own !== undefined && offered.groupVersion(own, version)?.custom === true) return `apis/${own}/${version}`;
  return offered.groupVersion(group, version)?.custom === false ? path : undefined;
}

function toTenantDocument(document: JsonObject, names: GroupNames | undefined, offered: Offered): JsonObject {
  const paths = pathsOf(document, names, (path) => {
    const at = resourceOfPath(path);
    return at === undefined || offered.resource(at.group, at.version, at.resource, at.subresource);
  });
  const components = child(document, 'components');
  const schemas: JsonObject = {};
  for (const [name, schema] of Object.entries(child(components, 'schemas'))) {
    if (names !== undefined) renameIn(schema, names);
    schemas[names === undefined ? name : schemaName(name, names)] = schema;
  }
  return { ...document, paths, components: { ...components, schemas } };
}
