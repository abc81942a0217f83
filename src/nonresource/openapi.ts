/**
 * The OpenAPI documents of one tenant: v3 as an index and a document for each group version, v2 as one document, in JSON
 * or protobuf. What they hold is what discovery tells; another path is none of OpenAPI's.
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-interface-definition
 */
import type { Catalog } from '../discovery/catalog.ts';
import type { NonResourceRequest, Reply } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { KindRegistry } from '../kinds/kind.ts';
import { parseAccept } from '../lib/accept-header.ts';
import { openApiV2 } from '../openapi/v2.ts';
import { encodeOpenApiV2, OPENAPI_V2_PROTOBUF } from '../openapi/v2-proto.ts';
import { type Offered, OpenApiV3 } from '../openapi/v3.ts';
import type { Upstream } from '../ports.ts';
import type { TenantName, TenantNames } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';

export interface OpenApiOptions {
  readonly upstream: Upstream;
  readonly kinds: Pick<KindRegistry, 'isHostGroup'>;
  namesOf(tenant: Tenant): TenantNames;
}

type OpenApiRequest = Pick<NonResourceRequest, 'head' | 'info' | 'tenant'>;

/** The answer; undefined for a path that is not one of OpenAPI. */
export type OpenApi = (request: OpenApiRequest, catalog: () => Catalog) => Promise<Reply | undefined>;

const V3 = '/openapi/v3';

export function createOpenApi({ upstream, kinds, namesOf }: OpenApiOptions): OpenApi {
  const v3 = new OpenApiV3(upstream);
  const isCustomGroup = (group: string): boolean => !kinds.isHostGroup(group);

  async function serveV2({ head, tenant }: OpenApiRequest, catalog: Catalog): Promise<Reply> {
    const offered = offeredBy(catalog, namesOf(tenant), isCustomGroup);
    const groups = [...catalog.keys()].filter(isCustomGroup);
    const named = groups.map((group) => ({ tenant: group, upstream: offered.names.up(group as TenantName) }));
    const document = await openApiV2(upstream, offered, named);
    if (!wantsProtobuf(head.headers.get('accept'))) return reply(document);
    return { kind: 'bytes', status: 200, contentType: OPENAPI_V2_PROTOBUF, bytes: encodeOpenApiV2(document) };
  }

  return async (request, catalog) => {
    const { path } = request.info;
    if (path === '/openapi/v2') return await serveV2(request, catalog());
    if (path !== V3 && !path.startsWith(`${V3}/`)) return undefined;
    const offered = offeredBy(catalog(), namesOf(request.tenant), isCustomGroup);
    const below = path.slice(V3.length + 1);
    return reply(await (below === '' ? v3.index(offered) : v3.document(below, offered)));
  };
}

function offeredBy(catalog: Catalog, names: TenantNames, isCustomGroup: (group: string) => boolean): Offered {
  return {
    names,
    groupVersion(group, version) {
      const has = catalog.get(group)?.some((one) => one.version === version) === true;
      return has ? { custom: isCustomGroup(group) } : undefined;
    },
    resource(group, version, resource, subresource) {
      const entries = catalog.get(group)?.find((one) => one.version === version)?.entries;
      const entry = entries?.find((one) => one.resource === resource);
      if (entry === undefined || subresource === '') return entry !== undefined;
      return entry.subresources.some((sub) => sub.subresource === subresource);
    },
  };
}

/** kubectl asks for nothing else. Both spellings are in use. */
function wantsProtobuf(accept: string | undefined): boolean {
  const known = /^(?:\*|json|com\.github\.proto-openapi\.spec\.v2[.@]v1\.0\+protobuf)$/;
  const first = parseAccept(accept ?? '').find(({ subtype }) => known.test(subtype));
  return first?.subtype.endsWith('+protobuf') === true;
}

function reply(document: JsonObject): Reply {
  return { kind: 'object', status: 200, object: document };
}
