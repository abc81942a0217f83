/**
 * Validating webhooks: all at once. The first of those that refuse, in their order, is told.
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/validating/dispatcher.go at v0.36
 */
import { text } from '../k8s/read.ts';
import { askWebhook, type MatchedHook, shownTo, type WebhookContext } from './call-webhook.ts';
import type { AdmittedObjects } from './matching.ts';
import { Versions } from './versions.ts';

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io/';

/** @throws {ApiError} */
export async function validateByWebhooks(
  hooks: readonly MatchedHook[],
  given: AdmittedObjects,
  context: WebhookContext,
): Promise<void> {
  const meant: Array<readonly [MatchedHook, AdmittedObjects, number]> = [];
  for (const [at, hook] of hooks.entries()) {
    const shown = await shownTo(hook, new Versions(context.subject, given), context);
    if (shown !== undefined) meant.push([hook, shown, at]);
  }
  const settled = await Promise.allSettled(
    meant.map(async ([hook, shown, at]) => {
      const failedOpen = () => context.annotate(`${FAILED_OPEN}round_0_index_${at}`, text(hook.webhook, 'name'));
      await askWebhook(hook, shown, false, context, failedOpen);
    }),
  );
  const refused = settled.find((one) => one.status === 'rejected');
  if (refused !== undefined) throw refused.reason;
}
