/**
 * URL and method -> RequestInfo, as kube-apiserver reads them. Accepted forms, each also below `/tenants/{id}`:
 *
 *   /api/{version}/{resource}[/{name}[/{subresource}]]
 *   /api/{version}/namespaces/{namespace}/{resource}[/{name}[/{subresource}]]
 *   /api/{version}/namespaces/{name}/status|finalize
 *   /api/{version}/.../{name}/proxy/{any path}
 *   /api/{version}/watch/...                  the older spelling of ?watch=true; a name in it is a field selector
 *   /apis/{group}/{version}/...               the same for named groups; of metrics that an adapter names, what would be a
 *                                             subresource is a metric, and no name of one means anything else
 *   anything else                             not a resource: discovery, OpenAPI, version, health
 *
 * Unlike kube-apiserver it refuses what has a second reading; see target.ts. Whether the kind exists and offers the
 * verb is decided later.
 *
 * @see k8s.io/apiserver pkg/endpoints/request/requestinfo.go at v0.36
 */
import { ApiError, methodNotAllowed, noSuchPath } from '../errors.ts';
import type { Query, RequestInfo, ResourceInfo } from '../exchange.ts';
import { FieldSelector } from '../k8s/selector.ts';
import type { Verb } from '../kinds/kind.ts';
import type { TenantName } from '../tenancy/names.ts';
import { reachingBy } from './reaching.ts';
import { selectedName } from './selected-name.ts';
import { parseQuery, parseTarget, type Target } from './target.ts';

