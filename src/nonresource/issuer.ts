/**
 * The issuer of service-account tokens, for whoever checks one without asking the API server: a document that names it and
 * its keys. Tokens of tenants are signed by the host, so both are the host's, of which only public fields are shown.
 *
 * The keys alone do not tell tenants apart: the audience does, which is always the tenant's own or below it, and what
 * checks a token has to look at it (docs/security.md).
 *
 * @see k8s.io/kubernetes pkg/serviceaccount/openidmetadata.go and pkg/routes/openidmetadata.go at v1.36
 */
import { readObject } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { NonResourceRequest, Reply } from '../exchange.ts';
import { text } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { parseAccept } from '../lib/accept-header.ts';
import type { Upstream } from '../ports.ts';

export interface IssuerOptions {
  readonly upstream: Upstream;
  /** URL under which tenants reach the proxy; resolves when it is known. */
  readonly server: () => Promise<string>;
}

const DOCUMENT = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';
export const ISSUER_PATHS = [DOCUMENT, KEYS];

const JSON_TYPE = 'application/json';
const KEYS_TYPE = 'application/jwk-set+json';
/** Public fields of RSA and elliptic-curve keys (RFC 7517 and 7518): anything else may be private. */
const KEY_FIELDS = ['use', 'kty', 'kid', 'crv', 'alg', 'n', 'e', 'x', 'y'];
/** How long a copy is good, as the host says it. */
const MAX_AGE = /^public, max-age=\d+$/;

type Asked = Pick<NonResourceRequest, 'head' | 'info'>;

/**
 * Undefined for any other path.
 * @throws {ApiError} ERR_NOT_ACCEPTABLE, or ERR_UNAVAILABLE where the host does not tell
 */
export async function serveIssuer({ head, info }: Asked, options: IssuerOptions): Promise<Reply | undefined> {
  if (!ISSUER_PATHS.includes(info.path)) return undefined;
  const contentType = info.path === KEYS ? KEYS_TYPE : JSON_TYPE;
  mustAccept(head.headers.get('accept'), contentType);
  const { document, maxAge } = await read(info.path, contentType, options.upstream);
  const shown = info.path === KEYS ? publicKeys(document) : await about(document, info.claimed, options);
  const headers = maxAge === undefined ? {} : { 'cache-control': maxAge };
  return { kind: 'bytes', status: 200, contentType, bytes: Buffer.from(JSON.stringify(shown)), headers };
}

async function about(
  document: JsonObject,
  claimed: string | undefined,
  { server }: IssuerOptions,
): Promise<JsonObject> {
  const root = `${await server()}${claimed === undefined ? '' : `/tenants/${claimed}`}`;
  return {
    issuer: text(document, 'issuer'),
    jwks_uri: `${root}${KEYS}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: texts(document['id_token_signing_alg_values_supported']),
  };
}

function publicKeys(document: JsonObject): JsonObject {
  const keys = Array.isArray(document['keys']) ? document['keys'].filter(isObject) : [];
  return { keys: keys.map(publicKey) };
}

function publicKey(key: JsonObject): JsonObject {
  return Object.fromEntries(
    KEY_FIELDS.flatMap((field) => (typeof key[field] === 'string' ? [[field, key[field]]] : [])),
  );
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

async function read(
  path: string,
  accept: string,
  upstream: Upstream,
): Promise<{ document: JsonObject; maxAge: string | undefined }> {
  const answer = await upstream.request({ identity: { as: 'reader' }, method: 'GET', path, accept });
  if (answer.status !== 200) {
    throw new ApiError('ERR_UNAVAILABLE', 'the issuer of tokens cannot be read at the moment; try again', {
      cause: new Error(`${path} was answered with ${answer.status}`),
    });
  }
  const maxAge = [answer.headers['cache-control'] ?? []].flat().find((value) => MAX_AGE.test(value));
  return { document: readObject(answer.body), maxAge };
}

/** As the router of the API server decides it: parameters do not count. */
function mustAccept(header: string | undefined, contentType: string): void {
  if (header === undefined || header === '') return;
  const fits = parseAccept(header).some(({ type, subtype }) => ['*/*', contentType].includes(`${type}/${subtype}`));
  if (fits) return;
  throw new ApiError('ERR_NOT_ACCEPTABLE', `406: Not Acceptable\n\nAvailable representations: ${contentType}`, {
    details: {},
  });
}
