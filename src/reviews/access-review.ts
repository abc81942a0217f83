/**
 * "May I?" and "may they?": SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview, answered by the
 * engine that decides requests, so that answer and enforcement cannot differ.
 *
 * @see k8s.io/kubernetes pkg/registry/authorization at v1.36
 */
import type { Identity } from '../exchange.ts';
import { type FieldProblem, invalidValue } from '../k8s/field-problems.ts';
import { namespaceOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Authorizer } from '../ports.ts';
import { type AskedAttributes, printedPath, readAsked } from './access-attributes.ts';
import {
  badRequest,
  invalidReview,
  metadataProblems,
  pruned,
  type ReviewHandler,
  type ReviewRequest,
  read,
  reviewObject,
  reviewReply,
} from './review.ts';

export function selfSubjectAccessReview(authorizer: Authorizer): ReviewHandler {
  const kind = 'SelfSubjectAccessReview';
  return async (request) => {
    const object = reviewObject(request, kind);
    const asked = readAsked(read.object(object, 'spec') ?? {});
    const problems = [...asked.problems, ...metadataProblems(object, [], 'must be empty')];
    const status = answer(authorizer, request, request.identity, asked, problems);
    return reviewReply(request, kind, { spec: asked.echo, status });
  };
}

export function subjectAccessReview(authorizer: Authorizer): ReviewHandler {
  const kind = 'SubjectAccessReview';
  return async (request) => {
    const object = reviewObject(request, kind);
    const spec = read.object(object, 'spec') ?? {};
    const asked = readAsked(spec);
    const { who, echo, problems } = readSubject(spec);
    const all = [...asked.problems, ...problems, ...metadataProblems(object, [], 'must be empty')];
    const status = answer(authorizer, request, who, asked, all);
    return reviewReply(request, kind, { spec: { ...asked.echo, ...echo }, status });
  };
}

export function localSubjectAccessReview(authorizer: Authorizer): ReviewHandler {
  const kind = 'LocalSubjectAccessReview';
  return async (request) => {
    const object = reviewObject(request, kind);
    const { namespace } = request.info;
    if (namespace === '') throw badRequest('namespace is required on this type: ');
    const own = namespaceOf(object);
    if (own !== '' && own !== namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    const spec = read.object(object, 'spec') ?? {};
    const asked = readAsked(spec);
    const { who, echo, problems } = readSubject(spec);
    const all = [
      ...asked.problems,
      ...problems,
      ...metadataProblems(object, ['namespace'], 'must be empty except for namespace'),
      ...localProblems(spec, namespace),
    ];
    const status = answer(authorizer, request, who, asked, all);
    return reviewReply(request, kind, { metadata: { namespace }, spec: { ...asked.echo, ...echo }, status });
  };
}

function localProblems(spec: JsonObject, namespace: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const resource = read.object(spec, 'resourceAttributes');
  const path = read.object(spec, 'nonResourceAttributes');
  const asked = resource === undefined ? namespace : read.text(resource, 'namespace');
  if (asked !== namespace) {
    problems.push(invalidValue('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  }
  if (path !== undefined) {
    const detail = 'disallowed on this kind of request';
    problems.push(invalidValue('spec.nonResourceAttributes', printedPath(path), detail));
  }
  return problems;
}

/** The subject as it is named: nobody's implicit groups are added. */
function readSubject(spec: JsonObject): { who: Identity; echo: JsonObject; problems: FieldProblem[] } {
  const username = read.text(spec, 'user');
  const groups = read.texts(spec, 'groups');
  const uid = read.text(spec, 'uid');
  const given = read.object(spec, 'extra') ?? {};
  const extra = Object.fromEntries(Object.keys(given).map((key) => [key, read.texts(given, key)]));
  const nobody = username === '' && groups.length === 0;
  const detail = 'at least one of user or group must be specified';
  return {
    // One that is named ten thousand times is looked up once.
    who: { username, groups: [...new Set(groups)], uid, extra },
    echo: pruned({ user: username, groups, extra: Object.keys(extra).length === 0 ? undefined : extra, uid }),
    problems: nobody ? [invalidValue('spec.user', '', detail)] : [],
  };
}

/** `status` of the review. @throws {ApiError} ERR_INVALID when there are problems. */
function answer(
  authorizer: Authorizer,
  { info, tenant }: ReviewRequest,
  who: Identity,
  { attributes, evaluationError }: AskedAttributes,
  problems: readonly FieldProblem[],
): JsonObject {
  if (problems.length > 0 || attributes === undefined) throw invalidReview(info, problems);
  const { allowed, reason } = authorizer.decide(tenant, who, attributes);
  return { allowed, ...pruned({ reason, evaluationError }) };
}
