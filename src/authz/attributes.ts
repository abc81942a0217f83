/**
 * What a request is, as an authorizer is asked about it.
 *
 * Two things differ from the parsed request, both as kube-apiserver has them: a list or watch of one name by field
 * selector counts as about that name, and a request on a Namespace object counts as inside that namespace, so that a
 * RoleBinding in it can allow it.
 *
 * @see k8s.io/apiserver pkg/endpoints/request/requestinfo.go at v0.36
 */
import type { RequestInfo, ResourceInfo } from '../exchange.ts';
import type { Attributes } from '../k8s/rbac.ts';

export function attributesOf(info: RequestInfo): Attributes {
  if (!info.isResource) return { isResource: false, verb: info.verb, path: info.path };
  const { verb, group, resource, subresource } = info;
  const name = info.name === '' ? selectedName(info) : info.name;
  const onNamespace = group === '' && resource === 'namespaces';
  return {
    isResource: true,
    verb,
    group,
    resource,
    subresource,
    namespace: onNamespace ? info.name : info.namespace,
    name,
  };
}

/** The value of `metadata.name=` in the field selector of a list or watch; `''` when there is no such term. */
function selectedName(info: ResourceInfo): string {
  if (info.verb !== 'list' && info.verb !== 'watch') return '';
  const terms = splitTerms(info.query.get('fieldSelector') ?? '');
  for (const term of terms) {
    const match = /^metadata\.name==?(.*)$/s.exec(term);
    if (match !== null) return segmentOrNothing(unescaped(match[1] ?? ''));
  }
  return '';
}

/** Terms are parted by commas; a backslash takes the meaning from the next character. */
function splitTerms(selector: string): string[] {
  return selector.match(/(?:\\.|[^\\,])+/gs) ?? [];
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/gs, '$1');
}

/** What cannot be a name is not one: the request is then about the whole collection. */
function segmentOrNothing(name: string): string {
  return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
}
