/**
 * Subjects of a tenant's Roles, as they are stored upstream: a `User` that no identity ever is.
 *
 *   User alice                  -> kubeveil.inert/acme/User/alice
 *   Group devs                  -> kubeveil.inert/acme/Group/devs
 *   ServiceAccount bot in web   -> kubeveil.inert/acme/ServiceAccount/web:bot
 *   ServiceAccount bot          -> kubeveil.inert/acme/ServiceAccount/:bot      (means: of the binding's namespace)
 *
 * Impersonated users are called `kubeveil:<tenant>`, so a binding of a tenant can never grant anything upstream. Names
 * and namespaces inside stay in the tenant's terms. What is not one of the three kinds is not encoded: left as it is,
 * the host refuses it in its own words.
 *
 * @invariant fromInert(t, toInert(t, s)) is s, and what is of one tenant is undefined for all others (inert.test.ts).
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-subjects
 */
import type { TenantId } from './names.ts';

/** Every inert name begins so; the admission wall on the host checks it. */
export const INERT_PREFIX = 'kubeveil.inert/';

export type SubjectKind = 'User' | 'Group' | 'ServiceAccount';

/** A subject in the tenant's terms. `namespace` belongs to service accounts only. */
export interface Subject {
  readonly kind: SubjectKind;
  readonly name: string;
  readonly namespace?: string;
}

const KINDS: readonly string[] = ['User', 'Group', 'ServiceAccount'] satisfies SubjectKind[];

/** True for the three kinds that RBAC knows. */
export function isSubjectKind(kind: unknown): kind is SubjectKind {
  return typeof kind === 'string' && KINDS.includes(kind);
}

/**
 * The name of the upstream User that stands for this subject.
 * @throws {TypeError} for a service account whose name holds a colon: such a name is invalid, the caller says so first.
 */
export function toInert(tenant: TenantId, subject: Subject): string {
  if (subject.kind !== 'ServiceAccount') return `${INERT_PREFIX}${tenant}/${subject.kind}/${subject.name}`;
  if (subject.name.includes(':'))
    throw new TypeError(`service account name ${JSON.stringify(subject.name)} has a colon`);
  return `${INERT_PREFIX}${tenant}/ServiceAccount/${subject.namespace ?? ''}:${subject.name}`;
}

/** The subject behind an upstream User name; undefined when it is not an inert name of this tenant. */
export function fromInert(tenant: TenantId, name: string): Subject | undefined {
  const prefix = `${INERT_PREFIX}${tenant}/`;
  if (!name.startsWith(prefix)) return undefined;
  const slash = name.indexOf('/', prefix.length);
  if (slash < 0) return undefined;
  const kind = name.slice(prefix.length, slash);
  const rest = name.slice(slash + 1);
  if (!isSubjectKind(kind)) return undefined;
  if (kind !== 'ServiceAccount') return { kind, name: rest };
  // A service account's name never has a colon; its namespace, which RBAC does not validate, may.
  const colon = rest.lastIndexOf(':');
  if (colon < 0) return undefined;
  const namespace = rest.slice(0, colon);
  const account = rest.slice(colon + 1);
  return namespace === '' ? { kind, name: account } : { kind, name: account, namespace };
}
