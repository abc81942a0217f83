/**
 * The group that everybody has without anybody saying so, local to the tenant. Those of service accounts are told by
 * their tokens: a certificate or an issuer that only says such a name does not make one.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
 * @see k8s.io/apiserver pkg/authentication/group/authenticated_group_adder.go at v0.36
 */
import type { Identity } from '../exchange.ts';

const AUTHENTICATED = 'system:authenticated';

/** What is worked out of an identity elsewhere is held by it, so the same one always comes out for the same one. */
const completed = new WeakMap<Identity, Identity>();

/** The same identity with its implicit group at the end; itself when it has it. */
export function withImplicitGroups(identity: Identity): Identity {
  if (identity.groups.includes(AUTHENTICATED)) return identity;
  let complete = completed.get(identity);
  if (complete === undefined) {
    complete = { ...identity, groups: [...identity.groups, AUTHENTICATED] };
    completed.set(identity, complete);
  }
  return complete;
}
