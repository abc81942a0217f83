/**
 * Is the host new enough? Older API servers do not know all that the policies of `deploy/` say. Asked where a wall is
 * missing, so that nobody is told to apply what cannot be applied.
 */
import { text } from '../../k8s/read.ts';
import type { HostClient } from '../../upstream/host-client.ts';

/** The oldest of which the policies have been shown to act (test/integration/older-hosts.test.ts). */
const OLDEST = { major: 1, minor: 34 };

/** In words for the operator; undefined where the host is new enough, or does not say. */
export async function versionProblem(client: Pick<HostClient, 'get'>): Promise<string | undefined> {
  const said = await client.get('/version').catch(() => undefined);
  // Some distributions write the minor one as `36+`.
  const [major, minor] = [text(said, 'major'), text(said, 'minor')].map((one) => Number.parseInt(one, 10));
  if (major === undefined || minor === undefined || Number.isNaN(major) || Number.isNaN(minor)) return undefined;
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  const own = text(said, 'gitVersion') || `v${major}.${minor}`;
  return `this host is Kubernetes ${own}; kubeveil needs v${OLDEST.major}.${OLDEST.minor} or newer. Upgrade the host`;
}
