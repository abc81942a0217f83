/**
 * Is the host new enough? The policies of `deploy/` that change objects are of a version that older API servers do not
 * serve. Asked where a wall is missing, so that nobody is told to apply what cannot be applied.
 */
import { text } from '../../k8s/read.ts';
import type { HostClient } from '../../upstream/host-client.ts';

/** MutatingAdmissionPolicies of version v1. @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/ */
const OLDEST = { major: 1, minor: 36 };

/** In words for the operator; undefined where the host is new enough, or does not say. */
export async function versionProblem(client: Pick<HostClient, 'get'>): Promise<string | undefined> {
  const said = await client.get('/version').catch(() => undefined);
  // Some distributions write the minor one as `36+`.
  const [major, minor] = [text(said, 'major'), text(said, 'minor')].map((one) => Number.parseInt(one, 10));
  if (major === undefined || minor === undefined || Number.isNaN(major) || Number.isNaN(minor)) return undefined;
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  const own = text(said, 'gitVersion') || `v${major}.${minor}`;
  return `this host is Kubernetes ${own}; kubeveil needs v${OLDEST.major}.${OLDEST.minor} or newer, which has MutatingAdmissionPolicies of version v1. Upgrade the host`;
}
