/**
 * Mutating webhooks: one after the other, each shown what those before it made of the object.
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/mutating/dispatcher.go at v0.36
 */
import { cloneJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';
import { sameJson } from '../lib/same-json.ts';
import { applyPatch } from '../translate/apply.ts';
import { askWebhook, type MatchedHook, shownTo, type WebhookContext } from './call-webhook.ts';
import { ofSameKind } from './identity.ts';
import type { Reinvocation } from './reinvocation.ts';
import type { Versions } from './versions.ts';
import { internal } from './webhook-refusals.ts';

const MUTATION = 'mutation.webhook.admission.k8s.io/';

/** The objects of `versions` are as the webhooks leave them, in whatever version. @throws {ApiError} */
export async function mutateByWebhooks(
  hooks: readonly MatchedHook[],
  versions: Versions,
  reinvocation: Reinvocation,
  context: WebhookContext,
): Promise<void> {
  for (const [at, hook] of hooks.entries()) {
    const { webhook, key, configuration } = hook;
    const mayRun = reinvocation.mayRun(key);
    // A condition that cannot be decided counts also of one that is not called again.
    const shown = await shownTo(hook, versions, context, mayRun);
    if (shown === undefined || !mayRun) continue;
    const place = `round_${reinvocation.round}_index_${at}`;
    const name = text(webhook, 'name');
    const noted = (mutated: boolean) =>
      context.annotate(MUTATION + place, JSON.stringify({ configuration, webhook: name, mutated }));
    const failedOpen = () => context.annotate(`failed-open.${MUTATION}${place}`, name);
    const answer = await askWebhook(hook, shown, true, context, failedOpen).catch((error: unknown) => {
      noted(false);
      throw error;
    });
    const { object } = shown;
    // What a patch asks for may be much more than it says.
    const patched = await context.share.run(context.subject.tenant.id, context.subject.signal, () => {
      const made = patchedBy(name, object, answer?.patch ?? []);
      return made === undefined || sameJson(made, object) ? undefined : made;
    });
    const mutated = patched !== undefined;
    noted(mutated);
    if (mutated) {
      versions.replace(patched);
      reinvocation.changed();
    }
    if (text(webhook, 'reinvocationPolicy') === 'IfNeeded') reinvocation.ran(key);
  }
}

function patchedBy(name: string, object: JsonObject | undefined, patch: readonly JsonObject[]): JsonObject | undefined {
  if (patch.length === 0) return undefined;
  if (object === undefined) {
    const why = 'attempted to modify the object, which is not supported for this operation';
    throw internal(`admission webhook ${goQuote(name)} ${why}`, 'webhook-failed');
  }
  try {
    return ofSameKind(object, applyPatch(cloneJson(object), [...patch], 'application/json-patch+json'));
  } catch (error) {
    if (error instanceof ApiError && error.code !== 'ERR_INTERNAL') throw internal(error.message, 'webhook-failed');
    throw error;
  }
}
