/**
 * The shape in which a client wants to see objects: whole, as rows of a Table, or their metadata alone. Upstream is asked
 * for the same where it may be; what has to be read whole, or never was upstream, is cut here.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
import { otherRows, otherShape } from '../errors.ts';
import { metadataOf } from '../k8s/meta.ts';
import { objects } from '../k8s/read.ts';
import { isPartial, isPartialList, PARTIAL, PARTIAL_LIST, ROWS } from '../k8s/shapes.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { Call } from './call.ts';
import type { Pairs } from './query.ts';

/** What to ask upstream for. Encodings are the proxy's to make, so they are always JSON. */
export function askUpstream(call: Call): { accept: string; query: Pairs } {
  const { as } = call.accept;
  if (as === undefined || (namesPartial(as.kind) && readsWhole(call))) return { accept: 'application/json', query: [] };
  // Refused here once it is known to be there; upstream fails on it.
  if (as.kind === PARTIAL_LIST && isCutHere(call) && OF_ONE.has(call.info.verb)) {
    return { accept: 'application/json', query: [] };
  }
  const accept = `application/json;as=${as.kind};v=${as.version};g=${as.group}`;
  if (as.kind !== 'Table') return { accept, query: [] };
  // With metadata at least: without it no row could be told apart.
  const whole = call.info.query.get('includeObject') === 'Object' || readsWhole(call) || call.at.class === 'virtual';
  return { accept, query: [['includeObject', whole ? 'Object' : 'Metadata']] };
}

const OF_ONE: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch']);

/**
 * A list of metadata of what is one object, or the other way round. Upstream refuses it by itself where it answers for
 * the kind; here are those that are cut in the proxy, or that upstream has as a custom resource, of which it does not
 * tell.
 * @throws {ApiError} ERR_NOT_ACCEPTABLE, or ERR_BAD_REQUEST for rows that are none, in the API server's words
 */
export function refuseOtherShape(call: Call): void {
  const { verb, subresource, group } = call.info;
  const asked = call.accept.as?.kind ?? '';
  if (asked === 'Table') refuseOtherRows(call);
  if (!isCutHere(call) || subresource !== '') return;
  const type = `*${group === '' ? 'core' : group.split('.', 1)[0]}.${call.at.kind.kind}`;
  if (asked === PARTIAL_LIST && OF_ONE.has(verb)) throw otherShape(asked, `is not a list (${type})`);
  if (asked === PARTIAL && verb === 'list') throw otherShape(asked, `is a list (${type}List)`);
}

function isCutHere(call: Call): boolean {
  return call.at.class === 'virtual' || call.at.kind.naming?.is === 'namespace' || readsWhole(call);
}

function refuseOtherRows({ info }: Call): void {
  const asked = info.query.get('includeObject') ?? '';
  if (!ROWS.has(asked)) throw otherRows(asked);
}

/** Whose a volume is stands in its spec. */
function readsWhole({ at }: Call): boolean {
  return at.kind.owned !== undefined;
}

/** An object that is whole, cut to the metadata that was asked for. */
export function cutObject(call: Call, object: JsonObject): JsonObject {
  const { as } = call.accept;
  if (as === undefined || !namesPartial(as.kind) || isPartial(object)) return object;
  return { kind: PARTIAL, apiVersion: `${as.group}/${as.version}`, metadata: metadataOf(object) };
}

/** The same for a list of whole objects. */
export function cutList(call: Call, list: JsonObject): JsonObject {
  const { as } = call.accept;
  if (as?.kind !== PARTIAL_LIST || isPartialList(list)) return list;
  return {
    kind: as.kind,
    apiVersion: `${as.group}/${as.version}`,
    metadata: metadataOf(list),
    items: objects(list, 'items').map((item) => cutObject(call, item)),
  };
}

/** The objects in the rows of a Table, cut to what was asked for: nothing, their metadata, or all of them. In place. */
export function cutRows(call: Call, table: JsonObject): JsonObject {
  const wanted = call.info.query.get('includeObject') ?? 'Metadata';
  if (wanted === 'Object') return table;
  const version = call.accept.as?.version ?? 'v1';
  for (const row of objects(table, 'rows')) {
    const { object } = row;
    if (wanted === 'None') row['object'] = null;
    else if (isObject(object) && !isPartial(object))
      row['object'] = { kind: PARTIAL, apiVersion: `meta.k8s.io/${version}`, metadata: metadataOf(object) };
  }
  return table;
}

function namesPartial(kind: string): boolean {
  return kind === PARTIAL || kind === PARTIAL_LIST;
}
