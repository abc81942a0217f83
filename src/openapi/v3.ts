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
import { noSuchPath } from '../errors.ts';
import { child } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { TenantName, TenantNames } from '../tenancy/names.ts';
import { type GroupNames, pathsOf, renameIn, resourceOfPath, schemaName } from './group-names.ts';
import { withOperations } from './operations.ts';
import { hashOf, type OpenApiSource } from './source.ts';

/** What a tenant has, as far as OpenAPI asks. */
export interface Offered {
  readonly names: TenantNames;
  /** Undefined: the tenant has no such group version. */
  groupVersion(group: string, version: string): { custom: boolean } | undefined;
  /** Undefined: the tenant has no such resource. */
  verbs(group: string, version: string, resource: string, subresource: string): readonly string[] | undefined;
  /** What the tenant has of a group version, in one word; of everything, when left out. */
  fingerprint(group?: string, version?: string): string;
}

/** One document of a tenant, before it is made. */
export interface DocumentV3 {
  /** Another one for other contents. */
  readonly hash: string;
  make(): JsonObject;
}

export class OpenApiV3 {
  readonly #source: OpenApiSource;

  constructor(source: OpenApiSource) {
    this.#source = source;
  }

  /** The index in tenant terms. */
  async index(offered: Offered): Promise<JsonObject> {
    const shown: JsonObject = {};
    for (const [path, url] of await this.#urls()) {
      const tenantPath = pathToTenant(path, offered);
      if (tenantPath === undefined) continue;
      shown[tenantPath] = { serverRelativeURL: urlOf(tenantPath, hashFor(tenantPath, url, offered)) };
    }
    return { paths: shown };
  }

  /** The document of one group version. @param path `apis/stable.example.com/v1`, in tenant terms */
  async document(path: string, offered: Offered): Promise<DocumentV3> {
    const { group, version } = groupVersionIn(path);
    const known = offered.groupVersion(group, version);
    if (known === undefined) throw noSuchPath('no-such-group');
    const names: GroupNames | undefined = known.custom
      ? { upstream: offered.names.up(group as TenantName), tenant: group }
      : undefined;
    const upstreamPath = names === undefined ? path : `apis/${names.upstream}/${version}`;
    const url = (await this.#urls()).get(upstreamPath);
    if (url === undefined) throw noSuchPath('no-such-group');
    // Newer than the index says it may be; the next index then says another hash.
    const document = await this.#source(`/openapi/v3/${upstreamPath}`);
    return {
      hash: hashFor(path, url, offered),
      make: () => toTenantDocument(document.read(), names, offered),
    };
  }

  async #urls(): Promise<Map<string, string>> {
    const urls = new Map<string, string>();
    for (const [path, entry] of Object.entries(child((await this.#source('/openapi/v3')).read(), 'paths'))) {
      if (isObject(entry)) urls.set(path, String(entry['serverRelativeURL']));
    }
    return urls;
  }
}

/** Where the document of a group version is. @param path in tenant terms */
export function urlOf(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`;
}

function hashFor(path: string, upstreamUrl: string, offered: Offered): string {
  const { group, version } = groupVersionIn(path);
  return hashOf(`${offered.names.tenant}\n${upstreamUrl}\n${offered.fingerprint(group, version)}`);
}

/** `api/v1` and `apis/apps/v1`; anything else names nothing that anybody has. */
function groupVersionIn(path: string): { group: string; version: string } {
  const [root, first = '', second = '', ...rest] = path.split('/');
  if (root === 'api' && second === '' && rest.length === 0) return { group: '', version: first };
  return root === 'apis' && first !== '' && rest.length === 0
    ? { group: first, version: second }
    : { group: '', version: '' };
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
  const paths = pathsOf(document, names, (path, item) => {
    const at = resourceOfPath(path);
    if (at === undefined) return item;
    const verbs = offered.verbs(at.group, at.version, at.resource, at.subresource);
    return verbs && withOperations(item, verbs);
  });
  const components = child(document, 'components');
  const schemas: JsonObject = {};
  for (const [name, schema] of Object.entries(child(components, 'schemas'))) {
    if (names !== undefined) renameIn(schema, names);
    schemas[names === undefined ? name : schemaName(name, names)] = schema;
  }
  return { ...document, paths, components: { ...components, schemas } };
}
