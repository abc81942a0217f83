/**
 * What a client is told when admission refuses it, in the words and with the codes of kube-apiserver.
 * @see k8s.io/apiserver pkg/admission/errors.go, plugin/policy/validating/dispatcher.go, generic/policy_dispatcher.go at v0.36
 */
import { ApiError, type ErrorCode } from '../errors.ts';
import { text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { goQuote } from '../lib/go-quote.ts';
import type { AdmissionSubject } from '../ports.ts';

/** Reasons that a validation may give. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  Unauthorized: 'ERR_UNAUTHORIZED',
  Forbidden: 'ERR_FORBIDDEN',
  RequestEntityTooLarge: 'ERR_TOO_LARGE',
  Invalid: 'ERR_INVALID',
};

/** Whose name the refusal is about: the object may not have one yet. */
function subjectName({ name }: AdmissionSubject, object: JsonObject | undefined): string {
  if (name !== '') return name;
  const metadata = object?.['metadata'] as JsonObject | undefined;
  return text(metadata, 'name') || text(metadata, 'generateName') || 'Unknown';
}

function about(subject: AdmissionSubject, object: JsonObject | undefined): { prefix: string; details: JsonObject } {
  const { group, resource } = subject;
  const name = subjectName(subject, object);
  const qualified = group === '' ? resource : `${resource}.${group}`;
  return {
    prefix: `${qualified} ${goQuote(name)} is forbidden: `,
    details: { name, ...(group === '' ? {} : { group }), kind: resource },
  };
}

/** @param message with the policy and the binding; @param reason `Invalid` where the validation gives none */
export function deniedByPolicy(
  subject: AdmissionSubject,
  object: JsonObject | undefined,
  message: string,
  reason: string,
): ApiError {
  const { prefix, details } = about(subject, object);
  return new ApiError(CODES[reason] ?? 'ERR_INVALID', `${prefix}${message}`, {
    details: { ...details, causes: [{ message }] },
    why: 'policy-denied',
  });
}

/** A mutating policy that could not be applied: 403, whatever the reason says. At least one message. */
export function failedMutation(
  subject: AdmissionSubject,
  object: JsonObject | undefined,
  messages: readonly string[],
  reason: string | undefined,
): ApiError {
  const { details } = about(subject, object);
  return new ApiError('ERR_FORBIDDEN', messages[0] ?? '', {
    details: { ...details, causes: messages.map((message) => ({ message })) },
    as: { status: 403, reason: reason ?? 'Forbidden' },
    why: 'policy-failed',
  });
}
