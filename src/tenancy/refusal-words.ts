/**
 * Words by which a refusal of one of the proxy's own policies is known for what the API server says of it, or for one that
 * speaks of the proxy itself. No message that stands in a policy has any of them: a tenant would read another sentence.
 */

/** What the API server says of a policy that it could not run. */
export const POLICY_FAILED =
  /resulted in error|cost (?:limit|budget)|^failed (?:messageExpression|expression|to )|fails to evaluate|^JSON Patch|type mismatch|^no params found|^unrecognized |^Invalid type|^error: /;

/** Accounts, users and roles of the proxy. */
export const OWN_NAME = /kubeveil[-:]/;

/** True of a message that a tenant is shown as it is. */
export function isShownAsItIs(message: string): boolean {
  return !POLICY_FAILED.test(message) && !OWN_NAME.test(message);
}