/** Of `namespaces/{name}`; every other segment after the name is a namespaced resource. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);
/** A read-only right must not give a shell: these need `create`, whatever the method. */
const CONNECTS = new Set(['attach', 'exec', 'portforward']);
const REPEATED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['exec', new Set(['command'])],
  ['portforward', new Set(['ports'])],
]);
/** With a slash behind it such a path is another, which nothing serves. */
const TAKEN_EXACTLY = /^\/(?:healthz|livez|readyz|openapi)(?:\/|$)/;
const REPEATED_OF_HEALTH: ReadonlySet<string> = new Set(['exclude']);
/** What goes to a pod as it is. */
const PASSED_QUERY = /^[!"$-~]*$/;
/** No HEAD and no OPTIONS: the server's router has no resource for them, but what has its own HTTP. */
const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['GET', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);
const VERBS_OF_PROXY: ReadonlyMap<string, Verb> = new Map([...VERBS, ['HEAD', 'get'], ['OPTIONS', '']]);

/**
 * @param method upper case
 * @param target path and query as sent
 * @throws {ApiError} ERR_BAD_REQUEST malformed; ERR_NOT_FOUND no URL of this form is served; ERR_METHOD_NOT_ALLOWED
 */
export function parseRequestInfo(method: string, target: string): RequestInfo {
  const { segments, trailingSlash, rawQuery } = parseTarget(target);
  const [first, id] = segments;
  const claimed = first === 'tenants' && id !== undefined ? id : undefined;
  const path = claimed === undefined ? segments : segments.slice(2);
  const root = resourceRoot(path);
  if (root === undefined) {
    const parameters = parseQuery(rawQuery, REPEATED_OF_HEALTH);
    const whole = `/${path.join('/')}`;
    const slash = trailingSlash && TAKEN_EXACTLY.test(whole) ? '/' : '';
    return { isResource: false, verb: method.toLowerCase(), path: whole + slash, ...parameters, claimed };
  }
  return resourceInfo(method, { segments: path.slice(root.length), trailingSlash, rawQuery }, root, claimed);
}

interface Root {
  readonly group: string;
  readonly version: string;
  /** How many segments the root takes. */
  readonly length: number;
}

function resourceRoot(path: readonly string[]): Root | undefined {
  const [prefix, second, third] = path;
  if (prefix === 'api' && path.length >= 3 && second !== undefined) return { group: '', version: second, length: 2 };
  if (prefix === 'apis' && path.length >= 4 && second !== undefined && third !== undefined) {
    return { group: second, version: third, length: 3 };
  }
  return undefined;
}

function resourceInfo(method: string, target: Target, root: Root, claimed: string | undefined): ResourceInfo {
  let parts = target.segments;
  let verb = verbOf(method, VERBS_OF_PROXY);
  const watchPath = parts[0] === 'watch';
  if (watchPath) {
    parts = parts.slice(1);
    if (parts.length === 0) {
      throw new ApiError('ERR_BAD_REQUEST', 'unable to determine kind and namespace from url', {
        why: 'malformed-url',
      });
    }
    if (verb !== 'get') throw methodNotAllowed();
    verb = 'watch';
  } else if (parts[0] === 'proxy') {
    throw noSuchPath();
  }

  let namespace = '';
  if (parts[0] === 'namespaces' && parts[1] !== undefined) {
    const third = parts[2];
    if (third !== undefined && !NAMESPACE_SUBRESOURCES.has(third)) {
      namespace = parts[1];
      parts = parts.slice(2);
    }
  }

  const [resource = '', urlName = '', subresource = '', ...rest] = parts;
  const reaching = reachingBy({ group: root.group, subresource });
  const isProxy = reaching === 'proxy' && !watchPath;
  if (!isProxy) verbOf(method, VERBS);
  if (isProxy && target.trailingSlash) rest.push('');
  if (!isProxy && rest.length > 0) throw noSuchPath();
  if (watchPath && subresource !== '') throw noSuchPath();
  if (isProxy && !PASSED_QUERY.test(target.rawQuery)) throw malformedQuery();
  const { query, repeated } = parseQuery(isProxy ? '' : target.rawQuery, REPEATED.get(reaching));
  // As what it is: a WebSocket asks by GET for what SPDY asks for by POST.
  if (CONNECTS.has(reaching) && verb === 'get') verb = 'create';

  let name = urlName;
  if (name === '' && verb === 'get') {
    verb = asksToWatch(query) ? 'watch' : 'list';
    name = selectedName(query) ?? '';
  } else if (name === '' && verb === 'delete') {
    verb = 'deletecollection';
  }
  return {
    isResource: true,
    verb,
    group: root.group,
    version: root.version,
    resource,
    subresource,
    rest,
    namespace: namespace as TenantName | '',
    name,
    query: watchPath && urlName !== '' ? pinnedTo(urlName, query) : query,
    ...(isProxy ? { rawQuery: target.rawQuery } : {}),
    ...(repeated.size > 0 ? { repeated } : {}),
    claimed,
  };
}

/** What follows selects by parameters alone: a name in the path of a watch must be among them, or it selects nothing. */
function pinnedTo(name: string, query: Query): Query {
  const given = query.get('fieldSelector') ?? '';
  if (given === '') {
    const selector = new FieldSelector([{ field: 'metadata.name', operator: '=', value: name }]);
    return new Map([...query, ['fieldSelector', selector.toString()]]);
  }
  if (selectedName(query) === name) return query;
  throw new ApiError('ERR_BAD_REQUEST', "fieldSelector metadata.name doesn't match requested name");
}

function malformedQuery(): ApiError {
  const message = 'the request URL is malformed: the query must be printable ASCII without "#"; escape everything else';
  return new ApiError('ERR_BAD_REQUEST', message, { why: 'malformed-url' });
}

function verbOf(method: string, verbs: ReadonlyMap<string, Verb>): Verb {
  const verb = verbs.get(method);
  if (verb === undefined) throw methodNotAllowed();
  return verb;
}

/** As Kubernetes converts a query parameter to a boolean: present and neither `0` nor `false`. */
function asksToWatch(query: Query): boolean {
  const value = query.get('watch')?.toLowerCase();
  return value !== undefined && value !== '0' && value !== 'false';
}
