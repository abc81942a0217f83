/**
 * Accept header -> the representation to answer with, as kube-apiserver negotiates it: clauses in order of their weight,
 * media types in the server's order, and a clause whose parameters the endpoint does not offer is passed over.
 * Refuses with 406 in the server's own words.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/negotiation/negotiate.go at v0.36
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources
 */
import { ApiError } from '../errors.ts';
import type { Accept, Query, RequestInfo } from '../exchange.ts';
import { isByMetric, kindOf } from '../kinds/table.ts';
import { type AcceptClause, parseAccept } from '../lib/accept-header.ts';

/**
 * What an endpoint can answer with.
 * - resource: JSON, YAML, protobuf; as a Table or as metadata only
 * - list, watch: the same; of a watch YAML has no stream form
 * - review: of one object that was asked with a POST, which has no Table
 * - discovery: `/api` and `/apis`, also aggregated
 * - plain: no other shape than its own
 * - any: the answer has one media type of its own whatever the client says (logs, health, version, OpenAPI)
 */
export type Offer = 'resource' | 'list' | 'watch' | 'review' | 'discovery' | 'plain' | 'any';

const MEDIA = [
  { media: 'json', subtype: 'json', streams: true },
  { media: 'yaml', subtype: 'yaml', streams: false },
  { media: 'protobuf', subtype: 'vnd.kubernetes.protobuf', streams: true },
] as const;
const TYPES = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const STREAM_TYPES = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
/** Their answers are text or somebody else's bytes. */
const OWN_MEDIA = new Set(['log', 'proxy', 'exec', 'attach', 'portforward']);
/** Clients that people read the output of. */
const PRETTY_AGENT = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** What the endpoint of this request offers. */
export function offerOf(info: RequestInfo): Offer {
  if (info.isResource) {
    if (info.verb === 'watch' || info.verb === 'list') return info.verb;
    if (info.verb === 'create' && kindOf(info.group, info.resource)?.answeredBy === 'proxy') return 'review';
    if (isByMetric(info.group)) return 'plain';
    return OWN_MEDIA.has(info.subresource) ? 'any' : 'resource';
  }
  if (info.path === '/api' || info.path === '/apis') return 'discovery';
  return /^\/api\/[^/]+$|^\/apis\/[^/]+(?:\/[^/]+)?$/.test(info.path) ? 'plain' : 'any';
}

/**
 * @param header value of Accept; undefined or empty means anything
 * @throws {ApiError} ERR_NOT_ACCEPTABLE
 */
export function negotiate(header: string | undefined, offer: Offer, query?: Query, userAgent?: string): Accept {
  const pretty = isPretty(query, userAgent);
  if (header === undefined || header === '') return { media: 'json', as: undefined, pretty };
  const clauses = parseAccept(header);
  const choices = clauses.flatMap((clause) => choicesOf(clause, offer));
  const first = choices[0];
  if (first === undefined) {
    if (offer === 'any') return { media: 'json', as: undefined, pretty };
    throw notAcceptable(clauses, TYPES, offer === 'list' || offer === 'watch' ? `${TYPES}, ${STREAM_TYPES}` : TYPES);
  }
  if (offer === 'watch' && first.media === 'yaml') throw notAcceptable(clauses, STREAM_TYPES, STREAM_TYPES);
  const best: Accept = { media: first.media, as: first.as, pretty: pretty || first.pretty };
  const second = first.media === 'protobuf' ? choices.find((choice) => choice.media !== 'protobuf') : undefined;
  return second === undefined
    ? best
    : { ...best, otherwise: { media: second.media, as: second.as, pretty: pretty || second.pretty } };
}

/** The representation of an error: never another shape, and JSON for a client that takes nothing we have. */
export function negotiateError(header: string | undefined, query?: Query, userAgent?: string): Accept {
  try {
    return negotiate(header, 'plain', query, userAgent);
  } catch {
    return { media: 'json', as: undefined, pretty: true };
  }
}

interface Choice {
  readonly media: Accept['media'];
  readonly as: Accept['as'];
  readonly pretty: boolean;
}

function choicesOf(clause: AcceptClause, offer: Offer): Choice[] {
  const choices: Choice[] = [];
  const { parameters } = clause;
  for (const { media, subtype, streams } of MEDIA) {
    const anyOfAll = clause.type === '*' && clause.subtype === '*';
    if (!anyOfAll && !(clause.type === 'application' && (clause.subtype === subtype || clause.subtype === '*')))
      continue;
    const stream = parameters.get('stream') ?? '';
    if (stream !== '' && (!streams || stream !== 'watch')) continue;
    const serverVersion = parameters.get('sv') ?? '';
    if (serverVersion !== '' && serverVersion !== 'v1') continue;
    const as = shapeOf(parameters);
    if (as !== undefined && !offersShape(offer, media, as)) continue;
    choices.push({ media, as, pretty: parameters.get('pretty') === '1' });
  }
  return choices;
}

function shapeOf(parameters: ReadonlyMap<string, string>): Accept['as'] {
  if (!parameters.has('as') && !parameters.has('g') && !parameters.has('v')) return undefined;
  return {
    kind: parameters.get('as') ?? '',
    group: parameters.get('g') ?? '',
    version: parameters.get('v') ?? '',
  };
}

function offersShape(offer: Offer, media: Accept['media'], as: NonNullable<Accept['as']>): boolean {
  if (offer === 'discovery') {
    return as.kind === 'APIGroupDiscoveryList' && as.group === 'apidiscovery.k8s.io' && as.version === 'v2';
  }
  if (offer === 'plain' || offer === 'any') return false;
  if (as.group !== 'meta.k8s.io' || (as.version !== 'v1' && as.version !== 'v1beta1')) return false;
  if (as.kind === 'Table') return media !== 'protobuf' && offer !== 'review';
  return as.kind === 'PartialObjectMetadata' || as.kind === 'PartialObjectMetadataList';
}

/** @see isPrettyPrint in negotiate.go; `pretty` is read as strconv.ParseBool does. */
function isPretty(query: Query | undefined, userAgent: string | undefined): boolean {
  const asked = query?.get('pretty') ?? '';
  if (asked !== '') return /^(?:1|t|T|true|True|TRUE)$/.test(asked);
  return userAgent !== undefined && PRETTY_AGENT.test(userAgent);
}

/** The router's words when no media type is known at all, the negotiator's when only its parameters do not fit. */
function notAcceptable(clauses: readonly AcceptClause[], types: string, routed: string): ApiError {
  const known = clauses.some(
    ({ type, subtype }) =>
      (type === '*' && subtype === '*') || (type === 'application' && MEDIA.some((media) => media.subtype === subtype)),
  );
  if (known) return new ApiError('ERR_NOT_ACCEPTABLE', `only the following media types are accepted: ${types}`);
  return new ApiError('ERR_NOT_ACCEPTABLE', `406: Not Acceptable\n\nAvailable representations: ${routed}`, {
    details: {},
  });
}
