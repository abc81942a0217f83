/**
 * What all reviews have in common: a question in a POST, answered with the same object and a status, stored nowhere.
 *
 * The proxy answers them itself, in the tenant's terms; none is sent upstream, where it would be answered about the
 * host. Fields that a review does not have are dropped, as kube-apiserver drops them.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/
 */

import { ApiError, invalid } from '../errors.ts';
import type { Reply, ResourceInfo, ResourceRequest } from '../exchange.ts';
import { type FieldProblem, invalidValue } from '../k8s/field-problems.ts';
import { metadataOf } from '../k8s/meta.ts';
import { apiVersionOf, isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

export type ReviewRequest = Pick<ResourceRequest, 'info' | 'tenant' | 'identity' | 'body'>;

export type ReviewHandler = (request: ReviewRequest) => Promise<Reply>;

/** The object of a review as the client sent it. @throws {ApiError} ERR_BAD_REQUEST when it is of another kind. */
export function reviewObject({ body, info }: ReviewRequest, kind: string): JsonObject {
  const document = body?.document;
  if (!isObject(document)) {
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): the body is not an object`);
  }
  const apiVersion = apiVersionOf(info.group, info.version);
  const given = { kind: document['kind'] || kind, apiVersion: document['apiVersion'] || apiVersion };
  if (given.kind === kind && given.apiVersion === apiVersion) return document;
  const version = String(given.apiVersion).split('/').at(-1);
  throw badRequest(
    `${given.kind} in version "${version}" cannot be handled as a ${kind}: ${kind} of ${apiVersion} is expected here`,
  );
}

/** 201 with the review, its fields in the order that kube-apiserver prints them. */
export function reviewReply({ info }: ReviewRequest, kind: string, parts: Record<string, JsonValue>): Reply {
  const apiVersion = apiVersionOf(info.group, info.version);
  return { kind: 'object', status: 201, object: { kind, apiVersion, metadata: {}, ...parts } };
}

/** kube-apiserver names neither kind nor object here. */
export function invalidReview(info: ResourceInfo, problems: readonly FieldProblem[]): ApiError {
  return invalid({ group: info.group, what: '', name: '' }, problems);
}

/** `metadata` of a review must be empty, but for the fields named. */
export function metadataProblems(object: JsonObject, allowed: readonly string[], detail: string): FieldProblem[] {
  const given = Object.entries(metadataOf(object)).filter(([, value]) => !isEmpty(value));
  const extra = given.filter(([field]) => field !== 'managedFields' && !allowed.includes(field));
  return extra.length === 0 ? [] : [invalidValue('metadata', Object.fromEntries(given), detail)];
}

export function badRequest(message: string): ApiError {
  return new ApiError('ERR_BAD_REQUEST', message);
}

/** Reads typed fields of a body. @throws {ApiError} ERR_BAD_REQUEST, naming the field, for another type. */
export const read = {
  text(object: JsonObject, field: string): string {
    const value = own(object, field) ?? '';
    if (typeof value !== 'string') throw wrongType(field, value, 'string');
    return value;
  },
  texts(object: JsonObject, field: string): string[] {
    const value = own(object, field) ?? [];
    if (!Array.isArray(value)) throw wrongType(field, value, '[]string');
    return value.map((item) => {
      if (typeof item !== 'string') throw wrongType(field, item, 'string');
      return item;
    });
  },
  /** Undefined when the field is absent or null. */
  object(object: JsonObject, field: string): JsonObject | undefined {
    const value = own(object, field) ?? undefined;
    if (value !== undefined && !isObject(value)) throw wrongType(field, value, 'object');
    return value;
  },
  objects(object: JsonObject, field: string): JsonObject[] {
    const value = own(object, field) ?? [];
    if (!Array.isArray(value)) throw wrongType(field, value, 'list');
    return value.map((item) => {
      if (!isObject(item)) throw wrongType(field, item, 'object');
      return item;
    });
  },
};

/** Without the fields that are empty, which Go leaves out. */
export function pruned(object: Record<string, JsonValue | undefined>): JsonObject {
  const entries = Object.entries(object).filter((entry): entry is [string, JsonValue] => !isEmpty(entry[1]));
  return Object.fromEntries(entries);
}

function own(object: JsonObject, field: string): JsonValue | undefined {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

function wrongType(field: string, value: JsonValue, type: string): ApiError {
  const is = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return badRequest(`json: cannot unmarshal ${is} into field ${field} of type ${type}`);
}
