/**
 * Groups that a user has without anybody saying so, local to the tenant.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
 * @see k8s.io/apiserver pkg/authentication/serviceaccount/util.go at v0.36
 */
import type { Identity } from '../exchange.ts';

const AUTHENTICATED = 'system:authenticated';
const SERVICE_ACCOUNTS = 'system:serviceaccounts';
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** What is worked out of an identity elsewhere is held by it, so the same one always comes out for the same one. */
const completed = new WeakMap<Identity, Identity>();

/** The same identity with its implicit groups at the end; itself when it has them all. */
export function withImplicitGroups(identity: Identity): Identity {
  const known = completed.get(identity);
  if (known !== undefined) return known;
  const complete = complement(identity);
  completed.set(identity, complete);
  return complete;
}

function complement(identity: Identity): Identity {
  const account = SERVICE_ACCOUNT.exec(identity.username);
  const implicit =
    account === null ? [AUTHENTICATED] : [SERVICE_ACCOUNTS, `${SERVICE_ACCOUNTS}:${account[1]}`, AUTHENTICATED];
  const missing = implicit.filter((group) => !identity.groups.includes(group));
  return missing.length === 0 ? identity : { ...identity, groups: [...identity.groups, ...missing] };
}
