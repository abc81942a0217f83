/**
 * A request -> the answer from memory, where the caller is known, may read it, and what is kept is as new as it has to be.
 * Everything else is undefined: it goes to the API server with the caller's own credential, which then says in its own
 * words what there is, or that it may not be had. So nothing is refused here, and nothing is given by what is not known.
 */
import { listAnswer, objectAnswer } from '../cache/answer.ts';
import { isNewestList, selectionOf, versionOfGet, versionOfList, watchOptions } from '../cache/asked.ts';
import { beginWatch, type Kept, ready } from '../cache/begin-watch.ts';
import type { Selection } from '../cache/changes.ts';
import { ApiError } from '../errors.ts';
import type { Accept, Reply, RequestHead, ResourceInfo } from '../exchange.ts';
import { compareVersions } from '../k8s/meta.ts';
import { FieldSelector } from '../k8s/selector.ts';
import { splitApiVersion } from '../k8s/types.ts';
import type { Caller } from './caller.ts';
import { collectionOf, type KeptCollection, keptKind, type Scope } from './collections.ts';
import { type Judge, judged } from './judged.ts';
import type { Keep } from './keep.ts';
import { SMALL_BYTES } from './limits.ts';
import type { MayRead } from './rights.ts';

export interface AnswerOptions {
  readonly keep: Pick<Keep, 'find'>;
  readonly identify: (head: RequestHead) => Promise<Caller | undefined>;
  readonly mayRead: MayRead;
  readonly scope: Scope;
  readonly nowMs: () => number;
  readonly onUnknown: (error: unknown) => void;
}

export interface Asking {
  readonly head: RequestHead;
  readonly info: ResourceInfo;
  readonly accept: Accept;
}

/** Undefined where the API server has to be asked. */
export type FromMemory = (asking: Asking) => Promise<Reply | undefined>;

export function createFromMemory(options: AnswerOptions): FromMemory {
  const { keep, identify, mayRead, scope, nowMs, onUnknown } = options;

  return async (asking) => {
    const { head, info } = asking;
    const found = findCollection(asking, scope);
    if (found === undefined) return undefined;
    const { collection, selection } = found;
    const judge: Judge = async () => {
      try {
        const caller = await identify(head);
        return caller !== undefined && (await mayRead(caller, info, selection)) ? 'yes' : 'no';
      } catch (error) {
        if (error instanceof ApiError && error.code === 'ERR_UNAUTHORIZED') return 'no';
        onUnknown(error);
        return 'unknown';
      }
    };
    if ((await judge()) !== 'yes') return undefined;
    const kept = keep.find(collection);
    if (kept === undefined) return undefined;
    return await answer(asking, kept, found, { judge, nowMs, answersNewest: scope === 'hub' });
  };
}

interface Found {
  readonly collection: KeptCollection;
  /** As the client has it. */
  readonly selection: Selection;
}

/** What the request asks for, where it asks for no more than is kept. */
function findCollection({ head, info, accept }: Asking, scope: Scope): Found | undefined {
  const isPlain = head.method === 'GET' && head.impersonate.size === 0 && accept.as === undefined;
  if (!isPlain || info.claimed !== undefined) return undefined;
  const kind = keptKind(info);
  const selection = kind && selectionOf(info.query, kind);
  const collection = selection && collectionOf(info, selection, scope);
  return collection && { collection, selection };
}

async function answer(
  { head, info }: Asking,
  kept: Kept,
  { collection, selection }: Found,
  { answersNewest, ...again }: { judge: Judge; nowMs: () => number; answersNewest: boolean },
): Promise<Reply | undefined> {
  const { query, namespace, name, verb } = info;
  const { signal } = head;
  if (verb === 'watch') {
    const options = watchOptions(query, within(namespace, selection), signal);
    const events = options && (await beginWatch(kept, query, options, { bytes: SMALL_BYTES, how: 'reread' }));
    if (events === undefined) return undefined;
    const [group, version] = splitApiVersion(collection.type.apiVersion);
    return {
      kind: 'watch',
      events: judged(events, { ...again, signal }),
      gvk: { group, version, kind: collection.type.kind },
    };
  }
  // Node caches begin with it, and ask by it how far the API server is: one proof is enough for all who ask at once.
  if (answersNewest && verb === 'list' && isNewestList(query)) {
    if (!(await ready(() => newest(kept), signal))) return undefined;
    const state = kept.view.snapshot();
    return state && listAnswer(kept.view, state, selection, namespace);
  }
  const asked = verb === 'get' ? versionOfGet(query) : versionOfList(query);
  if (asked === undefined) return undefined;
  await ready(() => kept.view.whenReady(), signal);
  const state = kept.view.snapshot();
  if (state === undefined || compareVersions(state.version, asked) < 0) return undefined;
  return verb === 'get' ? objectAnswer(state, namespace, name) : listAnswer(kept.view, state, selection, namespace);
}

function newest({ view, isNew }: Kept): Promise<void> {
  return isNew ? view.whenReady() : view.fresh(SMALL_BYTES);
}

/** A watch of one namespace, of a collection of all of them. */
function within(namespace: string, { label, field }: Selection): Selection {
  if (namespace === '') return { label, field };
  const inNamespace = { field: 'metadata.namespace', operator: '=' as const, value: namespace };
  return { label, field: new FieldSelector([...field.requirements, inNamespace]) };
}
