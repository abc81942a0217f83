/**
 * The OpenAPI documents of one tenant: v3 as an index and a document for each group version, v2 as one document, in JSON
 * or protobuf. What they hold is what discovery tells; another path is none of OpenAPI's.
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-interface-definition
 */
import type { Catalog } from '../discovery/catalog.ts';
import type { NonResourceRequest, Reply, ReplyHeaders } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { KindRegistry } from '../kinds/kind.ts';
import { parseAccept } from '../lib/accept-header.ts';
import { createPrintedDocuments } from '../openapi/printed.ts';
import { createOpenApiSource, hashOf } from '../openapi/source.ts';
import { openApiV2 } from '../openapi/v2.ts';
import { encodeOpenApiV2, OPENAPI_V2_PROTOBUF } from '../openapi/v2-proto.ts';
import { type Offered, OpenApiV3, urlOf } from '../openapi/v3.ts';
import { encodeOpenApiV3, OPENAPI_V3_PROTOBUF } from '../openapi/v3-proto.ts';
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
const JSON_TYPE = 'application/json';

/** A form that a document is given in. */
interface Form {
  readonly contentType: string;
  /** As clients ask for it: both spellings of protobuf are in use. */
  readonly subtypes: readonly string[];
  readonly encode?: (document: JsonObject) => Uint8Array;
}

const AS_JSON: Form = { contentType: JSON_TYPE, subtypes: ['json'] };
const FORMS_V2 = [AS_JSON, protobuf(OPENAPI_V2_PROTOBUF, encodeOpenApiV2)];
const FORMS_V3 = [AS_JSON, protobuf(OPENAPI_V3_PROTOBUF, encodeOpenApiV3)];

function protobuf(contentType: string, encode: (document: JsonObject) => Uint8Array): Form {
  const subtype = contentType.slice('application/'.length);
  return { contentType, subtypes: [subtype, subtype.replace('.v1.0', '@v1.0')], encode };
}

export function createOpenApi({ upstream, kinds, namesOf }: OpenApiOptions): OpenApi {
  const source = createOpenApiSource(upstream);
  const v3 = new OpenApiV3(source);
  const printed = createPrintedDocuments();
  const isCustomGroup = (group: string): boolean => !kinds.isHostGroup(group);

  async function serveV2({ head, tenant }: OpenApiRequest, catalog: Catalog): Promise<Reply> {
    const offered = offeredBy(catalog, namesOf(tenant), isCustomGroup);
    const groups = [...catalog.keys()].filter(isCustomGroup);
    const named = groups.map((group) => ({ tenant: group, upstream: offered.names.up(group as TenantName) }));
    const document = await source('/openapi/v2');
    const form = formOf(head.headers.get('accept'), FORMS_V2);
    if (form === undefined) return notAcceptable();
    const { tag, bytes } = printed.get(
      ['v2', form.contentType, offered.names.tenant, document.tag, offered.fingerprint()].join(' '),
      () => openApiV2(document.read(), offered, named),
      form.encode,
    );
    return tagged(head, form.contentType, bytes, { etag: `"${tag}"`, vary: 'Accept' });
  }

  async function serveIndex({ head }: OpenApiRequest, offered: Offered): Promise<Reply> {
    const bytes = Buffer.from(JSON.stringify(await v3.index(offered)));
    // As the API server calls it.
    return tagged(head, 'text/plain; charset=utf-8', bytes, { etag: `"${hashOf(bytes)}"` });
  }

  async function serveV3({ head, info }: OpenApiRequest, path: string, offered: Offered): Promise<Reply> {
    const { hash, make } = await v3.document(path, offered);
    const asked = info.query.get('hash') ?? '';
    const prefix = info.claimed === undefined ? '' : `/tenants/${info.claimed}`;
    const form = formOf(head.headers.get('accept'), FORMS_V3);
    if (form === undefined) return notAcceptable();
    if (asked !== '' && asked !== hash) return moved(`${prefix}${urlOf(path, hash)}`);
    const { bytes } = printed.get(`v3 ${form.contentType} ${path} ${hash}`, make, form.encode);
    return tagged(head, form.contentType, bytes, {
      etag: `"${hash}"`,
      vary: 'Accept',
      ...(asked === '' ? {} : { 'cache-control': 'public, immutable', expires: inOneYear() }),
    });
  }

  return async (request, catalog) => {
    const { path } = request.info;
    if (path === '/openapi/v2') return await serveV2(request, catalog());
    if (path !== V3 && !path.startsWith(`${V3}/`)) return undefined;
    const offered = offeredBy(catalog(), namesOf(request.tenant), isCustomGroup);
    return path === V3
      ? await serveIndex(request, offered)
      : await serveV3(request, path.slice(V3.length + 1), offered);
  };
}

/** The document, unless the client has it. */
function tagged(
  head: OpenApiRequest['head'],
  contentType: string,
  bytes: Uint8Array,
  headers: ReplyHeaders & { readonly etag: string },
): Reply {
  const isKnown = (head.headers.get('if-none-match') ?? '')
    .split(/,\s*/)
    .some((tag) => tag === headers.etag || tag === '*');
  if (isKnown) return { kind: 'bytes', status: 304, contentType, bytes: new Uint8Array(), headers };
  return { kind: 'bytes', status: 200, contentType, bytes, headers };
}

/** The document has changed since its index was read. */
function moved(url: string): Reply {
  const page = `<a href="${url}">Moved Permanently</a>.\n\n`;
  const contentType = 'text/html; charset=utf-8';
  return {
    kind: 'bytes',
    status: 301,
    contentType,
    bytes: Buffer.from(page),
    headers: { location: url, vary: 'Accept' },
  };
}

function inOneYear(): string {
  const then = new Date();
  then.setFullYear(then.getFullYear() + 1);
  return then.toUTCString();
}

function offeredBy(catalog: Catalog, names: TenantNames, isCustomGroup: (group: string) => boolean): Offered {
  return {
    names,
    groupVersion(group, version) {
      const has = catalog.get(group)?.some((one) => one.version === version) === true;
      return has ? { custom: isCustomGroup(group) } : undefined;
    },
    fingerprint(group, version) {
      const wanted = [...catalog].filter(([name]) => group === undefined || name === group);
      return JSON.stringify(
        wanted.map(([name, versions]) => [
          name,
          versions
            .filter((one) => version === undefined || one.version === version)
            .map((one) => [
              one.version,
              one.entries.map(({ resource, verbs, subresources }) => [
                resource,
                verbs,
                ...subresources.map((sub) => [sub.subresource, sub.verbs]),
              ]),
            ]),
        ]),
      );
    },
    verbs(group, version, resource, subresource) {
      const entries = catalog.get(group)?.find((one) => one.version === version)?.entries;
      const entry = entries?.find((one) => one.resource === resource);
      const at = subresource === '' ? entry : entry?.subresources.find((sub) => sub.subresource === subresource);
      return at?.verbs;
    },
  };
}

/** The form that the client asks for, as kube-openapi finds it: weights order, and none of them refuses. */
function formOf(accept: string | undefined, forms: readonly Form[]): Form | undefined {
  for (const { type, subtype } of parseAccept(accept || '*/*')) {
    if (type !== 'application' && type !== '*') continue;
    const found = forms.find(({ subtypes }) => subtype === '*' || subtypes.includes(subtype));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Nothing is said, as kube-openapi says nothing. */
function notAcceptable(): Reply {
  const headers = { vary: 'Accept' };
  return { kind: 'bytes', status: 406, contentType: undefined, bytes: new Uint8Array(), headers };
}
