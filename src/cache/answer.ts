/** Lists and objects of a state of a view, printed already; with a warning while upstream does not answer. */
import type { Reply, ReplyHeaders } from '../exchange.ts';
import { PARTIAL_LIST } from '../k8s/shapes.ts';
import type { JsonObject } from '../k8s/types.ts';
import { type Selection, selects } from './changes.ts';
import type { Item, ItemType } from './item.ts';
import type { PartialApiVersion } from './partial.ts';
import type { Snapshot, View } from './view.ts';

/**
 * @param namespace '' for all
 * @param partial set for metadata alone
 */
export function listAnswer(
  view: View,
  state: Snapshot,
  selection: Selection,
  namespace: string,
  partial?: PartialApiVersion,
): Reply {
  const { type, list } = view;
  const isAll = namespace === '' && selection.label.requirements.length + selection.field.requirements.length === 0;
  const isPicked = (item: Item): boolean =>
    (namespace === '' || item.namespace === namespace) && selects(selection, item);
  const chunks = isAll ? state.chunks : state.chunks.map((chunk) => chunk.picked(isPicked)).filter(isDefined);
  const parts = partial === undefined ? chunks : chunks.map((chunk) => chunk.partial(partial));
  // Of custom resources the API server says always that there is no more; never of metadata alone.
  const continued = type.isTypedInLists && partial === undefined ? { continue: '' } : {};
  const metadata = { ...continued, resourceVersion: state.version };
  const head =
    partial === undefined
      ? { kind: list.kind, apiVersion: list.apiVersion, metadata }
      : { kind: PARTIAL_LIST, apiVersion: partial, metadata };
  const object = (): JsonObject => ({
    ...head,
    items: chunks.flatMap(({ items }) => items.map((item) => inList(item, type, partial))),
  });
  const json = [
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`),
    ...parts.flatMap((part, at) => (at === 0 ? [part] : [COMMA, part])),
    Buffer.from(']}'),
  ];
  return { kind: 'printed', status: 200, json, object, shared: { head, parts }, ...warned(state) };
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/**
 * Undefined when it is not there: upstream says that it is not, in its own words.
 * @param partial set for metadata alone
 */
export function objectAnswer(
  state: Snapshot,
  namespace: string,
  name: string,
  partial?: PartialApiVersion,
): Reply | undefined {
  const item = state.get(namespace === '' ? name : `${namespace}/${name}`);
  if (item === undefined) return undefined;
  const shared = partial === undefined ? item : item.partial(partial);
  return { kind: 'printed', status: 200, json: [shared.json], object: () => shared.object, shared, ...warned(state) };
}

/** As clients show it to people: kubectl prints it. */
function warned({ isLive }: Snapshot): { headers?: ReplyHeaders } {
  if (isLive) return {};
  return {
    headers: { warning: '299 - "the cluster cannot be reached at the moment: this is what was known of it last"' },
  };
}

const COMMA = Buffer.from(',');

function inList(item: Item, type: ItemType, partial: PartialApiVersion | undefined): JsonObject {
  if (partial !== undefined) return item.partial(partial).object;
  const { object } = item;
  if (type.isTypedInLists) return object;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}
