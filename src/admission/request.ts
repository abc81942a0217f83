/**
 * The `AdmissionRequest` of a request, without its objects: what expressions know as `request`, and what webhooks are
 * sent.
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/request/admissionreview.go at v0.36
 */
import type { JsonObject } from '../k8s/types.ts';
import type { AdmissionSubject, EquivalentResource } from '../ports.ts';

/** What is told of a request. */
export type RequestFacts = Pick<
  AdmissionSubject,
  | 'identity'
  | 'operation'
  | 'group'
  | 'version'
  | 'resource'
  | 'subresource'
  | 'namespace'
  | 'name'
  | 'kind'
  | 'dryRun'
  | 'options'
>;

/** @param as the version in which a rule speaks of the resource, where it is another than the request's */
export function admissionRequest(subject: RequestFacts, as: EquivalentResource | undefined): JsonObject {
  const { subresource, identity } = subject;
  const own = { group: subject.group, version: subject.version, resource: subject.resource };
  return {
    kind: gvkOf(as ?? subject),
    resource: as === undefined ? own : { group: as.group, version: as.version, resource: as.resource },
    ...(subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }),
    requestKind: gvkOf(subject),
    requestResource: own,
    ...(subject.name === '' ? {} : { name: subject.name }),
    ...(subject.namespace === '' ? {} : { namespace: subject.namespace }),
    operation: subject.operation,
    userInfo: userInfoOf(identity),
    dryRun: subject.dryRun,
    options: subject.operation === 'CONNECT' ? null : subject.options,
  };
}

function gvkOf({ kind }: Pick<RequestFacts, 'kind'>): JsonObject {
  return { group: kind.group, version: kind.version, kind: kind.kind };
}

function userInfoOf({ username, uid, groups, extra }: RequestFacts['identity']): JsonObject {
  const extras = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  return {
    username,
    ...(uid === '' ? {} : { uid }),
    groups: [...groups],
    ...(Object.keys(extras).length === 0 ? {} : { extra: extras }),
  };
}
