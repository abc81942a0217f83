/**
 * Kinds of which a PUT makes an object that is not there. Of any other, a PUT of what is not there is 404; custom
 * resources are among those.
 * @see k8s.io/kubernetes pkg/registry (AllowCreateOnUpdate of each strategy) at v1.36
 */
import type { Kind, ResourceKey } from './kind.ts';

const CREATED: ReadonlySet<ResourceKey> = new Set<ResourceKey>([
  '/endpoints',
  '/events',
  '/limitranges',
  '/services',
  'coordination.k8s.io/leases',
  'coordination.k8s.io/leasecandidates',
  'events.k8s.io/events',
  'node.k8s.io/runtimeclasses',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
]);

export function isCreatedByUpdate({ group, resource }: Pick<Kind, 'group' | 'resource'>): boolean {
  return CREATED.has(`${group}/${resource}`);
}
