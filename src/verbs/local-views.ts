/**
 * What a write through this replica means for the collections that it follows: the RBAC of tenants, their namespaces and
 * their kinds. It counts from the moment it is answered, so that who takes a right away can rely on it; and so does what
 * a client is shown, so that who sees that a definition is established can use it. Other replicas learn of both by their
 * watch, as a second kube-apiserver would.
 *
 * Nothing is noted of a dry run, of a subresource with a body of its own, or of an answer that is not the object itself.
 */
import { cloneJson } from '../codec/json.ts';
import type { Informer } from '../k8s/informer.ts';
import { metadataOf, nameOf, namespaceOf, uidOf, versionOf } from '../k8s/meta.ts';
import { child, objects, text } from '../k8s/read.ts';
import { isStatus } from '../k8s/shapes.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import type { Call, LocalViews, VerbDeps } from './call.ts';

/** @param informers by the path of the collection upstream, over all namespaces: `/api/v1/namespaces` */
export function createLocalViews(informers: ReadonlyMap<string, Informer>): LocalViews {
  const informerOf = (at: KindAtVersion) => informers.get(`${at.upstreamRoot}/${at.upstreamResource}`);
  return {
    follows: (at) => informerOf(at) !== undefined,
    note(at, object) {
      const informer = informerOf(at);
      const known = informer?.get(namespaceOf(object), nameOf(object));
      if (known !== undefined && versionOf(known) === versionOf(object)) return;
      // The object goes on to be translated in place, and the view must not change with it.
      informer?.note(cloneJson(object));
    },
    forget: (at, deleted) => informerOf(at)?.forget(deleted),
    has: (at, namespace, name) => informerOf(at)?.get(namespace, name) !== undefined,
  };
}

/** Of a write, what tells which objects it touched. */
export interface NotedWrite {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Upstream name; left out for the collection. */
  readonly name?: string;
  readonly query: ReadonlyArray<readonly [name: string, value: string]>;
  /** What was sent. */
  readonly document?: JsonValue | undefined;
}

/** @param document what upstream answered to a read: an object or a list of them; anything else tells nothing */
export function noteRead({ at }: Pick<Call, 'at'>, { views }: Pick<VerbDeps, 'views'>, document: JsonObject): void {
  if (!views.follows(at)) return;
  if (isOfKind(at, document)) views.note(at, document);
  else if (document['kind'] === `${at.kind.kind}List` && document['apiVersion'] === at.upstreamApiVersion) {
    for (const item of objects(document, 'items')) views.note(at, item);
  }
}

/** @param document what upstream answered to a write that it took */
export function noteWrite(
  call: Call,
  { views }: Pick<VerbDeps, 'views'>,
  write: NotedWrite,
  document: JsonObject,
): void {
  const { at } = call;
  if (isRehearsal(write)) return;
  if (write.method !== 'DELETE') {
    if (isOfKind(at, document)) views.note(at, document);
  } else if (write.name === undefined) {
    if (!leavesFinalizers(write)) for (const item of objects(document, 'items')) forgetUnlessHeld(item);
  } else if (isStatus(document)) {
    const namespace = at.kind.namespaced && call.info.namespace !== '' ? call.scope.names.up(call.info.namespace) : '';
    views.forget(at, { namespace, name: write.name, uid: text(child(document, 'details'), 'uid') });
  } else if (isOfKind(at, document)) {
    // Answered with the object: it is only marked, and goes when its finalizers do, or it was the last of it.
    if (metadataOf(document)['deletionTimestamp'] !== undefined) views.note(at, document);
    else forget(document);
  }

  function forgetUnlessHeld(item: JsonObject): void {
    const { finalizers } = metadataOf(item);
    if (!Array.isArray(finalizers) || finalizers.length === 0) forget(item);
  }

  function forget(object: JsonObject): void {
    views.forget(at, { namespace: namespaceOf(object), name: nameOf(object), uid: uidOf(object) });
  }
}

function isOfKind(at: KindAtVersion, { kind, apiVersion }: JsonObject): boolean {
  return kind === at.kind.kind && apiVersion === at.upstreamApiVersion;
}

/** True for a write of which nothing is stored. */
export function isRehearsal({ method, query, document }: NotedWrite): boolean {
  if (query.some(([name, value]) => name === 'dryRun' && value !== '')) return true;
  // DeleteOptions say it in the body.
  const dryRun = method === 'DELETE' && isObject(document) ? document['dryRun'] : undefined;
  return Array.isArray(dryRun) && dryRun.length > 0;
}

/** Deletions that put a finalizer on each object first: the garbage collector decides when they are gone. */
function leavesFinalizers({ query, document }: NotedWrite): boolean {
  const options = { ...Object.fromEntries(query), ...(isObject(document) ? document : {}) };
  const { propagationPolicy, orphanDependents } = options;
  return (propagationPolicy ?? 'Background') !== 'Background' || String(orphanDependents ?? 'false') !== 'false';
}
