/**
 * A request -> the answer from memory, where the caller is known, may read it, and what is kept is as new as it has to be.
 * Everything else is undefined: it goes to the API server with the caller's own credential, which then says in its own
 * words what there is, or that it may not be had. So nothing is refused here, and nothing is given by what is not known.
 */
import { listAnswer, objectAnswer } from '../cache/answer.ts';
import { selectionOf, versionOfGet, versionOfList, watchOptions } from '../cache/asked.ts';
import { beginWatch, type Kept, ready } from '../cache/begin-watch.ts';
import type { Selection } from '../cache/changes.ts';
import { ApiError } from '../errors.ts';
import type { Accept, Reply, RequestHead, ResourceInfo } from '../exchange.ts';
import { compareVersions } from '../k8s/meta.ts';
import { FieldSelector } from '../k8s/selector.ts';
import { splitApiVersion } from '../k8s/types.ts';
import type { Caller } from './caller.ts';
import { collectionOf, type KeptCollection, keptKind } from './collections.ts';
import { type Judge, judged } from './judged.ts';
import type { Keep } from './keep.ts';
import { SMALL_BYTES } from './limits.ts';
import type { MayRead } from './rights.ts';

export interface AnswerOptions {
  readonly keep: Pick<Keep, 'find'>;
  readonly identify: (head: RequestHead) => Promise<Caller | undefined>;
  readonly mayRead: MayRead;
  readonly nodeName: string;
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
  const { keep, identify, mayRead, nodeName, nowMs, onUnknown } = options;

  return async (asking) => {
    const { head, info } = asking;
    const found = findCollection(asking, nodeName);
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
    return await answer(asking, kept, found, { judge, nowMs });
  };
}

interface Found {
  readonly collection: KeptCollection;
  /** As the client has it. */
  readonly selection: Selection;
}

/** What the request asks for, where it asks for no more than is kept. */
function findCollection({ head, info, accept }: Asking, nodeName: string): Found | undefined {
  const isPlain = head.method === 'GET' && head.impersonate.size === 0 && accept.as === undefined;
  if (!isPlain || info.claimed !== undefined) return undefined;
  const kind = keptKind(info);
  const selection = kind && selectionOf(info.query, kind);
  const collection = selection && collectionOf(info, selection, nodeName);
  return collection && { collection, selection };
}

async function answer(
  { head, info }: Asking,
  kept: Kept,
  { collection, selection }: Found,
  again: { judge: Judge; nowMs: () => number },
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
  const asked = verb === 'get' ? versionOfGet(query) : versionOfList(query);
  if (asked === undefined) return undefined;
  await ready(() => kept.view.whenReady(), signal);
  const state = kept.view.snapshot();
  if (state === undefined || compareVersions(state.version, asked) < 0) return undefined;
  return verb === 'get' ? objectAnswer(state, namespace, name) : listAnswer(kept.view, state, selection, namespace);
}

/** A watch of one namespace, of a collection of all of them. */
function within(namespace: string, { label, field }: Selection): Selection {
  if (namespace === '') return { label, field };
  const inNamespace = { field: 'metadata.namespace', operator: '=' as const, value: namespace };
  return { label, field: new FieldSelector([...field.requirements, inNamespace]) };
}
