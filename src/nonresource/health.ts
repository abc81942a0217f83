/**
 * The health paths: the only answers for callers without a credential. They say whether, and never why.
 * @see https://kubernetes.io/docs/reference/using-api/health-checks/
 */
import { ApiError } from '../errors.ts';
import type { Reply, RequestInfo } from '../exchange.ts';

/** It is text, whatever a browser makes of it. */
const PLAIN = { 'x-content-type-options': 'nosniff' };
export const HEALTH_PATHS: readonly string[] = ['/healthz', '/livez', '/readyz'];

/**
 * Answers a health path of the proxy itself; undefined for any other, and for one below a tenant's path.
 * @param problem why the proxy is not ready; undefined when it is
 * @throws {ApiError} ERR_METHOD_NOT_ALLOWED
 */
export function health(info: RequestInfo, problem: () => string | undefined): Reply | undefined {
  if (info.isResource || info.claimed !== undefined || !HEALTH_PATHS.includes(info.path)) return undefined;
  if (info.verb !== 'get' && info.verb !== 'head') {
    throw new ApiError('ERR_METHOD_NOT_ALLOWED', 'health is asked for with GET');
  }
  const ready = info.path !== '/readyz' || problem() === undefined;
  return plain(ready ? 200 : 503, ready ? 'ok' : 'not ready');
}

/** For who has passed every check: the virtual cluster is as ready as the proxy, which would not answer otherwise. */
export function healthy(): Reply {
  return plain(200, 'ok');
}

function plain(status: number, text: string): Reply {
  return { kind: 'bytes', status, contentType: 'text/plain; charset=utf-8', bytes: Buffer.from(text), headers: PLAIN };
}
