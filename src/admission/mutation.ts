/**
 * What mutates: policies, then webhooks, and once more where something was changed that others ask to see.
 * @see k8s.io/apiserver pkg/admission/reinvocation.go at v0.36
 */
import type { JsonObject } from '../k8s/types.ts';
import { sameJson } from '../lib/same-json.ts';
import type { MatchedHook, WebhookContext } from './call-webhook.ts';
import { type MutationContext, mutateByPolicies } from './mutating-policies.ts';
import { mutateByWebhooks } from './mutating-webhooks.ts';
import { Reinvocation } from './reinvocation.ts';
import type { MatchedPolicy } from './validating-policies.ts';
import { Versions } from './versions.ts';

export interface Mutators {
  readonly policies: readonly MatchedPolicy[];
  readonly webhooks: readonly MatchedHook[];
}

/** The object as they leave it, in the version of the request; the same one when they change nothing. @throws {ApiError} */
export async function mutate<T extends JsonObject | undefined>(
  { policies, webhooks }: Mutators,
  object: T,
  oldObject: JsonObject | undefined,
  context: MutationContext & WebhookContext,
): Promise<T> {
  const versions = new Versions(context.subject, { object, oldObject });
  const [ofPolicies, ofWebhooks] = [new Reinvocation(), new Reinvocation()];
  const run = async () => {
    ofPolicies.enter((await versions.in(undefined)).object);
    await mutateByPolicies(policies, versions, ofPolicies, context);
    ofPolicies.leave((await versions.in(undefined)).object);
    ofWebhooks.enter(versions.given.object);
    await mutateByWebhooks(webhooks, versions, ofWebhooks, context);
    ofWebhooks.leave((await versions.in(undefined)).object);
  };
  await run();
  if (ofPolicies.hasChanged || ofWebhooks.hasChanged) {
    ofPolicies.again();
    ofWebhooks.again();
    await run();
  }
  const { object: made } = await versions.in(undefined);
  return sameJson(made ?? null, object ?? null) ? object : (made as T);
}
