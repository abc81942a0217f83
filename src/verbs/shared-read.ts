/**
 * Lists and objects from what is kept in memory (`kept.ts`), where the request allows what is not the newest:
 *
 *   resourceVersion unset              never: it asks for the newest. Where the policy says `consistency: session`, when the
 *                                      view has what the tenant itself wrote (`sessions.ts`)
 *   resourceVersion 0                  whatever the view holds; as for the API server, a limit then counts for nothing
 *   resourceVersion N                  when the view is at least as new; upstream waits for it otherwise
 *   resourceVersion N with a limit,
 *     resourceVersionMatch=Exact,
 *     continue                         never: it asks for one revision, or for pages
 *
 * While upstream does not answer, what is known is told with a warning.
 *
 * An object that is not in the view may be there all the same: upstream says that it is not. What is not stored but
 * stands (default roles, system namespaces) and Tables are put together as for any list.
 */
import { listAnswer, objectAnswer } from '../cache/answer.ts';
import { asksForNewest, versionOfGet, versionOfList } from '../cache/asked.ts';
import { ready } from '../cache/begin-watch.ts';
import type { Snapshot } from '../cache/view.ts';
import type { Reply } from '../exchange.ts';
import { compareVersions } from '../k8s/meta.ts';
import type { Call, VerbDeps } from './call.ts';
import { keptView } from './kept.ts';
import { keptSelection, keptShape } from './kept-selection.ts';
import { hasStanding } from './standing.ts';

/** Undefined when upstream has to be asked. */
export async function listKept(call: Call, deps: VerbDeps): Promise<Reply | undefined> {
  const own = ownFloor(call, deps);
  const asked = versionOfList(call.info.query) ?? own;
  const shape = keptShape(call);
  if (asked === undefined || shape === undefined || hasStanding(call, deps)) return undefined;
  const selection = keptSelection(call);
  if (selection === undefined) return undefined;
  const kept = keptView(call, deps, own === undefined);
  if (kept === undefined) return undefined;
  if (kept.isNew) await ready(() => kept.view.whenReady(), call.head.signal);
  const state = kept.view.snapshot();
  if (state === undefined || compareVersions(state.version, asked) < 0) return undefined;
  // What asks for the newest is not told what was known of a host that does not answer, nor more than a page.
  if (own !== undefined && (!state.isLive || sizeOf(state) > pageOf(call))) return undefined;
  return listAnswer(kept.view, state, selection, call.info.namespace, shape.partial);
}

/** Undefined when upstream has to be asked. */
export function getKept(call: Call, deps: VerbDeps): Reply | undefined {
  const own = ownFloor(call, deps);
  const asked = versionOfGet(call.info.query) ?? own;
  const { namespace, name, subresource } = call.info;
  const shape = keptShape(call);
  if (asked === undefined || shape === undefined || subresource !== '' || hasStanding(call, deps)) return undefined;
  const state = keptView(call, deps)?.view.snapshot();
  if (state === undefined || compareVersions(state.version, asked) < 0) return undefined;
  if (own !== undefined && !state.isLive) return undefined;
  return objectAnswer(state, namespace, name, shape.partial);
}

/** The revision that is new enough for a request that asks for the newest; undefined where none is but the newest. */
function ownFloor(call: Call, deps: VerbDeps): string | undefined {
  return deps.isSession(call) && asksForNewest(call.info.query) ? deps.sessions.floor(call) : undefined;
}

function sizeOf({ chunks }: Snapshot): number {
  return chunks.reduce((sum, { items }) => sum + items.length, 0);
}

function pageOf({ info }: Call): number {
  const limit = Number(info.query.get('limit') ?? '0');
  return limit > 0 ? limit : Number.isNaN(limit) ? 0 : Number.POSITIVE_INFINITY;
}
