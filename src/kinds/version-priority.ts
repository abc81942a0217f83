/**
 * The order in which Kubernetes prefers versions: `v10`, `v2`, `v1`, `v11beta2`, `v10beta3`, `v3alpha1`, then all other
 * names by alphabet.
 *
 * @see k8s.io/apimachinery pkg/version/helpers.go at v0.36
 */

const KUBE_VERSION = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const STAGES = ['alpha', 'beta', ''];

/** For `sort`: the preferred version first. */
export function byPriority(a: string, b: string): number {
  const left = rank(a);
  const right = rank(b);
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function rank(version: string): { stage: number; major: number; minor: number } | undefined {
  const parts = KUBE_VERSION.exec(version);
  if (parts === null) return undefined;
  return { stage: STAGES.indexOf(parts[2] ?? ''), major: Number(parts[1]), minor: Number(parts[3] ?? 0) };
}
