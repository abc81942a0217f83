/**
 * What a mutation must not make of an object: one of another kind, or, of one that is there, another one. Each would be
 * taken by what comes after for what it says it is.
 * @see k8s.io/apiserver pkg/admission/plugin/policy/mutating/patch/json_patch.go; k8s.io/apimachinery
 *   pkg/api/validation/objectmeta.go (ValidateObjectMetaAccessorUpdate) at v0.36
 */
import { ApiError } from '../errors.ts';
import { invalidValue } from '../k8s/field-problems.ts';
import { metadataOf } from '../k8s/meta.ts';
import { text } from '../k8s/read.ts';
import { invalidText } from '../k8s/status-texts.ts';
import type { JsonObject } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';
import type { AdmissionSubject } from '../ports.ts';
import { internal } from './webhook-refusals.ts';

/** @returns `after` with the kind of `before` where it says none @throws {ApiError} ERR_INTERNAL where it says another */
export function ofSameKind(before: JsonObject, after: JsonObject): JsonObject {
  const [apiVersion, kind] = [text(before, 'apiVersion'), text(before, 'kind')];
  const said = { apiVersion: after['apiVersion'] || apiVersion, kind: after['kind'] || kind };
  if (said.apiVersion !== apiVersion || said.kind !== kind) {
    // As of a kind that there is not: no other can be had here.
    const why = `no kind ${goQuote(String(said.kind))} is registered for version ${goQuote(String(said.apiVersion))}`;
    throw internal(`${why} in scheme "pkg/runtime/scheme.go:111"`, 'changes-kind');
  }
  return { ...after, ...said };
}

/** @param given what is to be updated @throws {ApiError} ERR_INVALID where mutations made it an update of another object */
export function refuseOther(subject: AdmissionSubject, given: JsonObject, made: JsonObject): void {
  const [was, is] = [metadataOf(given), metadataOf(made)];
  const changed = (['name', 'uid'] as const).filter((field) => is[field] !== undefined && is[field] !== was[field]);
  if (changed.length === 0) return;
  const problems = changed.map((field) => {
    return invalidValue(`metadata.${field}`, is[field] ?? null, 'field is immutable');
  });
  const named = { group: subject.group, what: subject.kind.kind, name: text(is, 'name') };
  // The API server finds each of them twice.
  const { message, details } = invalidText(named, [...problems, ...problems]);
  throw new ApiError('ERR_INVALID', message, { details, why: 'changes-identity' });
}
