/**
 * What a request is, as an authorizer is asked about it.
 *
 * A request on a Namespace object counts as inside that namespace, so that a RoleBinding in it can allow it. A list or
 * watch that is pinned to one name is about that name, but still of the whole collection.
 *
 * @see k8s.io/apiserver pkg/endpoints/request/requestinfo.go at v0.36
 */
import type { RequestInfo } from '../exchange.ts';
import type { Attributes } from '../k8s/rbac.ts';

export function attributesOf(info: RequestInfo): Attributes {
  if (!info.isResource) return { isResource: false, verb: info.verb, path: info.path };
  const { verb, group, resource, subresource, name } = info;
  const isCollection = verb === 'list' || verb === 'watch';
  const onNamespace = group === '' && resource === 'namespaces' && !isCollection;
  return { isResource: true, verb, group, resource, subresource, namespace: onNamespace ? name : info.namespace, name };
}
