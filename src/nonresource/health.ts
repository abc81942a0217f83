/**
 * The health paths: the only answers for callers without a credential. They say whether, and by the names of checks which;
 * never why. Single checks (`/readyz/ping`) are for those who may ask.
 * @see https://kubernetes.io/docs/reference/using-api/health-checks/
 */
import { ApiError } from '../errors.ts';
import type { NonResourceInfo, Reply, ReplyHeaders, RequestInfo } from '../exchange.ts';

export interface HealthCheck {
  /** Told to anybody. */
  readonly name: string;
  passes(): boolean;
}

/** That somebody answers. */
const PING: HealthCheck = { name: 'ping', passes: () => true };
export const HEALTH_PATHS: readonly string[] = ['/healthz', '/livez', '/readyz'];

/**
 * Answers a health path of the proxy itself; undefined for any other, and for one below a tenant's path.
 * @param ready what the proxy must have before it serves anybody
 * @throws {ApiError} ERR_METHOD_NOT_ALLOWED
 */
export function health(info: RequestInfo, ready: readonly HealthCheck[]): Reply | undefined {
  if (info.isResource || info.claimed !== undefined || !HEALTH_PATHS.includes(info.path)) return undefined;
  if (info.verb !== 'get' && info.verb !== 'head') {
    throw new ApiError('ERR_METHOD_NOT_ALLOWED', 'health is asked for with GET');
  }
  return whole(info, info.path.slice(1), checksOf(info.path, ready));
}

/** For who has passed every check of the request, single checks too; undefined for any other path. */
export function healthOf(info: NonResourceInfo, ready: readonly HealthCheck[]): Reply | undefined {
  const path = HEALTH_PATHS.find((root) => info.path === root || info.path.startsWith(`${root}/`));
  if (path === undefined) return undefined;
  const checks = checksOf(path, ready);
  if (info.path === path) return whole(info, path.slice(1), checks);
  const check = checks.find(({ name }) => info.path === `${path}/${name}`);
  if (check === undefined) return undefined;
  if (check.passes()) return plain(200, 'ok');
  return plain(500, 'internal server error: reason withheld\n', NO_SNIFF);
}

function checksOf(path: string, ready: readonly HealthCheck[]): readonly HealthCheck[] {
  return path === '/readyz' ? [PING, ...ready] : [PING];
}

/** All checks of a path, in the API server's words. What is wrong is always told by name. */
function whole({ query, repeated }: NonResourceInfo, path: string, checks: readonly HealthCheck[]): Reply {
  const excluded = new Set(repeated?.get('exclude'));
  const lines: string[] = [];
  let failed = false;
  for (const { name, passes } of checks) {
    const isExcluded = excluded.delete(name);
    const fails = !isExcluded && !passes();
    failed ||= fails;
    lines.push(isExcluded ? `[+]${name} excluded: ok` : fails ? `[-]${name} failed: reason withheld` : `[+]${name} ok`);
  }
  if (excluded.size > 0) lines.push(unmatched(excluded));
  if (failed) return plain(500, [...lines, `${path} check failed`, ''].join('\n'), NO_SNIFF);
  const said = query.has('verbose') ? [...lines, `${path} check passed`, ''].join('\n') : 'ok';
  return plain(200, said, NO_SNIFF);
}

function unmatched(names: ReadonlySet<string>): string {
  const quoted = [...names].sort().map((name) => JSON.stringify(name));
  return `warn: some health checks cannot be excluded: no matches for ${quoted.join(', ')}`;
}

/** It is text, whatever a browser makes of it. */
const NO_SNIFF: ReplyHeaders = { 'x-content-type-options': 'nosniff' };

function plain(status: number, text: string, headers?: ReplyHeaders): Reply {
  const bytes = Buffer.from(text);
  return { kind: 'bytes', status, contentType: 'text/plain; charset=utf-8', bytes, ...(headers && { headers }) };
}
