/**
 * The one table of refusals: code -> HTTP status and Kubernetes reason.
 *
 * A stage throws ApiError with a message in the tenant's terms; `respond/` alone turns it into a `Status`.
 * `cause` is for the log and never reaches a client. A fault of our own is any other error and becomes a bare 500.
 *
 * @see k8s.io/apimachinery pkg/api/errors/errors.go at v0.36
 */
import { type FieldProblem, invalidValue } from './k8s/field-problems.ts';
import { alreadyExistsText, conflictText, invalidText, type NamedObject, notFoundText } from './k8s/status-texts.ts';
import type { StatusDetails } from './k8s/types.ts';

const TABLE = {
  ERR_BAD_REQUEST: [400, 'BadRequest'],
  ERR_UNAUTHORIZED: [401, 'Unauthorized'],
  ERR_FORBIDDEN: [403, 'Forbidden'],
  ERR_NOT_FOUND: [404, 'NotFound'],
  ERR_METHOD_NOT_ALLOWED: [405, 'MethodNotAllowed'],
  ERR_NOT_ACCEPTABLE: [406, 'NotAcceptable'],
  ERR_CONFLICT: [409, 'Conflict'],
  ERR_ALREADY_EXISTS: [409, 'AlreadyExists'],
  ERR_EXPIRED: [410, 'Expired'],
  ERR_TOO_LARGE: [413, 'RequestEntityTooLarge'],
  ERR_UNSUPPORTED_MEDIA_TYPE: [415, 'UnsupportedMediaType'],
  ERR_INVALID: [422, 'Invalid'],
  ERR_TOO_MANY_REQUESTS: [429, 'TooManyRequests'],
  ERR_HEADERS_TOO_LARGE: [431, 'RequestEntityTooLarge'],
  ERR_INTERNAL: [500, 'InternalError'],
  ERR_BAD_GATEWAY: [502, 'InternalError'],
  ERR_UNAVAILABLE: [503, 'ServiceUnavailable'],
  ERR_TIMEOUT: [504, 'Timeout'],
} as const satisfies Record<string, readonly [status: number, reason: string]>;

export type ErrorCode = keyof typeof TABLE;

export interface ApiErrorOptions {
  /** Goes into `Status.details`. Tenant names only. */
  details?: StatusDetails;
  /** Where whoever decided chose another status or reason than the code's: admission. */
  as?: { readonly status: number; readonly reason: string };
  /** What the client is warned of besides. */
  warnings?: readonly string[];
  /** Low-cardinality word for metrics and audit, such as `no-credential`. */
  why?: string;
  /** For the log only. */
  cause?: unknown;
}

/** A refusal that the client is told about, in the tenant's terms. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: StatusDetails | undefined;
  readonly why: string;
  readonly warnings: readonly string[];
  readonly #as: ApiErrorOptions['as'];

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.details = options.details;
    this.warnings = options.warnings ?? [];
    this.#as = options.as;
    this.why = options.why ?? code.slice(4).toLowerCase().replaceAll('_', '-');
  }

  /** The same refusal, which warns of these as well. */
  warningOf(warnings: readonly string[]): ApiError {
    const as = { status: this.status, reason: this.reason };
    const { details, why, cause } = this;
    return new ApiError(this.code, this.message, { ...(details && { details }), as, warnings, why, cause });
  }

  /** HTTP status. */
  get status(): number {
    return this.#as?.status ?? TABLE[this.code][0];
  }

  /** `Status.reason`, as kube-apiserver names it. */
  get reason(): string {
    return this.#as?.reason ?? TABLE[this.code][1];
  }
}

/**
 * Whether a stream of the host ended because nothing came for long. That alone says nothing of the host: of a kind of which
 * it has had nothing to tell since it started, kube-apiserver sends no bookmarks either.
 */
export function isSilence(error: unknown): boolean {
  return error instanceof ApiError && error.why === 'upstream-silent';
}

/** As kube-apiserver's router says it of a path that it does not have. @param why for audit, such as `no-such-tenant` */
export function noSuchPath(why = 'no-such-path'): ApiError {
  return new ApiError('ERR_NOT_FOUND', 'the server could not find the requested resource', { why });
}

/** As kube-apiserver's router says it where it has the path for other methods. */
export function methodNotAllowed(): ApiError {
  return new ApiError('ERR_METHOD_NOT_ALLOWED', 'the server does not allow this method on the requested resource');
}

/**
 * A question that cannot be answered before something was read from the host for the first time: never guessed.
 * @param what in the plural: `tenants`, `roles and bindings`
 */
export function notSynced(what: string): ApiError {
  return new ApiError('ERR_UNAVAILABLE', `the ${what} are not known yet; try again`, {
    why: `${what.replaceAll(' ', '-')}-not-synced`,
    details: { retryAfterSeconds: 1 },
  });
}

/** 404 as kube-apiserver says it of one object. */
export function notFound(of: NamedObject): ApiError {
  const { message, details } = notFoundText(of);
  return new ApiError('ERR_NOT_FOUND', message, { details });
}

/** 409 as kube-apiserver says it of an object that is to be made and is there. */
export function alreadyExists(of: NamedObject): ApiError {
  const { message, details } = alreadyExistsText(of);
  return new ApiError('ERR_ALREADY_EXISTS', message, { details });
}

/** 409 as kube-apiserver says it of a write that meets another object, or another state of it, than it was meant for. */
export function conflict(of: NamedObject, why: string): ApiError {
  const { message, details } = conflictText(of, why);
  return new ApiError('ERR_CONFLICT', message, { details });
}

/** 503 of an API behind the host's API server. What it says itself, or the way to it, names addresses of the host. */
export function unavailable(cause: unknown): ApiError {
  return new ApiError('ERR_UNAVAILABLE', 'the server is currently unable to handle the request', { cause });
}

/** 429 of the host, of whatever answers there. */
export function busy(cause: unknown, retryAfterSeconds = 1): ApiError {
  const details = { retryAfterSeconds };
  return new ApiError('ERR_TOO_MANY_REQUESTS', 'too many requests, please try again later', { cause, details });
}

/** 502 of the host. */
export function unreadable(cause?: unknown): ApiError {
  return new ApiError('ERR_BAD_GATEWAY', 'the cluster answered with something unreadable; try again', { cause });
}

/**
 * 406 as kube-apiserver says it of one object where a list was asked for, or the other way round.
 * @param but `is not a list (*rbac.ClusterRole)`
 */
export function otherShape(asked: string, but: string): ApiError {
  return new ApiError('ERR_NOT_ACCEPTABLE', `you requested ${asked}, but the requested object ${but}`);
}

/** 400 as kube-apiserver says it of an `includeObject` of a Table that is none. */
export function otherRows(asked: string): ApiError {
  const { field, message } = invalidValue('includeObject', asked, "must be 'Metadata', 'Object', 'None', or empty");
  return new ApiError('ERR_BAD_REQUEST', `Unable to convert to Table as requested: ${field}: ${message}`);
}

/** 422 as kube-apiserver says it of an object with faults; at least one. `of.what` is its kind. */
export function invalid(of: NamedObject, problems: readonly FieldProblem[]): ApiError {
  const { message, details } = invalidText(of, problems);
  return new ApiError('ERR_INVALID', message, { details });
}
