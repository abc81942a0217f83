/**
 * What the admission policies of `deploy/` say to a tenant: the words that stand in them for it, never which policy it
 * was, an expression, or a name of the proxy's own. The API server itself writes what goes wrong inside of a policy, with
 * the whole expression; such a text becomes one of two sentences.
 *
 *   pods "p" is forbidden: ValidatingAdmissionPolicy 'kubeveil-x' with binding 'kubeveil-x' denied request: no such port
 *   ->  pods "p" is forbidden: no such port
 *
 * @see k8s.io/apiserver pkg/admission/plugin/policy/generic, /validating, /mutating and pkg/admission/plugin/cel at v0.36
 */

import { OWN_NAME, POLICY_FAILED } from '../tenancy/refusal-words.ts';

/** An expression counted more steps than the API server lets one take, or all of a policy together did. */
export const TOO_MUCH_SAID =
  'the policy of this cluster cannot judge an object that says as much: containers, variables, volumes or the like are too many';
export const NOT_JUDGED = 'the policy of this cluster could not judge this object, so it is not let in';
/** Of a wall that only somebody meets who goes for what is the cluster's own. */
const NOT_THEIRS = 'this is kept by the cluster itself';

/**
 * `'x'` or `"x"`, with a binding or not; those that change objects are called `policy` alone. Or the webhook in the place of
 * one of those, and that of the relay.
 */
const OWN_POLICY =
  /(ValidatingAdmissionPolicy|MutatingAdmissionPolicy|policy) (?:'kubeveil[^']*'|"kubeveil[^"]*")(?: with binding (?:'[^']*'|"[^"]*"))? denied request: |admission webhook "(relay|kubeveil[^"]*)\.kubeveil\.dev" denied the request: /s;
/** Such a webhook that could not be asked; what follows has its URL. */
const NOT_ASKED = /failed calling webhook "(?:relay|kubeveil[^"]*)\.kubeveil\.dev": .*$/s;

const COST = /cost (?:limit|budget)/;
/** A controller quotes one answer, which may quote another; a text with more is one that somebody made. */
const MOST_QUOTED = 8;

/** Of one text, however many refusals it quotes: events and conditions quote what controllers were answered. */
export function withoutOwnPolicies(text: string, quoted = 0): string {
  const found = OWN_POLICY.exec(text);
  if (found === null) return text.replace(NOT_ASKED, NOT_JUDGED);
  if (quoted === MOST_QUOTED) return NOT_JUDGED;
  const [prefix, policy, webhook] = found;
  // A policy that changes objects has no words for anybody: it refuses only where it fails. What the relay refuses, it says
  // in the tenant's words.
  const said = withoutOwnPolicies(text.slice(found.index + prefix.length), quoted + 1);
  const hasWords = webhook === 'relay' || (policy === 'ValidatingAdmissionPolicy' && !POLICY_FAILED.test(said));
  const shown = hasWords ? allowed(said) : failed(said);
  return text.slice(0, found.index) + shown;
}

/** True of a text that such a sentence ends. */
export function endsInFailure(text: string): boolean {
  return text.endsWith(TOO_MUCH_SAID) || text.endsWith(NOT_JUDGED);
}

function allowed(said: string): string {
  return OWN_NAME.test(said) ? NOT_THEIRS : said;
}

function failed(said: string): string {
  return COST.test(said) || said === TOO_MUCH_SAID ? TOO_MUCH_SAID : NOT_JUDGED;
}
