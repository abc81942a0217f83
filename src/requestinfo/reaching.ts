/**
 * The subresource by which a request reaches into a pod or asks for its log, if it is one of those. Where the place of a
 * subresource holds the name of a metric, `exec` is a metric as good as any.
 */
import type { ResourceInfo } from '../exchange.ts';
import { isByMetric } from '../kinds/table.ts';

/** `''` for a request that cannot reach into a pod; else its subresource, whatever it is. */
export function reachingBy({ group, subresource }: Pick<ResourceInfo, 'group' | 'subresource'>): string {
  return isByMetric(group) ? '' : subresource;
}
