/**
 * Lists and objects from what is kept in memory (`kept.ts`), where the request allows what is not the newest:
 *
 *   resourceVersion unset              never: it asks for the newest
 *   resourceVersion 0                  whatever the view holds; as for the API server, a limit then counts for nothing
 *   resourceVersion N                  when the view is at least as new; upstream waits for it otherwise
 *   resourceVersion N with a limit,
 *     resourceVersionMatch=Exact,
 *     continue                         never: it asks for one revision, or for pages
 *
 * While upstream does not answer, what is known is told with a warning.
 *
 * An object that is not in the view may be there all the same: upstream says that it is not. What is not stored but
 * stands (default roles, system namespaces), Tables and metadata alone are put together as for any list.
 *
 * @see k8s.io/apiserver pkg/storage/cacher/delegator.go at v0.36, shouldDelegateList
 */
import { type Selection, selects } from '../cache/changes.ts';
import { joined } from '../cache/chunk.ts';
import type { Item, ItemType } from '../cache/item.ts';
import type { Snapshot, View } from '../cache/view.ts';
import type { Reply, ReplyHeaders, SharedText } from '../exchange.ts';
import { compareVersions } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Call, VerbDeps } from './call.ts';
import { keptView } from './kept.ts';
import { ready, selectionOf } from './kept-selection.ts';
import { integerParameter } from './list-options.ts';
import { hasStanding } from './standing.ts';

/** Undefined when upstream has to be asked. */
export async function listKept(call: Call, deps: VerbDeps): Promise<Reply | undefined> {
  const asked = versionAsked(call);
  if (asked === undefined || hasStanding(call, deps)) return undefined;
  const selection = selectionOf(call);
  if (selection === undefined) return undefined;
  const kept = keptView(call, deps);
  if (kept === undefined) return undefined;
  if (kept.isNew) await ready(() => kept.view.whenReady(), call.head.signal);
  const state = kept.view.snapshot();
  if (state === undefined || compareVersions(state.version, asked) < 0) return undefined;
  return listReply(call, kept.view, state, selection);
}

/** Undefined when upstream has to be asked. */
export function getKept(call: Call, deps: VerbDeps): Reply | undefined {
  const asked = versionAsked(call);
  const { namespace, name, subresource } = call.info;
  if (asked === undefined || subresource !== '' || hasStanding(call, deps)) return undefined;
  const state = keptView(call, deps)?.view.snapshot();
  if (state === undefined || compareVersions(state.version, asked) < 0) return undefined;
  const item = state.get(namespace === '' ? name : `${namespace}/${name}`);
  return item && { kind: 'printed', status: 200, json: [item.json], object: () => item.read(), ...warned(state) };
}

/** How new it has to be; undefined where only upstream can tell. */
function versionAsked({ info: { query, verb }, accept }: Call): string | undefined {
  const version = query.get('resourceVersion') ?? '';
  if (accept.as !== undefined || !/^\d{1,19}$/.test(version)) return undefined;
  if (verb === 'get') return version;
  // Where a walk goes on is not the view's to tell.
  if ((query.get('continue') ?? '') !== '') return undefined;
  if (version === '0') return version;
  const isPaged = integerParameter(query, 'limit') > 0;
  return isPaged || query.get('resourceVersionMatch') === 'Exact' ? undefined : version;
}

function listReply(call: Call, view: View, state: Snapshot, selection: Selection): Reply {
  const { type, list } = view;
  const { namespace } = call.info;
  const isAll = namespace === '' && selection.label.requirements.length + selection.field.requirements.length === 0;
  const picked = (items: readonly Item[]): readonly Item[] =>
    isAll
      ? items
      : items.filter((item) => (namespace === '' || item.namespace === namespace) && selects(selection, item));
  // Of custom resources the API server says always that there is no more.
  const continued = type.isTypedInLists ? { continue: '' } : {};
  const metadata = { ...continued, resourceVersion: state.version };
  const head = { kind: list.kind, apiVersion: list.apiVersion, metadata };
  const texts: Array<SharedText | Uint8Array> = isAll
    ? [...state.chunks]
    : [
        joined(
          state.chunks.flatMap(({ items }) => picked(items)),
          type,
        ),
      ].filter(({ length }) => length > 0);
  const json = [
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`),
    ...texts.flatMap((text, at) => (at === 0 ? [text] : [COMMA, text])),
    Buffer.from(']}'),
  ];
  const object = (): JsonObject => ({
    ...head,
    items: state.chunks.flatMap(({ items }) => picked(items).map((item) => inList(item, type))),
  });
  return { kind: 'printed', status: 200, json, object, ...warned(state) };
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
  const object = item.read();
  if (type.isTypedInLists) return object;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}
