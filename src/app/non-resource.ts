/**
 * Requests that name no resource: health, version, discovery and OpenAPI. Everything is made by the proxy from what the
 * tenant has; no such path is ever passed on. What is not listed here is 404, whatever rights the caller has.
 */
import type { Catalog } from '../discovery/catalog.ts';
import { serveDiscovery } from '../discovery/serve.ts';
import { ApiError } from '../errors.ts';
import type { NonResourceRequest, Reply, RequestInfo } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { KindRegistry } from '../kinds/kind.ts';
import { openApiV2 } from '../openapi/v2.ts';
import { encodeOpenApiV2, OPENAPI_V2_PROTOBUF } from '../openapi/v2-proto.ts';
import { type Offered, OpenApiV3 } from '../openapi/v3.ts';
import type { Upstream } from '../ports.ts';
import { parseAccept } from '../requestinfo/accept-header.ts';
import type { TenantNames } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';

const PATHS = ['/api', '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'];
const HEALTH = new Set(['/healthz', '/livez', '/readyz']);

/** Answers the health paths; undefined for any other. `problem` says why the proxy is not ready, for the log only. */
export function health(info: RequestInfo, problem: () => string | undefined): Reply | undefined {
  if (info.isResource || info.claimed !== undefined || !HEALTH.has(info.path)) return undefined;
  if (info.verb !== 'get' && info.verb !== 'head')
    throw new ApiError('ERR_METHOD_NOT_ALLOWED', 'health is asked for with GET');
  const ready = info.path !== '/readyz' || problem() === undefined;
  return plain(ready ? 200 : 503, ready ? 'ok' : 'not ready');
}

export interface NonResourceOptions {
  upstream: Upstream;
  kinds: KindRegistry;
  catalogOf(tenant: Tenant): Catalog;
  namesOf(tenant: Tenant): TenantNames;
}

export function nonResource(
  options: NonResourceOptions,
): (request: Omit<NonResourceRequest, 'identity'>) => Promise<Reply> {
  const v3 = new OpenApiV3(options.upstream);
  return async ({ head, info, accept, tenant }) => {
    if (info.verb !== 'get' && info.verb !== 'head') {
      throw new ApiError('ERR_METHOD_NOT_ALLOWED', 'the server does not allow this method on the requested resource');
    }
    const { path } = info;
    if (HEALTH.has(path)) return plain(200, 'ok');
    if (path === '/' || path === '') return object({ paths: PATHS });
    if (path === '/version') return await version(options.upstream);
    const catalog = memo(() => options.catalogOf(tenant));
    const found = serveDiscovery(path, accept, head.headers.get('if-none-match'), catalog);
    if (found !== undefined) return found;
    const offered = offeredTo(tenant, options, catalog());
    if (path === '/openapi/v3' || path === '/openapi/v3/') return object(await v3.index(offered));
    if (path.startsWith('/openapi/v3/')) return object(await v3.document(path.slice('/openapi/v3/'.length), offered));
    if (path === '/openapi/v2') {
      const groups = [...catalog().keys()].filter((group) => offered.isCustomGroup(group));
      const named = groups.map((group) => ({ tenant: group, upstream: offered.names.up(group as never) as string }));
      const document = await openApiV2(options.upstream, offered, named);
      if (!wantsProtobuf(head.headers.get('accept'))) return object(document);
      return { kind: 'bytes', status: 200, contentType: OPENAPI_V2_PROTOBUF, bytes: encodeOpenApiV2(document) };
    }
    throw new ApiError('ERR_NOT_FOUND', 'the server could not find the requested resource', { why: 'no-such-path' });
  };
}

function offeredTo(
  tenant: Tenant,
  options: NonResourceOptions,
  catalog: Catalog,
): Offered & { isCustomGroup(group: string): boolean } {
  const isCustomGroup = (group: string): boolean => !options.kinds.isHostGroup(group);
  return {
    names: options.namesOf(tenant),
    isCustomGroup,
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

async function version(upstream: Upstream): Promise<Reply> {
  const answer = await upstream.request({ identity: { as: 'reader' }, method: 'GET', path: '/version' });
  if (answer.status !== 200)
    throw new ApiError('ERR_UNAVAILABLE', 'the version cannot be read at the moment; try again');
  return object(JSON.parse(Buffer.from(answer.body).toString('utf8')) as JsonObject);
}

function object(document: JsonObject): Reply {
  return { kind: 'object', status: 200, object: document };
}

function plain(status: number, text: string): Reply {
  return { kind: 'bytes', status, contentType: 'text/plain; charset=utf-8', bytes: Buffer.from(text) };
}

function memo<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
