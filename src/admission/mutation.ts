/**
 * What mutates: policies, then webhooks, and once more where something was changed that others ask to see.
 * @see k8s.io/apiserver pkg/admission/reinvocation.go at v0.36
 */
import type { JsonObject } from '../k8s/types.ts';
import { sameJson } from '../lib/same-json.ts';
import type { FillIn } from '../ports.ts';
import type { MatchedHook, WebhookContext } from './call-webhook.ts';
import { refuseOther } from './identity.ts';
import { type MutationContext, mutateByPolicies } from './mutating-policies.ts';
import { mutateByWebhooks } from './mutating-webhooks.ts';
import { Reinvocation } from './reinvocation.ts';
import type { MatchedPolicy } from './validating-policies.ts';
import { Versions } from './versions.ts';

export interface Mutators {
  readonly policies: readonly MatchedPolicy[];
  readonly webhooks: readonly MatchedHook[];
}

export interface Mutated<T extends JsonObject | undefined> {
  readonly object: T;
  readonly oldObject: JsonObject | undefined;
  readonly fillIn: FillIn | undefined;
}

/** The object as they leave it, in the version of the request; the same one when they change nothing. @throws {ApiError} */
export async function mutate<T extends JsonObject | undefined>(
  { policies, webhooks }: Mutators,
  { object, oldObject, fillIn }: Mutated<T>,
  context: MutationContext & WebhookContext,
): Promise<T> {
  const versions = new Versions(context.subject, { object, oldObject }, fillIn);
  const [ofPolicies, ofWebhooks] = [new Reinvocation(), new Reinvocation()];
  const now = async () => (await versions.shown(undefined)).object;
  const run = async () => {
    await ofPolicies.enter(now);
    await mutateByPolicies(policies, versions, ofPolicies, context);
    await ofPolicies.leave(now);
    await ofWebhooks.enter(now);
    await mutateByWebhooks(webhooks, versions, ofWebhooks, context);
    await ofWebhooks.leave(now);
  };
  await run();
  if (ofPolicies.hasChanged || ofWebhooks.hasChanged) {
    ofPolicies.again();
    ofWebhooks.again();
    await run();
  }
  const { object: made } = await versions.in(undefined);
  if (sameJson(made ?? null, object ?? null)) return object;
  if (object !== undefined && made !== undefined && oldObject !== undefined) refuseOther(context.subject, object, made);
  return made as T;
}
