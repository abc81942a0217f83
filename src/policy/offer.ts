/**
 * Does the resource that a URL names exist for this tenant, and has it the verb? Answers as kube-apiserver's router does:
 * 404 where it has no such path, 405 where it has the path for other methods. What is not in the table is not there.
 *
 * @see k8s.io/apiserver pkg/endpoints/installer.go at v0.36
 */
import { ApiError, methodNotAllowed, noSuchPath, notFound } from '../errors.ts';
import type { ResourceInfo } from '../exchange.ts';
import type { KindAtVersion, Verb } from '../kinds/kind.ts';

const OF_ONE: readonly Verb[] = ['get', 'update', 'patch', 'delete'];
const OF_COLLECTION: readonly Verb[] = ['list', 'watch', 'create', 'deletecollection'];

/**
 * @param at what the registry found; undefined when the tenant has no such kind
 * @throws {ApiError} ERR_NOT_FOUND, ERR_METHOD_NOT_ALLOWED
 */
export function checkOffered(at: KindAtVersion | undefined, info: ResourceInfo): KindAtVersion {
  if (at === undefined) throw noSuchPath('not-offered');
  const { kind } = at;
  if (kind.byMetric !== undefined) return checkMetric(at, info);
  if (!kind.namespaced && info.namespace !== '') throw noSuchPath('not-offered');
  const verbs = info.subresource === '' ? kind.verbs : subresourceVerbs(at, info);
  const ofOne = namesOne(info);
  if (kind.namespaced && info.namespace === '') {
    // The collection over all namespaces is there to be read; one object in it has no path.
    if (ofOne) throw noSuchPath('not-offered');
    if (info.verb !== 'list' && info.verb !== 'watch') throw methodNotAllowed();
  }
  if (info.subresource === '') {
    const there = ofOne ? OF_ONE : OF_COLLECTION;
    if (!verbs.some((verb) => there.includes(verb))) throw noSuchPath('not-offered');
    if (!there.includes(info.verb) && !(info.verb === 'watch' && ofOne)) throw methodNotAllowed();
  }
  if (info.verb === 'watch' && !verbs.includes('watch') && verbs.includes('list')) throw notWatched(info);
  if (!verbs.includes(info.verb)) throw methodNotAllowed();
  return at;
}

/** A metric of objects in a namespace (`pods/web/requests`), or of the namespace itself (`metrics/requests`). */
function checkMetric(at: KindAtVersion, info: ResourceInfo): KindAtVersion {
  const { namespace, resource, name, subresource } = info;
  const ofNamespace = resource === 'metrics' && subresource === '';
  if (namespace === '' || name === '' || (subresource === '' && !ofNamespace)) throw noSuchPath('not-offered');
  if (!at.kind.verbs.includes(info.verb)) throw methodNotAllowed();
  return at;
}

/** As kube-apiserver says it of what it lists and cannot follow. */
function notWatched({ group, resource }: ResourceInfo): ApiError {
  const message = `watch is not supported on resources of kind ${JSON.stringify(`${resource}.${group}`)}`;
  return new ApiError('ERR_METHOD_NOT_ALLOWED', message, { details: { group, kind: resource } });
}

/** A list or watch that its field selector pins to one name is still of the collection. */
function namesOne(info: ResourceInfo): boolean {
  return info.name !== '' && info.verb !== 'list' && info.verb !== 'watch';
}

function subresourceVerbs(
  { kind }: KindAtVersion,
  { group, resource, name, subresource }: ResourceInfo,
): readonly Verb[] {
  const { subresources } = kind;
  const found = Object.hasOwn(subresources, subresource) ? subresources[subresource] : undefined;
  // Custom resources are not behind the router, and their handler says it of the object.
  if (found === undefined && kind.custom) throw notFound({ group, what: resource, name });
  if (found === undefined) throw noSuchPath('not-offered');
  return found.verbs;
}
