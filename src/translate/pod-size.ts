/**
 * How many containers a pod may have. The host's policies look at each of them several times, whoever makes the pod
 * (deploy/47-pods.yaml, 61-policy-pods.yaml), and the API server lets an expression take so many steps and no more: some
 * thousands of containers are refused after seconds of its time.
 */
import { tooMany } from '../k8s/field-problems.ts';
import { child } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Walk } from './walk.ts';

/** Of all three lists together: what policies can judge with dozens of variables in each. */
export const MOST_CONTAINERS = 1_000;
const LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** @param body a pod, or a patch of the same shape. @throws {ApiError} ERR_INVALID */
export function refuseManyContainers(body: JsonObject, walk: Walk): void {
  if (walk.at.kind.isPodClient !== true) return;
  const spec = child(body, 'spec');
  let count = 0;
  for (const list of LISTS) {
    const items = spec[list];
    if (!Array.isArray(items)) continue;
    count += items.length;
    if (count > MOST_CONTAINERS) walk.refuse(() => tooMany(`spec.${list}`, count, MOST_CONTAINERS));
  }
}
