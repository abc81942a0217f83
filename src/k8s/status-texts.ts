/**
 * Refusals that speak of one object, in kube-apiserver's words, with the same as data.
 * @see k8s.io/apimachinery pkg/api/errors/errors.go (NewNotFound, NewAlreadyExists, NewConflict, NewInvalid) at v0.36
 */
import { goQuote } from '../lib/go-quote.ts';
import { aggregate } from './aggregate.ts';
import type { FieldProblem } from './field-problems.ts';
import type { StatusDetails } from './types.ts';

/** The object that is spoken of, in the tenant's terms. The core group is `''`. */
export interface NamedObject {
  readonly group: string;
  /** The plural resource; of an object that is invalid its kind. Empty where kube-apiserver leaves it out: in reviews. */
  readonly what: string;
  /** `''` when it has none yet. */
  readonly name: string;
}

export interface StatusText {
  readonly message: string;
  readonly details: StatusDetails;
}

/** `deployments.apps`, `pods` */
export function qualified(group: string, what: string): string {
  return group === '' ? what : `${what}.${group}`;
}

/** `pods "web" not found` */
export function notFoundText(of: NamedObject): StatusText {
  return { message: `${named(of)} not found`, details: detailsOf(of) };
}

/** `pods "web" already exists` */
export function alreadyExistsText(of: NamedObject): StatusText {
  return { message: `${named(of)} already exists`, details: detailsOf(of) };
}

/** `Operation cannot be fulfilled on pods "web": the object has been modified` */
export function conflictText(of: NamedObject, why: string): StatusText {
  return { message: `Operation cannot be fulfilled on ${named(of)}: ${why}`, details: detailsOf(of) };
}

/** `Role.rbac.authorization.k8s.io "reader" is invalid: rules[0].verbs: Required value`. At least one problem. */
export function invalidText(of: NamedObject, problems: readonly FieldProblem[]): StatusText {
  const all = aggregate(problems.map(({ field, message }) => `${field}: ${message}`));
  const causes = problems.map(({ field, reason, message }) => ({ reason, message, field }));
  return { message: `${named(of)} is invalid: ${all}`, details: { ...detailsOf(of), causes } };
}

function named({ group, what, name }: NamedObject): string {
  return `${qualified(group, what)} ${goQuote(name)}`;
}

function detailsOf({ group, what, name }: NamedObject): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(what === '' ? {} : { kind: what }),
  };
}
