/**
 * Which requests may last: watches, followed logs and the streams into a pod. They have no deadline and are counted
 * apart from the short ones.
 *
 * @see k8s.io/kubernetes pkg/controlplane/apiserver/config.go (LongRunningFunc) at v1.36
 */
import type { RequestInfo } from '../exchange.ts';
import { reachingBy } from './reaching.ts';

const LONG_SUBRESOURCES = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

export function isLongRunning(info: RequestInfo): boolean {
  return info.isResource && (info.verb === 'watch' || LONG_SUBRESOURCES.has(reachingBy(info)));
}

const UPGRADING = new Set(['attach', 'exec', 'portforward', 'proxy']);

/** Whose connection may become something else. */
export function mayUpgrade(info: RequestInfo): boolean {
  return info.isResource && UPGRADING.has(reachingBy(info));
}
