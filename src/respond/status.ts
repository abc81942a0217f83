/**
 * The only place that turns a refusal into a `Status`. What an ApiError says is the client's to see; any other error is
 * a fault of ours, of which the client learns nothing but the Audit-ID under which the log has it.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/responsewriters/status.go at v0.36
 */
import { ApiError } from '../errors.ts';
import type { Status } from '../k8s/types.ts';
import { warningHeaders } from '../lib/warning-header.ts';

/** An answer whose bytes are ready: for what the listener itself refuses, before there is a request to speak of. */
export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @param id Audit-ID of the request */
export function statusOf(error: unknown, id: string): Status {
  if (!(error instanceof ApiError)) {
    const message = `the request failed inside the proxy; its operator finds the cause under Audit-ID ${id}`;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `Internal error occurred: ${message}`,
      reason: 'InternalError',
      details: { causes: [{ message }] },
      code: 500,
    };
  }
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: error.message,
    ...(error.reason === '' ? {} : { reason: error.reason }),
    ...detailsOf(error),
    code: error.status,
  };
}

/** The server's router, whose refusals these two are where no object is named, always has `details`. */
function detailsOf(error: ApiError): Pick<Status, 'details'> {
  if (error.details !== undefined) return { details: error.details };
  return error.code === 'ERR_NOT_FOUND' || error.code === 'ERR_METHOD_NOT_ALLOWED' ? { details: {} } : {};
}

/** `Retry-After` where the refusal says when to come back, `Warning` where it warns as well. */
export function errorHeaders(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const seconds = error.details?.retryAfterSeconds;
  return {
    ...(seconds !== undefined && seconds > 0 ? { 'retry-after': String(Math.ceil(seconds)) } : {}),
    ...(error.warnings.length > 0 ? { warning: warningHeaders(error.warnings).join(', ') } : {}),
  };
}

/** A refusal as JSON, for a client of whose wishes nothing is known. */
export function renderError(error: unknown, id: string): RenderedError {
  const status = statusOf(error, id);
  const body = `${JSON.stringify(status)}\n`;
  return {
    status: status.code,
    headers: {
      'audit-id': id,
      'cache-control': 'no-cache, private',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...errorHeaders(error),
    },
    body,
  };
}
