/**
 * Requests that name no resource: version, discovery, OpenAPI, the issuer of tokens, and health once more for who has passed every check.
 * Everything is made by the proxy from what the tenant has; no such path is ever passed on. What is not listed here is
 * 404, whatever rights the caller has.
 */
import { readObject } from '../codec/json.ts';
import type { Catalog } from '../discovery/catalog.ts';
import { serveDiscovery } from '../discovery/serve.ts';
import { ApiError, methodNotAllowed, noSuchPath } from '../errors.ts';
import type { NonResourceRequest, Reply } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Upstream } from '../ports.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { HEALTH_PATHS, type HealthCheck, healthOf } from './health.ts';
import { ISSUER_PATHS, type IssuerOptions, serveIssuer } from './issuer.ts';
import { createOpenApi, type OpenApiOptions } from './openapi.ts';

export interface NonResourceOptions extends OpenApiOptions, IssuerOptions {
  catalogOf(tenant: Tenant): Catalog;
  /** What the proxy must have before it serves anybody. */
  readonly checks: readonly HealthCheck[];
}

export type NonResourceHandler = (request: Omit<NonResourceRequest, 'identity'>) => Promise<Reply>;

const PATHS = ['/api', '/apis', ...HEALTH_PATHS, ...ISSUER_PATHS, '/openapi/v2', '/openapi/v3', '/version'].sort();

/** Paths that the API server serves beside its router, which knows no HEAD. */
const TAKES_HEAD = /^\/(?:$|apis(?:\/[^/]+)?$|openapi\/|healthz|livez|readyz)/;

/** The handler throws {ApiError} ERR_METHOD_NOT_ALLOWED, ERR_NOT_FOUND, or ERR_UNAVAILABLE where the host does not tell. */
export function createNonResourceHandler(options: NonResourceOptions): NonResourceHandler {
  const openApi = createOpenApi(options);
  return async ({ head, info, accept, tenant }) => {
    const { path, verb } = info;
    if (verb !== 'get' && !(verb === 'head' && TAKES_HEAD.test(path))) throw methodNotAllowed();
    const health = healthOf(info, options.checks);
    if (health !== undefined) return health;
    if (path === '/' || path === '') return reply({ paths: PATHS });
    if (path === '/version') return await version(options.upstream);
    const issuer = await serveIssuer({ head, info }, options);
    if (issuer !== undefined) return issuer;
    const catalog = once(() => options.catalogOf(tenant));
    const found =
      serveDiscovery(path, accept, head.headers.get('if-none-match'), catalog) ??
      (await openApi({ head, info, tenant }, catalog));
    if (found === undefined) throw noSuchPath();
    return found;
  };
}

async function version(upstream: Upstream): Promise<Reply> {
  const answer = await upstream.request({ identity: { as: 'reader' }, method: 'GET', path: '/version' });
  if (answer.status !== 200) {
    throw new ApiError('ERR_UNAVAILABLE', 'the version cannot be read at the moment; try again');
  }
  return reply(readObject(answer.body));
}

function reply(document: JsonObject): Reply {
  return { kind: 'object', status: 200, object: document };
}

/** Makes it when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
