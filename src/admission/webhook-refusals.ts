/**
 * What a client is told when a webhook refuses it, or cannot be asked, as kube-apiserver tells it.
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/errors/statuserror.go at v0.36
 */
import { ApiError } from '../errors.ts';
import { child, objects, text } from '../k8s/read.ts';
import type { JsonObject, StatusCause, StatusDetails } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';

/** @param result the webhook's own `Status` */
export function deniedByWebhook(name: string, result: JsonObject | undefined): ApiError {
  const deniedBy = `admission webhook ${goQuote(name)} denied the request`;
  const [message, reason] = [text(result, 'message'), text(result, 'reason')];
  const words = message !== '' ? `: ${message}` : reason !== '' ? `: ${reason}` : ' without explanation';
  const { code } = result ?? {};
  const status = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code < 600 ? code : 400;
  const details = detailsOf(child(result, 'details'));
  return new ApiError('ERR_FORBIDDEN', deniedBy + words, {
    ...(details !== undefined && { details }),
    as: { status, reason },
    why: 'webhook-denied',
  });
}

function detailsOf(given: JsonObject): StatusDetails | undefined {
  const details: StatusDetails = {};
  for (const key of ['name', 'group', 'kind', 'uid'] as const) {
    if (text(given, key) !== '') details[key] = text(given, key);
  }
  const causes = objects(given, 'causes').map((cause) => {
    const read: StatusCause = {};
    for (const key of ['reason', 'message', 'field'] as const) {
      if (text(cause, key) !== '') read[key] = text(cause, key);
    }
    return read;
  });
  if (causes.length > 0) details.causes = causes;
  const { retryAfterSeconds } = given;
  if (typeof retryAfterSeconds === 'number' && retryAfterSeconds > 0) details.retryAfterSeconds = retryAfterSeconds;
  return Object.keys(details).length === 0 ? undefined : details;
}

/** @param why what followed `failed calling webhook "x": ` */
export function failedWebhook(name: string, why: string): ApiError {
  return internal(`failed calling webhook ${goQuote(name)}: ${why}`, 'webhook-failed');
}

/** 500 as kube-apiserver wraps whatever goes wrong in it. */
export function internal(message: string, why: string): ApiError {
  return new ApiError('ERR_INTERNAL', `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
    why,
  });
}

export function noDryRun(name: string): ApiError {
  return new ApiError('ERR_BAD_REQUEST', `admission webhook ${goQuote(name)} does not support dry run`, {
    why: 'webhook-no-dry-run',
  });
}
