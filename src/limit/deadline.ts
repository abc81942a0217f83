/**
 * The time that a request which does not last may take, from its head to its answer.
 *
 * @see k8s.io/apiserver pkg/server/filters/timeout.go at v0.36
 */
import { ApiError } from '../errors.ts';

export interface Deadline {
  /** Fires when the client goes or the time is up; the reason is an ApiError. */
  readonly signal: AbortSignal;
  /** The request has been answered: the signal fires no more. */
  clear(): void;
}

/** @param clientGone signal of the request's head */
export function startDeadline(clientGone: AbortSignal, timeoutMs: number): Deadline {
  const ending = new AbortController();
  const leave = (): void => ending.abort(clientGone.reason);
  const timer = setTimeout(() => {
    ending.abort(
      new ApiError('ERR_TIMEOUT', `Timeout: request did not complete within requested timeout - ${timeoutMs / 1000}s`),
    );
  }, timeoutMs);
  timer.unref();
  // By hand: `AbortSignal.any` keeps weak references and a finalizer for each request.
  if (clientGone.aborted) leave();
  else clientGone.addEventListener('abort', leave);
  return {
    signal: ending.signal,
    clear() {
      clearTimeout(timer);
      clientGone.removeEventListener('abort', leave);
    },
  };
}
