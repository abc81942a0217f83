/**
 * `usages`: what the tenant uses of what it may use, one object for each thing that is limited. Nothing is stored, so there
 * are no revisions and no watches, as of `metrics.k8s.io`.
 *
 *   NAME       USED   LIMIT   SCOPE     COUNTED BY
 *   requests   3      100     Cluster   Replica
 */
import { ApiError, notFound, otherRows, otherShape } from '../errors.ts';
import type { Accept, Identity, Reply, ResourceInfo, ResourceRequest } from '../exchange.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { parseFieldSelector, SelectorSyntaxError } from '../k8s/selector.ts';
import { PARTIAL, PARTIAL_LIST, ROWS } from '../k8s/shapes.ts';
import { apiVersionOf, type JsonObject } from '../k8s/types.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** One thing of which so much may be used. */
export interface Measure {
  /** A DNS name. */
  readonly name: string;
  /** What is limited. */
  readonly resource: string;
  /** A quantity; left out where nobody counts. */
  readonly used?: string;
  /** A quantity; left out where there is no limit. */
  readonly limit?: string;
  readonly scope: 'Cluster' | 'User' | 'Request';
  readonly countedBy?: 'Host' | 'Replica';
}

/** Of one tenant, and where it says so of the user who asks. */
export type Measures = (tenant: Tenant, identity: Identity) => readonly Measure[];

type UsageRequest = Pick<ResourceRequest, 'info' | 'tenant' | 'identity' | 'accept'>;

const COLUMNS: readonly JsonObject[] = [
  column('Name', 'Name of what is limited.', { format: 'name' }),
  column('Used', 'How much of it is used now.'),
  column('Limit', 'How much may be used.'),
  column('Scope', 'What the limit is for: all of this cluster, each user of it, or each request.'),
  column('Counted by', 'Who counts: the host for all, or each replica of the proxy for itself.'),
];

/** @throws {ApiError} (the handler) ERR_NOT_FOUND; ERR_NOT_ACCEPTABLE; ERR_BAD_REQUEST for what cannot be read */
export function createUsageHandler(measures: Measures): (request: UsageRequest) => Reply {
  return ({ info, tenant, identity, accept }) => {
    const all = measures(tenant, identity).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const object = info.verb === 'get' ? one(all, info, accept) : many(selected(all, info), info, accept);
    return { kind: 'object', status: 200, object };
  };
}

function one(all: readonly Measure[], info: ResourceInfo, accept: Accept): JsonObject {
  const found = all.find(({ name }) => name === info.name);
  if (found === undefined) throw notFound({ group: info.group, what: info.resource, name: info.name });
  if (accept.as?.kind === 'Table') return table([found], info, accept);
  if (accept.as?.kind === PARTIAL_LIST) throw otherShape(PARTIAL_LIST, 'is not a list (*unstructured.Unstructured)');
  return accept.as?.kind === PARTIAL ? partial(found, accept) : whole(found, info);
}

function many(measures: readonly Measure[], info: ResourceInfo, accept: Accept): JsonObject {
  if (accept.as?.kind === 'Table') return table(measures, info, accept);
  if (accept.as?.kind === PARTIAL) throw otherShape(PARTIAL, 'is a list (*unstructured.UnstructuredList)');
  const metadata = { resourceVersion: '' };
  if (accept.as?.kind === PARTIAL_LIST) {
    const items = measures.map((measure) => partial(measure, accept));
    return { kind: PARTIAL_LIST, apiVersion: metaVersion(accept), metadata, items };
  }
  const items = measures.map((measure) => whole(measure, info));
  return { kind: 'UsageList', apiVersion: apiVersionOf(info.group, info.version), metadata, items };
}

function whole({ name, ...status }: Measure, info: ResourceInfo): JsonObject {
  const apiVersion = apiVersionOf(info.group, info.version);
  return { kind: 'Usage', apiVersion, metadata: { name }, status: { ...status } };
}

function partial({ name }: Measure, accept: Accept): JsonObject {
  return { kind: PARTIAL, apiVersion: metaVersion(accept), metadata: { name } };
}

function table(measures: readonly Measure[], info: ResourceInfo, accept: Accept): JsonObject {
  const asked = info.query.get('includeObject') ?? '';
  if (!ROWS.has(asked)) throw otherRows(asked);
  const rows = measures.map((measure): JsonObject => {
    const { name, used = '<not counted>', limit = '<none>', scope, countedBy = '' } = measure;
    const cells = [name, used, limit, scope, countedBy];
    if (asked === 'None') return { cells };
    return { cells, object: asked === 'Object' ? whole(measure, info) : partial(measure, accept) };
  });
  const metadata = { resourceVersion: '' };
  return { kind: 'Table', apiVersion: metaVersion(accept), metadata, columnDefinitions: [...COLUMNS], rows };
}

function metaVersion({ as }: Accept): string {
  return `meta.k8s.io/${as?.version ?? 'v1'}`;
}

function column(name: string, description: string, { format = '' } = {}): JsonObject {
  return { name, type: 'string', format, description, priority: 0 };
}

/** No object has a label. */
function selected(all: readonly Measure[], { query }: ResourceInfo): readonly Measure[] {
  try {
    const labels = parseLabelSelector(query.get('labelSelector') ?? '');
    const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
    const unknown = fields.requirements.find(({ field }) => field !== 'metadata.name');
    if (unknown !== undefined) throw new ApiError('ERR_BAD_REQUEST', `field label not supported: ${unknown.field}`);
    return labels.matches({}) ? all.filter(({ name }) => fields.matches({ 'metadata.name': name })) : [];
  } catch (error) {
    if (!(error instanceof SelectorSyntaxError)) throw error;
    throw new ApiError('ERR_BAD_REQUEST', `unable to parse requirement: ${error.message}`);
  }
}
