/** Lists and objects of a state of a view, printed already; with a warning while upstream does not answer. */
import type { Reply, ReplyHeaders, SharedText } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import { type Selection, selects } from './changes.ts';
import { joined } from './chunk.ts';
import type { Item, ItemType } from './item.ts';
import type { Snapshot, View } from './view.ts';

/** @param namespace '' for all */
export function listAnswer(view: View, state: Snapshot, selection: Selection, namespace: string): Reply {
  const { type, list } = view;
  const isAll = namespace === '' && selection.label.requirements.length + selection.field.requirements.length === 0;
  const picked = (items: readonly Item[]): readonly Item[] =>
    isAll
      ? items
      : items.filter((item) => (namespace === '' || item.namespace === namespace) && selects(selection, item));
  // Of custom resources the API server says always that there is no more.
  const continued = type.isTypedInLists ? { continue: '' } : {};
  const metadata = { ...continued, resourceVersion: state.version };
  const head = { kind: list.kind, apiVersion: list.apiVersion, metadata };
  const selected = isAll ? [] : state.chunks.flatMap(({ items }) => picked(items));
  const texts: Array<SharedText | Uint8Array> = isAll
    ? [...state.chunks]
    : [joined(selected, type)].filter(({ length }) => length > 0);
  const json = [
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`),
    ...texts.flatMap((text, at) => (at === 0 ? [text] : [COMMA, text])),
    Buffer.from(']}'),
  ];
  const object = (): JsonObject => ({
    ...head,
    items: state.chunks.flatMap(({ items }) => picked(items).map((item) => inList(item, type))),
  });
  const shared = { head, parts: isAll ? state.chunks : [selected] };
  return { kind: 'printed', status: 200, json, object, shared, ...warned(state) };
}

/** Undefined when it is not there: upstream says that it is not, in its own words. */
export function objectAnswer(state: Snapshot, namespace: string, name: string): Reply | undefined {
  const item = state.get(namespace === '' ? name : `${namespace}/${name}`);
  if (item === undefined) return undefined;
  return { kind: 'printed', status: 200, json: [item.json], object: () => item.object, shared: item, ...warned(state) };
}

/** As clients show it to people: kubectl prints it. */
function warned({ isLive }: Snapshot): { headers?: ReplyHeaders } {
  if (isLive) return {};
  return {
    headers: { warning: '299 - "the cluster cannot be reached at the moment: this is what was known of it last"' },
  };
}

const COMMA = Buffer.from(',');

function inList(item: Item, type: ItemType): JsonObject {
  const { object } = item;
  if (type.isTypedInLists) return object;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}
