/**
 * What a tenant sees of an object of the host: an allow-list, so that a field of tomorrow's Kubernetes stays hidden.
 *
 * Of `metadata` it keeps identity and labels. Annotations, owners, finalizers and managers speak of the host.
 */
import { isObject, type JsonObject } from '../k8s/types.ts';

const METADATA = [
  'metadata.name',
  'metadata.uid',
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.creationTimestamp',
  'metadata.deletionTimestamp',
  'metadata.labels',
];

/** A function that takes everything out of an object but its type, the kept metadata and the values at `paths`. */
export function keepOnly(paths: readonly string[]): (object: JsonObject) => void {
  const tree = treeOf(['apiVersion', 'kind', ...METADATA, ...paths]);
  return (object) => prune(object, tree);
}

/** `null` = the whole value. */
type Tree = Map<string, Tree | null>;

function treeOf(paths: readonly string[]): Tree {
  const root: Tree = new Map();
  for (const path of paths) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    let at = root;
    for (const step of steps) {
      const next: Tree | null = at.get(step) ?? new Map();
      at.set(step, next);
      at = next;
    }
    at.set(last, null);
  }
  return root;
}

function prune(object: JsonObject, tree: Tree): void {
  for (const [key, value] of Object.entries(object)) {
    const below = tree.get(key);
    if (below === null) continue;
    if (below !== undefined && isObject(value)) prune(value, below);
    else delete object[key];
  }
}
