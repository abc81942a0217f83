/**
 * LIST over all of a tenant's namespaces of what is measured and not stored. There are no revisions, so each namespace
 * is asked as it is now, and the parts are put together. Whoever measures knows no pages either: the list is whole.
 *
 * @see k8s.io/metrics pkg/apis/metrics/v1beta1/types.go at v0.36
 */
import type { Reply } from '../exchange.ts';
import { isTable } from '../k8s/shapes.ts';
import type { Call, VerbDeps } from './call.ts';
import { DEFAULT, joinParts, listInEach, namespacesOf } from './list-across.ts';
import { cutRows } from './representation.ts';

export async function listMeasured(call: Call, deps: VerbDeps): Promise<Reply> {
  const namespaces = await namespacesOf(call, deps, []);
  if ('reply' in namespaces) return namespaces.reply;
  // Where none is selected, one is asked all the same: for the shape of the list, and what the selectors are worth.
  const listed = await listInEach(call, deps, namespaces.length > 0 ? namespaces : [DEFAULT], () => []);
  if ('reply' in listed) return listed.reply;
  const document = joinParts(listed.parts, {});
  if (namespaces.length === 0) document[isTable(document) ? 'rows' : 'items'] = [];
  return { kind: 'object', status: 200, object: cutRows(call, document) };
}
